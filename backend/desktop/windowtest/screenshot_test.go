//go:build window

package windowtest

import (
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// project is the folder that the picture's conversation is about.
var project = map[string]string{
	"README.md":         "# Tide tables\n\nComputes when the sea comes and goes, for any harbour whose constants are known.\n\n## Use\n\n```sh\ntides --harbour heligoland --days 7\n```\n\n- `harbours/` has one file of constants a harbour\n- all times are local, with the clock changes in mind\n",
	"main.go":           "package main\n\nfunc main() {}\n",
	"go.mod":            "module tides\n",
	"harbours/hel.json": "{}\n",
	"harbours/cux.json": "{}\n",
	"docs/method.md":    "# Method\n",
}

// lived fills the sidebar as it looks after a while. Its argument is the folder.
const lived = `
	const api = window.go.api, folder = arguments[0];
	window.filled = (async () => {
		const [{ bots: [first] }, settings] = await Promise.all([api.Bots.List(), api.Settings.Get()]);
		await api.Settings.Set({ ...settings, theme: "light", language: "en", default_folder: folder });
		for (const [name, description] of [["Reviewer", "Reads changes and says what could break"], ["Writer", "Turns notes into plain words"]])
			await api.Bots.Create({ name, description });
		const { bots } = await api.Bots.List();
		const titles = ["Clock changes in the table", "Sources of the constants", "Plain words for the manual", "What the last release broke", "Names of the harbours"];
		for (const [i, title] of titles.entries()) {
			const session = await api.Sessions.Create({ bot_id: bots[i % bots.length].id, workspace: folder });
			await api.Sessions.Submit({ session_id: session.id, id: crypto.randomUUID(), message: { text: i % 2 ? "list the files" : "read docs/method.md" } });
			await api.Sessions.Rename(session.id, title);
			if (i === 1) await api.Sessions.Pin(session.id, true);
		}
	})().then(() => { window.filled = "yes"; }, (reason) => { window.filled = String(reason?.message ?? reason); });`

// TestPicture makes the picture of the README: MOBIUS_PICTURE names the file.
func TestPicture(t *testing.T) {
	file := os.Getenv("MOBIUS_PICTURE")
	if file == "" {
		t.Skip("MOBIUS_PICTURE names no file")
	}
	h := newHome(t)
	folder := filepath.Join(h.dir, "tides")
	for name, text := range project {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	w := openWindow(t, h)
	w.click(demoButton)
	w.find(composer)
	w.eval(lived, folder)
	until(t, "the sidebar is filled", func() bool { return w.eval(`return typeof window.filled === "string"`) == true })
	require.Equal(t, "yes", w.eval(`return window.filled`))
	w.close()

	w = openWindow(t, h)
	w.write(composer, "What is in this folder?"+enter)
	idle := func() {
		until(t, "the answer is whole", func() bool {
			return w.eval(`return document.querySelector("main").innerText.includes("Working")`) == false
		})
	}
	w.waitText("harbours")
	idle()
	w.write(composer, "Read README.md"+enter)
	w.waitText("heligoland")
	idle()
	w.eval(`document.activeElement?.blur()`)
	var encoded string
	require.NoError(t, w.request(http.MethodGet, w.session+"/screenshot", nil, &encoded))
	data, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
}
