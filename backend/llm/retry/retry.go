// Package retry decides whether and when a failed model request is sent again. All requests of one provider instance
// share a [Limiter]: when the provider says "too many requests" to one, the others wait too, and they come back spread
// out instead of together.
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
	// maxWait caps what a provider may ask to wait; beyond it the request fails and says so.
	maxWait = 5 * time.Minute
	// firstWait doubles with every attempt up to longestWait when the provider does not say how long to wait.
	firstWait   = 200 * time.Millisecond
	longestWait = 30 * time.Second
	// rateWait is the first wait after a 429 that does not say how long.
	rateWait = 2 * time.Second
)

// Clock is the time source.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Limiter holds requests back while a provider instance asked to wait. It is safe for concurrent use.
type Limiter struct {
	clock Clock
	mu    sync.Mutex
	until time.Time
}

// NewLimiter makes a limiter that holds nothing back.
func NewLimiter(clock Clock) *Limiter { return &Limiter{clock: clock} }

// block makes everyone wait until t.
func (l *Limiter) block(t time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.After(l.until) {
		l.until = t
	}
}

func (l *Limiter) blocked() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// Wait is why and until when a request waits. Err is nil when it waits for others' sake.
type Wait struct {
	Err     *llm.Error
	Attempt int // the attempt that failed, from 1
	Until   time.Time
}

// Do sends a request with send until it succeeds, fails for good, or ctx ends. It tells of every wait.
func (l *Limiter) Do(ctx context.Context, waiting func(Wait), send func(ctx context.Context, attempt int) error) error {
	for attempt := 1; ; attempt++ {
		if err := l.hold(ctx, waiting, attempt); err != nil {
			return err
		}
		err := send(ctx, attempt)
		var failed *llm.Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &failed) || !failed.Temporary() || attempt == MaxAttempts {
			return err
		}
		pause := wait(failed, attempt)
		if pause > maxWait {
			return err
		}
		until := l.clock.Now().Add(pause)
		if failed.Kind == llm.ErrRateLimited {
			l.block(until)
		}
		waiting(Wait{Err: failed, Attempt: attempt, Until: until})
		if err := l.sleep(ctx, until); err != nil {
			return err
		}
	}
}

// hold waits while the provider has asked others to. Who was held back comes in a little later than the one who was
// told, each at a moment of its own.
func (l *Limiter) hold(ctx context.Context, waiting func(Wait), attempt int) error {
	until := l.blocked()
	now := l.clock.Now()
	if !until.After(now) || attempt > 1 && until.Sub(now) < time.Millisecond {
		return ctx.Err()
	}
	until = until.Add(time.Duration(rand.Int64N(int64(250 * time.Millisecond))))
	waiting(Wait{Err: &llm.Error{Kind: llm.ErrRateLimited, Message: "the provider asked to wait"}, Attempt: attempt, Until: until})
	return l.sleep(ctx, until)
}

// wait is how long to pause after a failed attempt: what the provider said, plus a twentieth at most so that many do not
// come back at once; else a doubling pause.
func wait(failed *llm.Error, attempt int) time.Duration {
	if failed.RetryAfter > 0 {
		return failed.RetryAfter + time.Duration(rand.Int64N(int64(min(failed.RetryAfter/20, time.Second))+1))
	}
	first := firstWait
	if failed.Kind == llm.ErrRateLimited {
		first = rateWait
	}
	pause := min(first<<(attempt-1), longestWait)
	return pause - time.Duration(rand.Int64N(int64(pause)/5+1))
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
