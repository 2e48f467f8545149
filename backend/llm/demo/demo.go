// Package demo is the built-in offline model. It needs no key and no network, and it is no AI: it knows a few dozen
// kinds of plain request, in English and German, and says so. What it does with them is real, however: it streams, it
// reasons, it calls the tools that a request offers and tells what they gave, and it fails in all the ways that a
// provider can, so that a newcomer and a test can try every part of the program.
//
// It is deterministic: the same conversation gets the same answer. The one thing that it remembers between requests is
// how often "fail twice with 429" has failed.
package demo

import (
	"context"
	"strings"
	"sync"
	"time"

	"mobius/backend/llm"
)

// The ids of the models.
const (
	ID     = "demo"      // speaks at a reading pace
	FastID = "demo-fast" // speaks without pauses
)

// Pace is the usual pause between two pieces, which makes about a hundred pieces a second.
const Pace = 10 * time.Millisecond

// titleMark is in the instructions of a request for a title.
const titleMark = "title for this conversation"

// bytesPerToken is what a token is taken to be for the estimated usage.
const bytesPerToken = 4

// Model is the offline model. It implements llm.Model.
type Model struct {
	id   string
	pace time.Duration
	wait func(ctx context.Context, d time.Duration) error

	mu       sync.Mutex
	failures map[string]int // requests that have failed on purpose, by what they were
}

// New makes the model with this id; an unknown one is as [ID].
func New(id string) llm.Model {
	if strings.HasSuffix(id, "-fast") {
		return NewPaced(id, 0, nil)
	}
	return NewPaced(id, Pace, wait)
}

// NewPaced makes a model that calls wait between its pieces. With a pace of 0 it never waits.
func NewPaced(id string, pace time.Duration, wait func(ctx context.Context, d time.Duration) error) *Model {
	return &Model{id: id, pace: pace, wait: wait, failures: map[string]int{}}
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	v := &voice{ctx: ctx, model: m, builder: llm.NewBuilder(emit), left: -1}
	if req.MaxOutput > 0 {
		v.left = int(min(req.MaxOutput, 1<<40)) * bytesPerToken
	}
	if err := m.answer(v, req); err != nil && !v.cut {
		return nil, err
	}
	finish := llm.FinishStop
	switch {
	case v.cut:
		finish = llm.FinishLength
	case v.builder.HasCalls():
		finish = llm.FinishToolCalls
	}
	blocks := v.builder.Blocks()
	return &llm.Answer{Blocks: blocks, Finish: finish, Model: m.id, Usage: usage(req, blocks)}, nil
}

// answer says what there is to say to a request.
func (m *Model) answer(v *voice, req *llm.Request) error {
	if err := v.ctx.Err(); err != nil {
		return context.Cause(v.ctx)
	}
	if strings.Contains(req.System, titleMark) {
		return v.say(llm.Text, titleOf(lastText(req.Messages, llm.RoleUser)))
	}
	c := listen(req)
	return c.reply(v)
}

// usage estimates the tokens from the length of the texts. They cost nothing.
func usage(req *llm.Request, blocks []llm.Block) llm.Usage {
	heard := len(req.System)
	for _, t := range req.Tools {
		heard += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, message := range req.Messages {
		for _, b := range message.Blocks {
			heard += len(b.Text) + len(b.Args) + len(b.Name)
		}
	}
	said, thought := 0, 0
	for _, b := range blocks {
		said += len(b.Text) + len(b.Args) + len(b.Name)
		if b.Kind == llm.Reasoning {
			thought += len(b.Text)
		}
	}
	return llm.Usage{Input: tokens(heard), Output: tokens(said), Reasoning: tokens(thought)}
}

func tokens(bytes int) int64 { return int64((bytes + bytesPerToken - 1) / bytesPerToken) }
