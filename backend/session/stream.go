package session

import (
	"encoding/json"
	"sync"
	"time"

	"mobius/backend/llm"
	"mobius/backend/wire"
)

const (
	// frameEvery keeps frames at no more than 60 a second.
	frameEvery = time.Second / 60
	// durableEvery leaves room below the promised 100 ms for the commit itself.
	durableEvery = 75 * time.Millisecond
	// frameBytes is when a frame goes out early, so that a fast stream is passed on as it comes.
	frameBytes = 32 << 10
)

// stream is the live side of a turn: what the running step has said so far. The turn's goroutine adds to it; timers
// and the actor read it. Its lock is held only for moments and never across storage or the network.
type stream struct {
	clock   Clock
	publish func(wire.Frame)
	keep    func(n int64, step, attempt int, deltas []wire.Delta) // appends to the partials

	mu        sync.Mutex
	n         int64 // of the last frame, over the session's resident life
	turn      string
	step      int
	attempt   int
	blocks    []liveBlock
	shown     []liveBlock // not yet in a frame
	kept      []liveBlock // not yet durable
	shownSize int
	lastFrame time.Time
	frameSet  bool // a timer will send a frame
	keepSet   bool
	keepN     int64
	wrote     bool // partial rows exist for this step
	running   []wire.Block
	retry     *wire.RetryNotice
	epoch     int // changes whenever what timers were set for is over
	stopped   bool
}

// liveBlock is a growing block, or a piece to append to one.
type liveBlock struct {
	index          int
	kind           string
	callID, name   string
	text           []byte
	began, touched time.Time
}

// beginTurn resets for a new turn.
func (s *stream) beginTurn(turn string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reset()
	s.turn, s.step, s.attempt, s.running, s.retry = turn, 0, 0, nil, nil
}

func (s *stream) reset() {
	s.epoch++
	s.blocks, s.shown, s.kept, s.shownSize = nil, nil, nil, 0
	s.frameSet, s.keepSet = false, false
}

// beginAttempt voids what the attempt before streamed. The first attempt of a step needs no frame of its own.
func (s *stream) beginAttempt(step, attempt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reset()
	s.step, s.attempt, s.running, s.retry = step, attempt, nil, nil
	if attempt > 1 {
		s.send(wire.Frame{Kind: wire.FrameAttempt})
	}
}

// send publishes a frame. The lock is held, so frames leave in the order of their numbers.
func (s *stream) send(f wire.Frame) {
	if s.stopped {
		return
	}
	s.n++
	f.N, f.TurnID, f.Step, f.Attempt = s.n, s.turn, s.step, s.attempt
	s.publish(f)
}

func (s *stream) add(p llm.Piece) {
	now := s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	first := p.Index >= len(s.blocks)
	for p.Index >= len(s.blocks) {
		s.blocks = append(s.blocks, liveBlock{index: len(s.blocks), kind: string(p.Kind), callID: p.CallID, name: p.Name, began: now})
	}
	b := &s.blocks[p.Index]
	b.text = append(b.text, p.Text...)
	b.touched = now
	piece := liveBlock{index: p.Index}
	if first {
		piece.kind, piece.callID, piece.name = b.kind, b.callID, b.name
	}
	s.shown = grow(s.shown, piece, p.Text)
	s.kept = grow(s.kept, piece, p.Text)
	s.shownSize += len(p.Text)
	s.schedule(now)
}

// grow appends text to the last piece if it is for the same block, else as a new piece.
func grow(pieces []liveBlock, piece liveBlock, text string) []liveBlock {
	if n := len(pieces); n == 0 || pieces[n-1].index != piece.index || piece.kind != "" {
		pieces = append(pieces, piece)
	}
	last := &pieces[len(pieces)-1]
	last.text = append(last.text, text...)
	return pieces
}

func (s *stream) schedule(now time.Time) {
	epoch := s.epoch
	if since := now.Sub(s.lastFrame); since >= frameEvery || since < 0 || s.shownSize >= frameBytes {
		s.flush(now)
	} else if !s.frameSet {
		s.frameSet = true
		s.clock.AfterFunc(frameEvery-since, func() { s.onFrame(epoch) })
	}
	if !s.keepSet {
		s.keepSet = true
		s.clock.AfterFunc(durableEvery, func() { s.onKeep(epoch) })
	}
}

