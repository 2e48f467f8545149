package diag

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"mobius/backend/api"
	"mobius/backend/engine"
	"mobius/backend/wire"
)

// checkLimit is how long one check may take. All run at the same time, so the report takes no longer.
const checkLimit = 15 * time.Second

// The status of a check.
const (
	statusOK      = "ok"
	statusWarning = "warning"
	statusError   = "error"
	statusSkipped = "skipped"
)

// Check is one check of the doctor. Run gives status, message and what to do next; the rest is filled in.
type Check struct {
	ID   string
	Name string
	Run  func(ctx context.Context) wire.DoctorCheck
}

func result(status, next, format string, args ...any) wire.DoctorCheck {
	return wire.DoctorCheck{Status: status, Message: fmt.Sprintf(format, args...), Next: next}
}

func ok(format string, args ...any) wire.DoctorCheck { return result(statusOK, "", format, args...) }

func warning(next, format string, args ...any) wire.DoctorCheck {
	return result(statusWarning, next, format, args...)
}

func failure(next, format string, args ...any) wire.DoctorCheck {
	return result(statusError, next, format, args...)
}

func skipped(format string, args ...any) wire.DoctorCheck {
	return result(statusSkipped, "", format, args...)
}

// Doctor makes the checks of an engine and of the machine that it runs on.
func (r *Redactor) Doctor(e *engine.Engine) api.Doctor {
	checks := []Check{
		{"state", "State directory", func(context.Context) wire.DoctorCheck { return state(e.StateDir) }},
		{"storage", "Storage", func(ctx context.Context) wire.DoctorCheck { return storage(ctx, e) }},
		{"keys", "Key store", func(context.Context) wire.DoctorCheck { return keyStore(e.Keys) }},
		{"providers", "Providers", func(ctx context.Context) wire.DoctorCheck { return providers(ctx, e.Services.Providers) }},
		{"webview", "Webview", func(context.Context) wire.DoctorCheck { return webview() }},
		{"display", "Display", func(context.Context) wire.DoctorCheck { return display() }},
		{"sandbox", "Sandbox", sandbox},
		{"search", "Search in files", ripgrep},
		{"network", "Network settings", func(context.Context) wire.DoctorCheck { return network() }},
		{"clock", "Clock and time zone", func(context.Context) wire.DoctorCheck { return clock(e.StateDir, time.Now()) }},
	}
	return func(ctx context.Context) wire.DoctorReport { return r.Examine(ctx, e.Host.Info, checks, time.Now()) }
}

// Examine runs checks side by side, each within a limit, and writes the report. Secrets are taken out of all of it.
func (r *Redactor) Examine(ctx context.Context, info wire.SystemInfo, checks []Check, now time.Time) wire.DoctorReport {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	report := wire.DoctorReport{At: now.UnixMilli(), Checks: make([]wire.DoctorCheck, len(checks))}
	var group sync.WaitGroup
	for i, c := range checks {
		group.Go(func() {
			answer := guarded(ctx, c)
			answer.ID, answer.Name = c.ID, c.Name
			answer.Message, answer.Next = r.Redact(answer.Message), r.Redact(answer.Next)
			report.Checks[i] = answer
		})
	}
	group.Wait()
	report.Text = r.text(info, report, now)
	return report
}

// guarded keeps one check that panics or hangs from taking the report with it. One that hangs is left behind.
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
func (r *Redactor) text(info wire.SystemInfo, report wire.DoctorReport, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Mobius %s (%s), %s/%s, %s\nState directory: %s\n\n", info.Version, info.Shell, runtime.GOOS, runtime.GOARCH, now.UTC().Format(time.RFC3339), info.StateDir)
	for _, c := range report.Checks {
		fmt.Fprintf(&b, "[%-7s] %s: %s\n", c.Status, c.Name, c.Message)
		if c.Next != "" {
			fmt.Fprintf(&b, "          → %s\n", c.Next)
		}
	}
	return shortenHome(r.Redact(b.String()), info.Home)
}

// shortenHome writes ~ for the home folder, which often holds a person's name.
func shortenHome(text, home string) string {
	if len(home) < 2 {
		return text
	}
	return regexp.MustCompile(regexp.QuoteMeta(home)+`([^\w.-]|$)`).ReplaceAllString(text, "~$1")
}
