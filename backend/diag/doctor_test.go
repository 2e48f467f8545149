package diag

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mobius/backend/engine"
	"mobius/backend/keys"
	"mobius/backend/wire"
)

func check(id string, run func(context.Context) wire.DoctorCheck) Check {
	return Check{ID: id, Name: "check of " + id, Run: run}
}

func TestChecksRunSideBySideAndOneThatHangsOrPanicsCostsItsOwnLineOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		begin := time.Now()
		report := NewRedactor().Examine(t.Context(), wire.SystemInfo{Version: "1", Shell: "test", StateDir: "/state"}, []Check{
			check("good", func(context.Context) wire.DoctorCheck { return ok("fine") }),
			check("slow", func(ctx context.Context) wire.DoctorCheck { <-time.After(10 * time.Second); return ok("late") }),
			check("hangs", func(context.Context) wire.DoctorCheck { <-release; return ok("never") }),
			check("panics", func(context.Context) wire.DoctorCheck { panic("with sk-0123456789abcdef") }),
		}, begin)
		require.Equal(t, checkLimit, time.Since(begin))
		require.Equal(t, []string{"good", "slow", "hangs", "panics"}, []string{report.Checks[0].ID, report.Checks[1].ID, report.Checks[2].ID, report.Checks[3].ID})
		require.Equal(t, wire.DoctorCheck{ID: "good", Name: "check of good", Status: "ok", Message: "fine"}, report.Checks[0])
		require.Equal(t, "ok", report.Checks[1].Status)
		require.Equal(t, "error", report.Checks[2].Status)
		require.Contains(t, report.Checks[2].Message, "did not end")
		require.Equal(t, "error", report.Checks[3].Status)
		require.NotContains(t, report.Checks[3].Message, "sk-0123")
		require.Contains(t, report.Text, "[ok     ] check of good: fine\n")
		close(release)
		synctest.Wait()
	})
}

func TestTheReportHoldsNoSecretAndNoNameOfTheHome(t *testing.T) {
	r := NewRedactor()
	r.AddSecret("told secret")
	report := r.Examine(t.Context(), wire.SystemInfo{StateDir: "/home/ada/.local/share/mobius", Home: "/home/ada"}, []Check{
		check("a", func(context.Context) wire.DoctorCheck {
			return warning("chmod 700 /home/ada", "told secret; /home/ada-other/x; /home/ada; http://me:hunter2@proxy")
		}),
	}, time.Now())
	require.NotContains(t, report.Text, "told secret")
	require.NotContains(t, report.Text, "hunter2")
	require.Contains(t, report.Text, "State directory: ~/.local/share/mobius\n")
	require.Contains(t, report.Text, "/home/ada-other/x; ~; http://me:[redacted]@proxy")
	require.Contains(t, report.Text, "→ chmod 700 ~\n")
	require.NotContains(t, report.Checks[0].Message, "told secret")
}

func TestTheStateDirectory(t *testing.T) {
	dir := privateDir(t)
	require.Equal(t, "ok", state(dir).Status)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "mobius.db"), nil, 0o644))
	require.Equal(t, "ok", state(dir).Status, "nobody gets past the directory")
	require.NoError(t, os.Chmod(dir, 0o755))
	c := state(dir)
	require.Equal(t, "warning", c.Status)
	require.Contains(t, c.Message, "mobius.db")
	require.Contains(t, c.Next, "chmod")

	c = state(filepath.Join(dir, "missing"))
	require.Equal(t, "error", c.Status)
	require.Contains(t, c.Next, "MOBIUS_STATE_DIR")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the check leaves nothing behind")
}

func TestALibraryIsFoundInTheLoadersCacheAndInFolders(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "x86_64-linux-gnu", webviewLibrary)
	cache := filepath.Join(dir, "cache")
	content := "glibc-ld.so.cache1.1\x00/gone/" + webviewLibrary + "\x00other\x00" + webviewLibrary + "\x00" + library + "\x00"
	require.NoError(t, os.WriteFile(cache, []byte(content), 0o600))
	require.Empty(t, findLibrary(webviewLibrary, cache, nil), "an entry whose file is gone does not count")

	require.NoError(t, os.Mkdir(filepath.Dir(library), 0o700))
	require.NoError(t, os.WriteFile(library, nil, 0o600))
	require.Equal(t, library, findLibrary(webviewLibrary, cache, nil))
	require.Equal(t, library, findLibrary(webviewLibrary, filepath.Join(dir, "no cache"), []string{"", filepath.Join(dir, "*-linux-gnu*")}))
}

