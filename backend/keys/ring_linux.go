package keys

import (
	"context"
	"slices"

	"github.com/godbus/dbus/v5"
)

// The Secret Service interface, https://specifications.freedesktop.org/secret-service-spec/latest/
const (
	secretService  = "org.freedesktop.secrets"
	secretPath     = dbus.ObjectPath("/org/freedesktop/secrets")
	loginPath      = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	readAlias      = "org.freedesktop.Secret.Service.ReadAlias"
	lockedProperty = "org.freedesktop.Secret.Collection.Locked"
)

// State asks the session bus for a Secret Service and its default collection. It never starts a bus: the library that
// stores keys would start one of its own where there is none, in which nobody could find the keys again.
func (systemRing) State(ctx context.Context) (ringState, string) {
	type answer struct {
		state  ringState
		reason string
	}
	done := make(chan answer, 1)
	go func() {
		state, reason := secretState(ctx)
		done <- answer{state, reason}
	}()
	select {
	case a := <-done:
		return a.state, a.reason
	case <-ctx.Done():
		return ringAbsent, "the session bus does not answer"
	}
}

func secretState(ctx context.Context) (ringState, string) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	if err != nil {
		return ringAbsent, "there is no session bus"
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Auth(nil); err != nil {
		return ringAbsent, "the session bus does not accept this program"
	}
	if err := conn.Hello(); err != nil {
		return ringAbsent, "the session bus does not answer"
	}
	if !offered(ctx, conn) {
		return ringAbsent, "no program on this computer offers a key store"
	}
	// The library uses the collection "login" if there is one, else the default one.
	locked, err := conn.Object(secretService, loginPath).GetProperty(lockedProperty)
	if err != nil {
		var path dbus.ObjectPath
		if err := conn.Object(secretService, secretPath).CallWithContext(ctx, readAlias, 0, "default").Store(&path); err != nil {
			return ringAbsent, "the key store does not answer"
		}
		if path == "/" || path == "" {
			return ringAbsent, "the key store has not been set up"
		}
		if locked, err = conn.Object(secretService, path).GetProperty(lockedProperty); err != nil {
			return ringAbsent, "the key store does not answer"
		}
	}
	if is, ok := locked.Value().(bool); ok && is {
		return ringLocked, "the key store is locked"
	}
	return ringReady, ""
}

// offered tells whether a Secret Service runs or would be started when called.
func offered(ctx context.Context, conn *dbus.Conn) bool {
	for _, method := range []string{"org.freedesktop.DBus.ListNames", "org.freedesktop.DBus.ListActivatableNames"} {
		var names []string
		if err := conn.BusObject().CallWithContext(ctx, method, 0).Store(&names); err == nil && slices.Contains(names, secretService) {
			return true
		}
	}
	return false
}
