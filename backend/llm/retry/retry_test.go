package retry

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/llm"
)

// clock is the time of a synctest bubble, which only passes while everyone waits.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

func fail(kind llm.ErrorKind, after time.Duration) *llm.Error {
	return &llm.Error{Kind: kind, Message: string(kind), RetryAfter: after}
}

// run sends a request that fails with these errors, then succeeds.
func run(t *testing.T, l *Limiter, fails ...error) (took time.Duration, attempts int, waits []llm.Wait, err error) {
	t.Helper()
	began := time.Now()
	err = l.Do(t.Context(), func(w llm.Wait) { waits = append(waits, w) }, func(_ context.Context, attempt int) error {
		attempts++
		require.Equal(t, attempts, attempt)
		if attempt <= len(fails) {
			return fails[attempt-1]
		}
		return nil
	})
	return time.Since(began), attempts, waits, err
}

func TestHowLongFailuresTake(t *testing.T) {
	for _, c := range []struct {
		name        string
		fails       []error
		least, most time.Duration
	}{
		{"nothing", nil, 0, 0},
		{"twice 429 with Retry-After 1", []error{fail(llm.ErrRateLimited, time.Second), fail(llm.ErrRateLimited, time.Second)}, 2 * time.Second, 2100 * time.Millisecond},
		{"twice 500 or 529", []error{fail(llm.ErrOverloaded, 0), fail(llm.ErrOverloaded, 0)}, 400 * time.Millisecond, 700 * time.Millisecond},
		{"a drop in mid-answer", []error{fail(llm.ErrDropped, 0)}, 100 * time.Millisecond, 300 * time.Millisecond},
		{"529 that says how long", []error{fail(llm.ErrOverloaded, 3*time.Second)}, 3 * time.Second, 3100 * time.Millisecond},
		{"429 that does not say how long", []error{fail(llm.ErrRateLimited, 0)}, 1500 * time.Millisecond, 2100 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, attempts, _, err := run(t, NewLimiter(clock{}), c.fails...)
				require.NoError(t, err)
				assert.Equal(t, len(c.fails)+1, attempts)
				assert.GreaterOrEqual(t, took, c.least)
				assert.LessOrEqual(t, took, c.most)
			})
		})
	}
}

func TestWhatIsNotTriedAgain(t *testing.T) {
	for _, kind := range []llm.ErrorKind{llm.ErrKeyInvalid, llm.ErrForbidden, llm.ErrNotFound, llm.ErrContextLimit, llm.ErrTooLarge, llm.ErrRefused} {
		synctest.Test(t, func(t *testing.T) {
			_, attempts, waits, err := run(t, NewLimiter(clock{}), fail(kind, time.Second))
			require.Error(t, err)
			assert.Equal(t, 1, attempts, kind)
			assert.Empty(t, waits)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		other := errors.New("the disk is full")
		_, attempts, _, err := run(t, NewLimiter(clock{}), other)
		require.ErrorIs(t, err, other)
		assert.Equal(t, 1, attempts)
	})
}

func TestAttemptsAreBounded(t *testing.T) {
	for kind, want := range map[llm.ErrorKind]int{llm.ErrOverloaded: MaxAttempts, llm.ErrRateLimited: MaxAttempts, llm.ErrDropped: MaxAttempts, llm.ErrUnreachable: 3, llm.ErrSilent: 2, llm.ErrMalformed: 2, llm.ErrEmpty: 3} {
		synctest.Test(t, func(t *testing.T) {
			fails := make([]error, 20)
			for i := range fails {
				fails[i] = fail(kind, 0)
			}
			_, attempts, _, err := run(t, NewLimiter(clock{}), fails...)
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, kind, e.Kind)
			assert.Equal(t, want, attempts, kind)
		})
	}
}

func TestAWaitBeyondTheCapFailsAtOnceAndSaysHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took, attempts, _, err := run(t, NewLimiter(clock{}), fail(llm.ErrRateLimited, time.Hour))
		var e *llm.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, time.Hour, e.RetryAfter)
		assert.Equal(t, 1, attempts)
		assert.Zero(t, took)
	})
}

func TestWaitsAreToldWithTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, _, waits, err := run(t, NewLimiter(clock{}), fail(llm.ErrRateLimited, 12*time.Second), fail(llm.ErrOverloaded, time.Second))
		require.NoError(t, err)
		require.Len(t, waits, 2)
		assert.Equal(t, llm.ErrRateLimited, waits[0].Err.Kind)
		assert.Equal(t, 1, waits[0].Attempt)
		assert.WithinDuration(t, began.Add(12*time.Second), waits[0].Until, jitter)
		assert.Equal(t, llm.ErrOverloaded, waits[1].Err.Kind)
		assert.Equal(t, 2, waits[1].Attempt)
	})
}

func TestAWaitCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		err := NewLimiter(clock{}).Do(ctx, func(llm.Wait) {}, func(context.Context, int) error { return fail(llm.ErrRateLimited, time.Minute) })
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

func TestCallersThatHitALimitTogetherDoNotComeBackTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers = 10
		l := NewLimiter(clock{})
		began := time.Now()
		var mu sync.Mutex
		var again []time.Duration
		var group, together sync.WaitGroup
		together.Add(callers)
		for range callers {
			group.Go(func() {
				err := l.Do(t.Context(), func(llm.Wait) {}, func(_ context.Context, attempt int) error {
					if attempt == 1 {
						together.Done()
						together.Wait()
						return fail(llm.ErrRateLimited, time.Second)
					}
					mu.Lock()
					defer mu.Unlock()
					again = append(again, time.Since(began))
					return nil
				})
				assert.NoError(t, err)
			})
		}
		group.Wait()

		require.Len(t, again, callers)
		for i := range again {
			assert.GreaterOrEqual(t, again[i], time.Second)
			if i > 0 {
				assert.GreaterOrEqual(t, again[i]-again[i-1], spacing)
			}
		}
		assert.Less(t, again[callers-1], 2*time.Second)
	})
}

func TestOthersWaitWhileTheProviderIsBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(clock{})
		began := time.Now()
		go func() {
			_ = l.Do(t.Context(), func(llm.Wait) {}, func(_ context.Context, attempt int) error {
				if attempt == 1 {
					return fail(llm.ErrRateLimited, 10*time.Second)
				}
				return nil
			})
		}()
		synctest.Wait()

		_, attempts, waits, err := run(t, l)

		require.NoError(t, err)
		assert.Equal(t, 1, attempts)
		assert.GreaterOrEqual(t, time.Since(began), 10*time.Second)
		require.Len(t, waits, 1, "the person sees why nothing happens")
		assert.Equal(t, llm.ErrRateLimited, waits[0].Err.Kind)
	})
}

func TestABlockThatIsExtendedMeanwhileHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(clock{})
		began := time.Now()
		l.block(began.Add(time.Second))
		time.AfterFunc(500*time.Millisecond, func() { l.block(began.Add(4 * time.Second)) })

		_, _, waits, err := run(t, l)

		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(began), 4*time.Second)
		assert.Len(t, waits, 2)
	})
}
