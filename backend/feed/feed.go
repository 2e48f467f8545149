// Package feed carries what the engine publishes to its clients (the window, browser pages, scripts) as batches. An
// envelope is encoded once, whoever many clients there are. A client that falls behind is told to resynchronise; it never
// sees a gap, and it never slows the engine or other clients down.
package feed

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"mobius/backend/wire"
)

const (
	// backlogBytes and backlogItems bound what waits for one client.
	backlogBytes = 16 << 20
	backlogItems = 100_000
	// batchBytes is where a batch ends, so that one message stays digestible.
	batchBytes = 1 << 20
)

// ErrClosed ends a subscription.
var ErrClosed = errors.New("the feed is closed")

var resync = []byte(`{"kind":"` + wire.EnvelopeResync + `"}`)

// Feed fans envelopes out to subscriptions. It is safe for concurrent use.
type Feed struct {
	mu      sync.Mutex
	subs    map[*Subscription]struct{}
	watches map[string]map[string]struct{} // client → sessions; absent = all
	closed  bool
}

// New makes a feed without subscribers.
func New() *Feed {
	return &Feed{subs: map[*Subscription]struct{}{}, watches: map[string]map[string]struct{}{}}
}

// Subscription is one client's view of the feed.
type Subscription struct {
	feed   *Feed
	client string

	mu      sync.Mutex
	items   [][]byte
	bytes   int
	lost    bool
	closed  bool
	arrived chan struct{} // holds one token while something waits
}

// Subscribe begins to collect for a client; what was published before is not seen. Several subscriptions may share a
// client id, and with it the watched sessions.
func (f *Feed) Subscribe(client string) *Subscription {
	s := &Subscription{feed: f, client: client, arrived: make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		s.closed = true
		return s
	}
	f.subs[s] = struct{}{}
	return s
}

// Watch limits the session events that a client gets to the given sessions. Catalog changes always come.
func (f *Feed) Watch(client string, sessionIDs []string) {
	set := make(map[string]struct{}, len(sessionIDs))
	for _, id := range sessionIDs {
		set[id] = struct{}{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watches[client] = set
}

// Watched tells whether a connected client has named the session to Watch.
func (f *Feed) Watched(sessionID string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subs {
		if _, ok := f.watches[s.client][sessionID]; ok {
			return true
		}
	}
	return false
}

// Publish hands an envelope to every client that wants it. It does not wait.
func (f *Feed) Publish(e wire.Envelope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var encoded []byte
	for s := range f.subs {
		if watched, limited := f.watches[s.client]; limited && e.SessionID != "" {
			if _, ok := watched[e.SessionID]; !ok {
				continue
			}
		}
		if encoded == nil {
			var err error
			if encoded, err = json.Marshal(e); err != nil {
				return // wire records always encode; a broken one must not stop the engine
			}
		}
		s.add(encoded)
	}
}

// Close ends all subscriptions.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for s := range f.subs {
		s.end()
	}
	clear(f.subs)
}

func (s *Subscription) add(item []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		return
	}
	s.items = append(s.items, item)
	s.bytes += len(item)
	if s.bytes > backlogBytes || len(s.items) > backlogItems {
		s.items, s.bytes, s.lost = nil, 0, true
	}
	s.wake()
}

func (s *Subscription) wake() {
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

func (s *Subscription) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.wake()
}

// Next waits for what has been published and gives it as one JSON array of envelopes. A client that fell behind gets a
// batch with a single resync envelope, after which what is published from then on follows. It gives [ErrClosed] after
// Close, and ctx's error when ctx ends.
func (s *Subscription) Next(ctx context.Context) ([]byte, error) {
	for {
		if batch, err := s.take(); batch != nil || err != nil {
			return batch, err
		}
		select {
		case <-s.arrived:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Subscription) take() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost {
		s.lost = false
		return append(append([]byte{'['}, resync...), ']'), nil
	}
	if len(s.items) == 0 {
		if s.closed {
			return nil, ErrClosed
		}
		return nil, nil
	}
	size, n := 2, 0
	for n < len(s.items) && (n == 0 || size+len(s.items[n]) <= batchBytes) {
		size += len(s.items[n]) + 1
		n++
	}
	batch := append(make([]byte, 0, size), '[')
	for i, item := range s.items[:n] {
		if i > 0 {
			batch = append(batch, ',')
		}
		batch = append(batch, item...)
		s.bytes -= len(item)
	}
	if n == len(s.items) {
		s.items = s.items[:0]
	} else {
		s.items = s.items[n:]
		s.wake()
	}
	return append(batch, ']'), nil
}

// Close ends the subscription and, with the last one of its client, what the client watched.
func (s *Subscription) Close() {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	delete(s.feed.subs, s)
	s.end()
	for other := range s.feed.subs {
		if other.client == s.client {
			return
		}
	}
	delete(s.feed.watches, s.client)
}
