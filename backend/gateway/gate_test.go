package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// waiting gives how many wait at the gate.
func (g *gate) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue.Len()
}

// queued starts a waiter and returns when it stands in the queue.
func queued(g *gate, take func(context.Context) error, ctx context.Context) <-chan error {
	before := g.waiting()
	done := make(chan error, 1)
	go func() { done <- take(ctx) }()
	for g.waiting() == before {
	}
	return done
}

func TestAWriterIsAloneAndReadersAreTogether(t *testing.T) {
	var g gate
	var readers, writers atomic.Int64
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			for range 50 {
				if i%4 == 0 {
					require.NoError(t, g.lock(context.Background()))
					require.EqualValues(t, 1, writers.Add(1))
					require.Zero(t, readers.Load())
					writers.Add(-1)
					g.unlock()
				} else {
					require.NoError(t, g.rlock(context.Background()))
					readers.Add(1)
					require.Zero(t, writers.Load())
					readers.Add(-1)
					g.runlock()
				}
			}
		})
	}
	group.Wait()
}

func TestAWaitingWriterIsServedBeforeReadersThatCameLater(t *testing.T) {
	var g gate
	require.NoError(t, g.rlock(t.Context()))
	writer := queued(&g, g.lock, t.Context())
	require.False(t, g.tryRLock(), "a try-caller does not pass a waiting writer")
	reader := queued(&g, g.rlock, t.Context())
	g.runlock()
	require.NoError(t, <-writer)
	select {
	case <-reader:
		t.Fatal("the reader passed the writer")
	default:
	}
	g.unlock()
	require.NoError(t, <-reader)
	g.runlock()
}

func TestAWaiterCanBeCancelledAndLetsOthersIn(t *testing.T) {
	var g gate
	require.NoError(t, g.rlock(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	writer := queued(&g, g.lock, ctx)
	reader := queued(&g, g.rlock, t.Context())
	cancel()
	require.ErrorIs(t, <-writer, context.Canceled)
	require.NoError(t, <-reader)
	g.runlock()
	g.runlock()
	require.NoError(t, g.lock(t.Context()))
	g.unlock()
}

func TestATryCallerNeverWaits(t *testing.T) {
	var g gate
	require.NoError(t, g.lock(t.Context()))
	require.False(t, g.tryRLock())
	g.unlock()
	require.True(t, g.tryRLock())
	g.runlock()
}

func BenchmarkGate(b *testing.B) {
	var g gate
	ctx := context.Background()
	b.Run("try", func(b *testing.B) {
		for range b.N {
			g.tryRLock()
			g.runlock()
		}
	})
	b.Run("exclusive", func(b *testing.B) {
		for range b.N {
			_ = g.lock(ctx)
			g.unlock()
		}
	})
}
