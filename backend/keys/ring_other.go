//go:build !linux

package keys

import (
	"context"
	"errors"

	"github.com/zalando/go-keyring"
)

// State reads an entry: these systems have no way to look without it. One that asks for a password hangs meanwhile and
// is taken for locked.
func (r systemRing) State(ctx context.Context) (ringState, string) {
	done := make(chan error, 1)
	go func() {
		_, err := r.Get(service, probeEntry)
		done <- err
	}()
	select {
	case err := <-done:
		switch {
		case err == nil, errors.Is(err, keyring.ErrNotFound):
			return ringReady, ""
		case errors.Is(err, keyring.ErrUnsupportedPlatform):
			return ringAbsent, "this system has no key store"
		}
		return ringLocked, "the key store is locked"
	case <-ctx.Done():
		return ringLocked, "the key store is locked"
	}
}
