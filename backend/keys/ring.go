package keys

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

const (
	service = "mobius"
	// probeEntry is read to learn whether the key store answers.
	probeEntry = "mobius-probe"
	// ringLimit is how long the key store may take: without a desktop the bus may not answer at all.
	ringLimit = 3 * time.Second
)

// ringState is how the operating system's key store is.
type ringState int

const (
	ringUnknown ringState = iota
	ringAbsent            // there is none, or it does not answer
	ringLocked            // it is there and has to be unlocked by the person
	ringReady
)

// ring is the operating system's key store.
type ring interface {
	// State looks without changing anything or asking anybody; reason says in words why it is absent.
	State(ctx context.Context) (state ringState, reason string)
	Get(service, user string) (string, error)
	Set(service, user, password string) error
	Delete(service, user string) error
}

// systemRing is the real one; State is in a file for each system.
type systemRing struct{}

func (systemRing) Get(s, u string) (string, error) { return keyring.Get(s, u) }
func (systemRing) Set(s, u, p string) error        { return keyring.Set(s, u, p) }
func (systemRing) Delete(s, u string) error        { return keyring.Delete(s, u) }

var errNoAnswer = errors.New("the key store of the operating system does not answer")

// pending is a call that may hang. At most one is under way, so that a key store that never answers costs one goroutine.
type pending struct{ busy atomic.Bool }

func (p *pending) is() bool { return p.busy.Load() }

// limited waits for a call, but no longer than ringLimit. A call that hangs is left behind.
func (p *pending) limited(call func() (string, error)) (string, error) {
	if !p.busy.CompareAndSwap(false, true) {
		return "", errNoAnswer
	}
	type result struct {
		value string
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := call()
		p.busy.Store(false)
		done <- result{v, err}
	}()
	timer := time.NewTimer(ringLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-timer.C:
		return "", errNoAnswer
	}
}
