package diag

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"mobius/backend/api"
	"mobius/backend/engine"
	"mobius/backend/wire"
)

const checkLimit = 15 * time.Second

// Check is one check of the doctor.
type Check struct {
	ID   string
	Name string
	Run  func(ctx context.Context) wire.DoctorCheck
}

func result(status, next, format string, args ...any) wire.DoctorCheck {
	return wire.DoctorCheck{Status: status, Message: fmt.Sprintf(format, args...), Next: next}
}

func ok(format string, args ...any) wire.DoctorCheck { return result("ok", "", format, args...) }

func warning(next, format string, args ...any) wire.DoctorCheck {
	return result("warning", next, format, args...)
}

func failure(next, format string, args ...any) wire.DoctorCheck {
	return result("error", next, format, args...)
}

// Doctor makes the checks of an engine.
func Doctor(e *engine.Engine) api.Doctor {
	checks := []Check{
		{"state", "State directory", func(context.Context) wire.DoctorCheck { return state(e.StateDir) }},
		{"storage", "Storage", func(ctx context.Context) wire.DoctorCheck { return storage(ctx, e) }},
		{"keys", "Key store", func(context.Context) wire.DoctorCheck { return keyStore(e) }},
		{"webview", "Webview", func(context.Context) wire.DoctorCheck { return webview() }},
		{"display", "Display", func(context.Context) wire.DoctorCheck { return display() }},
		{"sandbox", "Sandbox", sandbox},
		{"search", "Search in files", func(context.Context) wire.DoctorCheck { return ripgrep() }},
		{"providers", "Providers", func(ctx context.Context) wire.DoctorCheck { return providers(e) }},
		{"network", "Network settings", func(context.Context) wire.DoctorCheck { return network() }},
	}
	return func(ctx context.Context) wire.DoctorReport { return Examine(ctx, e.Host.Info, checks, time.Now()) }
}

// Examine runs checks side by side, each within a limit, and writes the report.
func Examine(ctx context.Context, info wire.SystemInfo, checks []Check, now time.Time) wire.DoctorReport {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	report := wire.DoctorReport{At: now.UnixMilli(), Checks: make([]wire.DoctorCheck, len(checks))}
	var group sync.WaitGroup
	for i, c := range checks {
		group.Go(func() {
			r := guarded(ctx, c)
			r.ID, r.Name = c.ID, c.Name
			r.Message, r.Next = Redact(r.Message), Redact(r.Next)
			report.Checks[i] = r
		})
	}
	group.Wait()
	report.Text = text(info, report, now)
	return report
}

// guarded keeps one check that fails or hangs from taking the report with it.
func guarded(ctx context.Context, c Check) wire.DoctorCheck {
	done := make(chan wire.DoctorCheck, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- failure("", "The check itself failed: %v.", p)
			}
		}()
		done <- c.Run(ctx)
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return failure("", "The check did not end within %s.", checkLimit)
	}
}

// text is the report to copy: without secrets, and with the home folder as ~.
func text(info wire.SystemInfo, report wire.DoctorReport, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Mobius %s (%s), %s/%s, %s\nState: %s\n\n", info.Version, info.Shell, runtime.GOOS, runtime.GOARCH, now.UTC().Format(time.RFC3339), info.StateDir)
	for _, c := range report.Checks {
		fmt.Fprintf(&b, "[%-7s] %s: %s\n", c.Status, c.Name, c.Message)
		if c.Next != "" {
			fmt.Fprintf(&b, "          → %s\n", c.Next)
		}
	}
	out := Redact(b.String())
	if info.Home != "" && info.Home != "/" {
		out = strings.ReplaceAll(out, info.Home, "~")
	}
	return out
}

func state(dir string) wire.DoctorCheck {
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return failure("Check the owner and permissions of the folder.", "%s cannot be written: %v.", dir, err)
	}
	err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	if err != nil {
		return failure("Check the owner and permissions of the folder.", "%s cannot be written: %v.", dir, err)
	}
	if info, err := os.Stat(dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return warning("Run: chmod 700 "+dir, "%s can be read by other users of this computer.", dir)
	}
	free, err := freeBytes(dir)
	switch {
	case err != nil:
		return ok("%s can be written.", dir)
	case free < 200<<20:
		return warning("Free some space.", "%s can be written, but only %d MiB are free.", dir, free>>20)
	}
	return ok("%s can be written; %d GiB are free.", dir, free>>30)
}

