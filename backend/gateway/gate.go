package gateway

import (
	"container/list"
	"context"
	"sync"
)

// gate is a reader/writer lock whose waiters can be cancelled. It is fair: whoever waits is served in order of arrival,
// so a writer is not starved by readers that keep coming, and readers that wait together enter together.
type gate struct {
	mu      sync.Mutex
	readers int
	writing bool
	queue   list.List // of *waiter
}

type waiter struct {
	exclusive bool
	ready     chan struct{}
}

// lock takes the gate exclusively.
func (g *gate) lock(ctx context.Context) error { return g.wait(ctx, true) }

// rlock takes the gate shared.
func (g *gate) rlock(ctx context.Context) error { return g.wait(ctx, false) }

// tryRLock takes the gate shared if that is possible at once. A waiting writer makes it fail.
func (g *gate) tryRLock() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writing || g.queue.Len() > 0 {
		return false
	}
	g.readers++
	return true
}

func (g *gate) unlock() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writing = false
	g.admit()
}

func (g *gate) runlock() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.readers--
	g.admit()
}

func (g *gate) wait(ctx context.Context, exclusive bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	w := &waiter{exclusive: exclusive, ready: make(chan struct{})}
	place := g.queue.PushBack(w)
	g.admit()
	g.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.ready: // admitted at the same moment: give it back
		if exclusive {
			g.writing = false
		} else {
			g.readers--
		}
	default:
		g.queue.Remove(place)
	}
	g.admit()
	return ctx.Err()
}

// admit lets in whoever is next, as many as may be in together.
func (g *gate) admit() {
	for front := g.queue.Front(); front != nil; front = g.queue.Front() {
		w := front.Value.(*waiter)
		if g.writing || w.exclusive && g.readers > 0 {
			return
		}
		g.queue.Remove(front)
		if w.exclusive {
			g.writing = true
		} else {
			g.readers++
		}
		close(w.ready)
	}
}
