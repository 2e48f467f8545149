// Package retry decides whether and when a failed model request is sent again. All requests of one provider instance
// share a [Limiter]: when the provider says "too many requests" to one, the others wait too, and they come back one after
// the other instead of together.
package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"mobius/backend/llm"
)

// The bounds of retrying.
const (
	// MaxAttempts is how often one request is sent at most.
	MaxAttempts = 6
	// MaxWait caps what a provider may ask to wait; beyond it the request fails at once and its error says how long.
	MaxWait = 5 * time.Minute
	// firstWait doubles with every attempt up to longestWait when the provider does not say how long to wait.
	firstWait   = 200 * time.Millisecond
	longestWait = 30 * time.Second
	// rateWait is the first wait after a 429 that does not say how long.
	rateWait = 2 * time.Second
	// spacing is the time between two requests that a limiter lets go after a wait, jitter what is added at random.
	spacing = 50 * time.Millisecond
	jitter  = 20 * time.Millisecond
	// shown is the shortest wait that is told: nobody reads a countdown of less.
	shown = 250 * time.Millisecond
)

// failures is how many failures of a kind a request may have when it is less than MaxAttempts-1: trying again helps with
// a hiccup, not with a wrong address, and a silent server has already cost a minute.
var failures = map[llm.ErrorKind]int{llm.ErrUnreachable: 3, llm.ErrSilent: 2, llm.ErrMalformed: 2, llm.ErrEmpty: 3}

// Clock is the time source.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Limiter holds requests back while a provider instance asked to wait. It is safe for concurrent use.
type Limiter struct {
	clock Clock

	mu    sync.Mutex
	until time.Time // the provider asked to wait until then
	next  time.Time // the next request goes then
}

// NewLimiter makes a limiter that holds nothing back.
func NewLimiter(clock Clock) *Limiter { return &Limiter{clock: clock} }

// Do sends a request with send until it succeeds, fails for good, or ctx ends. It tells waiting of every wait that is
// long enough to be seen. The error is that of the last attempt, or ctx's.
func (l *Limiter) Do(ctx context.Context, waiting func(llm.Wait), send func(ctx context.Context, attempt int) error) error {
	if err := l.pass(ctx, waiting, llm.Wait{Err: asked(), Attempt: 1}); err != nil {
		return err
	}
	failed := map[llm.ErrorKind]int{}
	for attempt := 1; ; attempt++ {
		err := send(ctx, attempt)
		var e *llm.Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &e) || !e.Temporary() || attempt == MaxAttempts {
			return err
		}
		failed[e.Kind]++
		if most := failures[e.Kind]; most > 0 && failed[e.Kind] >= most {
			return err
		}
		pause := pause(e, failed[e.Kind])
		if pause > MaxWait {
			return err
		}
		until := l.clock.Now().Add(pause)
		if e.Kind == llm.ErrRateLimited {
			l.block(until)
		} else {
			tell(waiting, llm.Wait{Err: e, Attempt: attempt, Until: until}, pause)
			if err := l.sleep(ctx, until); err != nil {
				return err
			}
			e = asked() // from here on, it could only be others that it waits for
		}
		if err := l.pass(ctx, waiting, llm.Wait{Err: e, Attempt: attempt}); err != nil {
			return err
		}
	}
}

// asked is why a request waits that was not refused itself.
func asked() *llm.Error {
	return &llm.Error{Kind: llm.ErrRateLimited, Message: "the provider asked to wait"}
}

func tell(waiting func(llm.Wait), w llm.Wait, pause time.Duration) {
	if pause >= shown {
		waiting(w)
	}
}

// block makes everyone wait until t.
func (l *Limiter) block(t time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.After(l.until) {
		l.until = t
	}
	if l.until.After(l.next) {
		l.next = l.until
	}
}

// slot gives the time at which a request may go. wait is false when that is now.
func (l *Limiter) slot() (at time.Time, wait bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	if !l.next.After(now) {
		return now, false
	}
	at = l.next.Add(rand.N(jitter))
	l.next = at.Add(spacing)
	return at, true
}

func (l *Limiter) blocked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until.After(l.clock.Now())
}

// pass waits for the request's turn. When it has come, the provider may meanwhile have asked another to wait.
func (l *Limiter) pass(ctx context.Context, waiting func(llm.Wait), w llm.Wait) error {
	for at, wait := l.slot(); wait; at, wait = l.slot() {
		w.Until = at
		tell(waiting, w, at.Sub(l.clock.Now()))
		if err := l.sleep(ctx, at); err != nil {
			return err
		}
		if !l.blocked() {
			break
		}
	}
	return ctx.Err()
}

// pause is how long to wait after the n-th failure of a kind: what the provider said, else a doubling pause of which a
// fifth is random.
func pause(e *llm.Error, n int) time.Duration {
	if e.RetryAfter > 0 {
		return e.RetryAfter
	}
	first := firstWait
	if e.Kind == llm.ErrRateLimited {
		first = rateWait
	}
	d := min(first<<(n-1), longestWait)
	return d - rand.N(d/5)
}

func (l *Limiter) sleep(ctx context.Context, until time.Time) error {
	done := make(chan struct{})
	stop := l.clock.AfterFunc(until.Sub(l.clock.Now()), func() { close(done) })
	defer stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
