//go:build window

package windowtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mobius/backend/wire"
)

const (
	demoButton = `//button[contains(., "Try without a model")]`
	composer   = `//main//textarea`
)

// lengths watches how long the page's main part is, to see an answer arrive piece by piece.
const lengths = `
	window.lengths = [];
	new MutationObserver(() => {
		const now = document.querySelector("main").innerText.length;
		if (now !== window.lengths.at(-1)) window.lengths.push(now);
	}).observe(document.querySelector("main"), { childList: true, characterData: true, subtree: true });`

func TestAConversationSurvivesTheWindow(t *testing.T) {
	h := newHome(t)
	w := openWindow(t, h)
	w.find(demoButton)
	w.picture("window-first-start")
	w.click(demoButton)
	w.find(composer)
	w.eval(lengths)
	w.write(composer, "say 300"+enter)
	w.waitText("word 1 word 2")
	w.picture("window-streaming")
	w.waitText("word 299 word 300")
	seen, ok := w.eval(`return window.lengths.length`).(float64)
	require.True(t, ok)
	require.Greater(t, seen, 10.0, "the answer arrived in pieces")
	w.picture("window-conversation")
	w.close()
	require.FileExists(t, filepath.Join(h.state(), "window.json"))

	w = openWindow(t, h)
	w.click(`//aside//a[contains(@href, "/chat/")]`)
	w.waitText("word 299 word 300")
	w.waitText("say 300")
	w.picture("window-after-restart")
}

func TestTheWindowShowsNothingButItsPage(t *testing.T) {
	h := newHome(t)
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, "dropped.txt"), []byte("the file"), 0o600))
	w := openWindow(t, h)
	w.find(demoButton)
	for _, address := range []string{"file://" + h.dir + "/dropped.txt", "http://127.0.0.1:9/", "data:text/html,gone", "wails://wails/icon.svg"} {
		w.eval(`window.location.href = arguments[0]`, address)
		w.eval(`window.open(arguments[0])`, address)
	}
	w.find(demoButton)
	require.Equal(t, "wails://wails/", w.eval(`return location.href.split("#")[0]`))
}

func TestFramesInTheWindowCannotCallTheEngine(t *testing.T) {
	w := openWindow(t, newHome(t))
	w.eval(`
		window.reports = [];
		window.addEventListener("message", (event) => window.reports.push(event.data));
		const script = (kind) => '<script>parent.postMessage("' + kind + '", "*");window.webkit.messageHandlers.external.postMessage("x")</script>';
		const fill = [
			(f) => f.setAttribute("srcdoc", script("srcdoc")),
			(f) => { f.setAttribute("sandbox", "allow-scripts"); f.setAttribute("srcdoc", script("sandboxed")); },
			(f) => f.setAttribute("src", URL.createObjectURL(new Blob([script("blob")], { type: "text/html" }))),
			(f) => f.setAttribute("src", "data:text/html," + encodeURIComponent(script("data"))),
			(f) => f.setAttribute("src", "http://127.0.0.1:9/"),
		];
		window.frames_loaded = 0;
		for (const set of fill) {
			const frame = document.createElement("iframe");
			set(frame);
			frame.addEventListener("load", () => window.frames_loaded++);
			document.body.append(frame);
		}
		window.blocked = 0;
		document.addEventListener("securitypolicyviolation", (e) => { if (e.effectiveDirective === "frame-src") window.blocked++; });
	`)
	// A call that goes to the engine and back: what a frame could have posted has been delivered by then.
	w.eval(`window.done = false; window.go.api.System.Info().then(() => { window.done = true })`)
	until(t, "the engine answers the page itself", func() bool { return w.eval(`return window.done`) == true })
	require.Equal(t, []any{}, w.eval(`return window.reports`))
}

func TestARefusalReachesThePageWithItsCode(t *testing.T) {
	w := openWindow(t, newHome(t))
	w.eval(`window.refusal = null; window.go.api.Bots.Get("nobody").catch((reason) => { window.refusal = reason })`)
	until(t, "it is refused", func() bool { return w.eval(`return window.refusal !== null`) == true })
	text, ok := w.eval(`return window.refusal.message`).(string)
	require.True(t, ok)
	var refusal wire.Rejection
	require.NoError(t, json.Unmarshal([]byte(text), &refusal), text)
	require.Equal(t, wire.CodeInvalidBot, refusal.Code)
	require.NotEmpty(t, refusal.Message)
}
