package diag

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"mobius/backend/api"
	"mobius/backend/engine"
	"mobius/backend/keys"
	"mobius/backend/wire"
)

const (
	// littleSpace is free space at which a warning is due, noSpace at which saving will soon fail.
	littleSpace = 1 << 30
	noSpace     = 100 << 20
	// largeLog is how far the database's log may grow before something keeps it from being folded in.
	largeLog = 256 << 20
)

// state checks that the state directory is private, can be written and has room.
func state(dir string) wire.DoctorCheck {
	const next = "Check the owner and permissions of the folder, or set MOBIUS_STATE_DIR to another one."
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return failure(next, "%s cannot be written: %v.", dir, err)
	}
	free, freeErr := freeBytes(dir)
	if freeErr == nil && free < noSpace {
		return failure("Free some space.", "%s can be written, but only %s are free.", dir, size(free))
	}
	if open := tooOpen(dir); len(open) > 0 {
		return warning("Take the rights of others away: chmod -R go= "+dir, "Others on this computer have rights on %s.", strings.Join(open, ", "))
	}
	switch {
	case freeErr != nil:
		return ok("%s can be written and is private.", dir)
	case free < littleSpace:
		return warning("Free some space.", "%s can be written, but only %s are free.", dir, size(free))
	}
	return ok("%s can be written and is private; %s are free.", dir, size(free))
}

// tooOpen lists what others may look into: the directory itself, or in it what guards nothing of its own.
func tooOpen(dir string) []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return nil // nobody gets past the directory
	}
	open := []string{dir}
	entries, _ := os.ReadDir(dir) // it was writable a moment ago
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().Perm()&0o077 != 0 && info.Mode().Type() != os.ModeSymlink {
			open = append(open, e.Name())
		}
	}
	return open
}

func size(bytes uint64) string {
	switch {
	case bytes >= 10<<30:
		return fmt.Sprintf("%d GiB", bytes>>30)
	case bytes >= 10<<20:
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// storage checks that the database is open and sound.
func storage(ctx context.Context, e *engine.Engine) wire.DoctorCheck {
	if _, err := e.Host.Gateway(); err != nil {
		return failure("Open Mobius; it offers to restore a backup or to salvage.", "The database is not open. %s", wire.AsRejection(err).Message)
	}
	st := e.Store()
	answer, err := st.QuickCheck(ctx)
	if err != nil {
		return failure("Try again in a moment.", "The database could not be checked: %v.", err)
	}
	if answer != "ok" {
		return failure("Restart Mobius and restore the last backup.", "The database is damaged: %s.", answer)
	}
	var version int
	if err := st.Reader().QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return failure("Try again in a moment.", "The database could not be read: %v.", err)
	}
	log := st.WALBytes()
	if log > largeLog {
		return warning("Restart Mobius.", "The database is sound, but its log has grown to %s.", size(uint64(log)))
	}
	return ok("The database is sound (schema %d, %s and %s of log).", version, size(uint64(st.DatabaseBytes())), size(uint64(max(0, log))))
}

// keyStore checks that keys can be read.
func keyStore(k *keys.Store) wire.DoctorCheck {
	if _, err := k.Get("doctor"); err != nil {
		return failure("Unlock it, or set MOBIUS_KEYS=file to keep keys in an encrypted file.", "%s", wire.AsRejection(err).Message)
	}
	return ok("Keys are kept in %s.", k.Where())
}

// providers tries the connection of every provider, all at the same time.
func providers(ctx context.Context, service *api.Providers) wire.DoctorCheck {
	list, err := service.List()
	if err != nil {
		return failure("", "The providers could not be read. %s", wire.AsRejection(err).Message)
	}
	if len(list.Providers) == 0 {
		return warning("Set one up in the settings.", "No provider is set up.")
	}
	good, bad := make([]string, len(list.Providers)), make([]string, len(list.Providers))
	var group sync.WaitGroup
	for i, p := range list.Providers {
		group.Go(func() {
			test, err := service.Test(wire.ProviderDraft{ID: p.ID, Kind: p.Kind, Name: p.Name, BaseURL: p.BaseURL})
			switch {
			case err != nil:
				bad[i] = p.Name + ": " + wire.AsRejection(err).Message
			case !test.OK:
				bad[i] = p.Name + ": " + test.Message
			default:
				good[i] = fmt.Sprintf("%s (%d models, %d ms)", p.Name, test.Models, test.LatencyMS)
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		return failure("Check the network and the addresses of the providers.", "The providers did not answer in time.")
	}
	empty := func(s string) bool { return s == "" }
	good, bad = slices.DeleteFunc(good, empty), slices.DeleteFunc(bad, empty)
	if len(bad) == 0 {
		return ok("Connected: %s.", strings.Join(good, ", "))
	}
	if len(good) > 0 {
		bad = append(bad, "Connected: "+strings.Join(good, ", ")+".")
	}
	return warning("Open the provider settings.", "%s", strings.Join(bad, " "))
}

// network tells what of the environment changes connections. Passwords in it are redacted as in any text.
func network() wire.DoctorCheck {
	var set []string
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value := os.Getenv(name); value != "" {
			set = append(set, name+"="+value)
		}
	}
	if len(set) == 0 {
		return ok("No proxy and no certificates of one's own are set.")
	}
	return ok("The environment sets %s.", strings.Join(set, ", "))
}

// clock checks what schedules and secure connections depend on.
func clock(dir string, now time.Time) wire.DoctorCheck {
	const next = "Set the computer's clock, or let it be set from the network."
	zone, offset := now.Zone()
	if now.Year() < 2025 {
		return failure(next, "The clock says %s, which cannot be.", now.Format(time.DateOnly))
	}
	if info, err := os.Stat(filepath.Join(dir, "mobius.db")); err == nil && info.ModTime().Sub(now) > time.Hour {
		return warning(next, "The clock says %s, but the database was written at %s.", now.Format(time.RFC3339), info.ModTime().Format(time.RFC3339))
	}
	name := now.Location().String()
	if name == "Local" {
		name = zone
	}
	return ok("%s, zone %s (UTC%+03d:%02d).", now.Format("2006-01-02 15:04"), name, offset/3600, abs(offset)%3600/60)
}

func abs(n int) int { return max(n, -n) }