func (s *stream) onFrame(epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch == epoch {
		s.frameSet = false
		s.flush(s.clock.Now())
	}
}

func (s *stream) onKeep(epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch == epoch {
		s.keepSet = false
		s.persist()
	}
}

func (s *stream) flush(now time.Time) {
	if len(s.shown) == 0 {
		return
	}
	s.lastFrame = now
	s.send(wire.Frame{Kind: wire.FrameDelta, Deltas: deltas(s.shown)})
	s.shown, s.shownSize = nil, 0
}

func (s *stream) persist() {
	if len(s.kept) == 0 {
		return
	}
	s.keepN++
	s.wrote = true
	s.keep(s.keepN, s.step, s.attempt, deltas(s.kept))
	s.kept = nil
}

func deltas(pieces []liveBlock) []wire.Delta {
	out := make([]wire.Delta, len(pieces))
	for i, p := range pieces {
		out[i] = wire.Delta{Index: p.index, Kind: p.kind, CallID: p.callID, Name: p.name, Text: string(p.text)}
	}
	return out
}

// endStep sends what was not shown yet and forgets the step, which is about to be journaled whole. It gives the time
// each reasoning block took, by index, and whether partial rows have to be removed.
func (s *stream) endStep() (durations map[int]int64, wrote bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(s.clock.Now())
	for _, b := range s.blocks {
		if b.kind == wire.BlockReasoning {
			if durations == nil {
				durations = map[int]int64{}
			}
			durations[b.index] = max(0, b.touched.Sub(b.began).Milliseconds())
		}
	}
	wrote = s.wrote
	s.reset()
	return durations, wrote
}

// removed says that the partial rows are gone. Until then every commit that ends a step tries to remove them.
func (s *stream) removed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote = false
}

func (s *stream) toolStarted(call llm.Block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := wire.Block{Kind: wire.BlockToolCall, CallID: call.CallID, Name: call.Name}
	s.running = append(s.running, b)
	s.send(wire.Frame{Kind: wire.FrameTool, Tool: &b})
}

func (s *stream) toolEnded(callID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, b := range s.running {
		if b.CallID == callID {
			s.running = append(s.running[:i:i], s.running[i+1:]...)
			return
		}
	}
}

func (s *stream) waiting(notice wire.RetryNotice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(s.clock.Now())
	s.retry = &notice
	s.send(wire.Frame{Kind: wire.FrameRetry, Retry: &notice})
}

// live gives what a client needs to draw the running step. Everything in it has also been sent in frames up to N.
func (s *stream) live() *wire.Live {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush(s.clock.Now())
	l := &wire.Live{TurnID: s.turn, Step: s.step, Attempt: s.attempt, N: s.n, Blocks: []wire.Block{}, Retry: s.retry}
	for _, b := range s.blocks {
		block := wire.Block{Kind: b.kind, CallID: b.callID, Name: b.name, Text: string(b.text)}
		if b.kind == wire.BlockToolCall {
			block.Text, block.Args = "", string(b.text)
		}
		l.Blocks = append(l.Blocks, block)
	}
	l.Running = append([]wire.Block(nil), s.running...)
	return l
}

// stop silences the stream for good: a turn whose session failed may still be ending while the session is loaded anew.
func (s *stream) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reset()
	s.stopped = true
}

// assemble joins deltas into blocks, as a client does.
func assemble(blocks []wire.Block, list []wire.Delta) []wire.Block {
	for _, d := range list {
		for d.Index >= len(blocks) {
			blocks = append(blocks, wire.Block{Kind: d.Kind, CallID: d.CallID, Name: d.Name})
		}
		b := &blocks[d.Index]
		if b.Kind == wire.BlockToolCall {
			b.Args += d.Text
		} else {
			b.Text += d.Text
		}
	}
	return blocks
}

func decodeDeltas(text string) ([]wire.Delta, error) {
	var list []wire.Delta
	err := json.Unmarshal([]byte(text), &list)
	return list, err
}