func TestProxiesAreToldWithoutTheirPasswords(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("HTTPS_PROXY", "http://me:hunter2@proxy:3128")
	report := NewRedactor().Examine(t.Context(), wire.SystemInfo{}, []Check{check("network", func(context.Context) wire.DoctorCheck { return network() })}, time.Now())
	require.Contains(t, report.Checks[0].Message, "HTTPS_PROXY=http://me:[redacted]@proxy:3128")
	t.Setenv("HTTPS_PROXY", "")
	require.Contains(t, network().Message, "No proxy")
}

func TestTheClock(t *testing.T) {
	dir := t.TempDir()
	paris, err := time.LoadLocation("Europe/Paris")
	require.NoError(t, err)
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, paris)
	c := clock(dir, now)
	require.Equal(t, "ok", c.Status)
	require.Contains(t, c.Message, "Europe/Paris (UTC+02:00)")
	require.Contains(t, clock(dir, now.In(time.FixedZone("half", -9000))).Message, "(UTC-02:30)")
	require.Equal(t, "error", clock(dir, time.Unix(0, 0)).Status)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "mobius.db"), nil, 0o600))
	require.NoError(t, os.Chtimes(filepath.Join(dir, "mobius.db"), now, now.Add(2*time.Hour)))
	require.Equal(t, "warning", clock(dir, now).Status)
}

func open(t *testing.T, dir string) *engine.Engine {
	t.Helper()
	t.Setenv("MOBIUS_KEYS", "file")
	e, err := engine.Open(t.Context(), engine.Options{StateDir: dir, Shell: "test", Version: "0", Doctor: NewRedactor().Doctor})
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func byID(t *testing.T, e *engine.Engine) map[string]wire.DoctorCheck {
	t.Helper()
	report, err := e.Services.System.Doctor()
	require.NoError(t, err)
	all := map[string]wire.DoctorCheck{}
	for _, c := range report.Checks {
		require.NotEmpty(t, c.Message, c.ID)
		require.Contains(t, []string{"ok", "warning", "error", "skipped"}, c.Status, c.ID)
		require.Contains(t, report.Text, c.Name)
		all[c.ID] = c
	}
	return all
}

// privateDir is a folder for nobody else, as Mobius makes its own.
func privateDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	return dir
}

func TestTheDoctorOfAHealthyEngine(t *testing.T) {
	all := byID(t, open(t, privateDir(t)))
	require.Len(t, all, 10)
	for _, id := range []string{"state", "storage", "keys", "providers", "clock"} {
		require.Equal(t, "ok", all[id].Status, "%s: %s", id, all[id].Message)
	}
	require.Contains(t, all["storage"].Message, "sound")
	require.Contains(t, all["keys"].Message, "encrypted file")
}

func TestTheDoctorOfADamagedStateSaysSoAndGoesOn(t *testing.T) {
	dir := privateDir(t)
	require.NoError(t, open(t, dir).Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mobius.db"), []byte(strings.Repeat("broken ", 4096)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys.age"), []byte("broken"), 0o600))
	all := byID(t, open(t, dir))
	require.Equal(t, "error", all["storage"].Status)
	require.Contains(t, all["storage"].Next, "restore a backup")
	require.Equal(t, "error", all["keys"].Status)
	require.Equal(t, "ok", all["state"].Status)
}

func TestALockedKeyStoreIsAFailure(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys.age"), []byte("broken"), 0o600))
	c := keyStore(keys.New(dir, keys.ModeFile))
	require.Equal(t, "error", c.Status)
	require.Contains(t, c.Next, "MOBIUS_KEYS=file")
}