func storage(ctx context.Context, e *engine.Engine) wire.DoctorCheck {
	if _, err := e.Host.Gateway(); err != nil {
		return failure("Open Mobius; it offers to restore a backup or to salvage.", "The database is not open: %s", wire.AsRejection(err).Message)
	}
	st := e.Store()
	answer, err := st.QuickCheck(ctx)
	if err != nil {
		return failure("", "The check did not run: %v.", err)
	}
	if answer != "ok" {
		return failure("Restart Mobius and restore the last backup.", "The database is damaged: %s.", answer)
	}
	wal := st.WALBytes()
	if wal > 256<<20 {
		return warning("Restart Mobius.", "The database is sound, but its log has grown to %d MiB.", wal>>20)
	}
	return ok("The database is sound (%d KiB, log %d KiB).", st.DatabaseBytes()>>10, wal>>10)
}

func keyStore(e *engine.Engine) wire.DoctorCheck {
	if _, err := e.Keys.Get("doctor"); err != nil {
		return failure("Unlock the key store, or set MOBIUS_KEYS=file.", "%s", wire.AsRejection(err).Message)
	}
	return ok("Keys are kept in %s.", e.Keys.Where())
}

// webview looks for the library that the window needs; nothing is loaded.
func webview() wire.DoctorCheck {
	if runtime.GOOS != "linux" {
		return ok("The system's own webview is used.")
	}
	for _, pattern := range []string{"/usr/lib/*/libwebkit2gtk-4.1.so.0", "/usr/lib/libwebkit2gtk-4.1.so.0", "/usr/lib64/libwebkit2gtk-4.1.so.0", "/usr/local/lib/libwebkit2gtk-4.1.so.0"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return ok("WebKitGTK 4.1 is installed (%s).", found[0])
		}
	}
	return warning("Install libwebkit2gtk-4.1-0 (Debian, Ubuntu), webkit2gtk4.1 (Fedora) or webkit2gtk-4.1 (Arch).", "WebKitGTK 4.1 was not found; the window cannot open, the page in a browser works.")
}

func display() wire.DoctorCheck {
	if runtime.GOOS != "linux" {
		return ok("There is a desktop.")
	}
	if d := os.Getenv("WAYLAND_DISPLAY"); d != "" {
		return ok("Wayland (%s).", d)
	}
	if d := os.Getenv("DISPLAY"); d != "" {
		return ok("X11 (%s).", d)
	}
	return warning("Run mobius serve and open the address in a browser.", "There is no display; no window can open here.")
}

// sandbox tells which parts for confining commands work here.
func sandbox(ctx context.Context) wire.DoctorCheck {
	if runtime.GOOS != "linux" {
		return result("skipped", "", "Checked on Linux only.")
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return warning("Install bubblewrap.", "bubblewrap is not installed. No tool of this version runs commands.")
	}
	cmd := exec.CommandContext(ctx, path, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "true")
	cmd.Env = []string{}
	if out, err := cmd.CombinedOutput(); err != nil {
		return warning("", "bubblewrap does not work here: %s", strings.TrimSpace(string(out)))
	}
	return ok("bubblewrap works.")
}

func ripgrep() wire.DoctorCheck {
	if path, err := exec.LookPath("rg"); err == nil {
		return ok("ripgrep is used (%s).", path)
	}
	return ok("ripgrep is not installed; the built-in search is used.")
}

func providers(e *engine.Engine) wire.DoctorCheck {
	list, err := e.Services.Providers.List()
	if err != nil {
		return failure("", "%s", wire.AsRejection(err).Message)
	}
	var names, bad []string
	for _, p := range list.Providers {
		test, err := e.Services.Providers.Test(wire.ProviderDraft{ID: p.ID, Kind: p.Kind, Name: p.Name, BaseURL: p.BaseURL})
		switch {
		case err != nil:
			bad = append(bad, p.Name+": "+wire.AsRejection(err).Message)
		case !test.OK:
			bad = append(bad, p.Name+": "+test.Message)
		default:
			names = append(names, p.Name)
		}
	}
	if len(bad) > 0 {
		return warning("Open the provider settings.", "%s", strings.Join(bad, " "))
	}
	return ok("%s: connected.", strings.Join(names, ", "))
}

func network() wire.DoctorCheck {
	var set []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE"} {
		if os.Getenv(name) != "" {
			set = append(set, name)
		}
	}
	if len(set) == 0 {
		return ok("No proxy is set.")
	}
	return ok("The environment sets %s.", strings.Join(set, ", "))
}
