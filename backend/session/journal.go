package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/store"
	"mobius/backend/wire"
)

// eventID is the key of an event's row: a session's events are one range.
func eventID(session, seq int64) int64 { return session<<32 | seq }

func seqOf(id int64) int64 { return id & (1<<32 - 1) }

// TurnID names the turn whose turn.started has this sequence; "" for 0.
func TurnID(seq int64) string {
	if seq == 0 {
		return ""
	}
	return "t" + strconv.FormatInt(seq, 10)
}

// record is an event about to be journaled.
type record struct {
	event wire.Event
	turn  int64    // seq of its turn's turn.started; for a turn.started itself 0, it names itself
	meta  []string // per block of a step, what the provider wants back
}

// payload is what the data column holds: an event without the members that have columns of their own.
func payload(e wire.Event) ([]byte, error) {
	b, err := json.Marshal(struct {
		Message *wire.Message        `json:"message,omitempty"`
		Step    *wire.Step           `json:"step,omitempty"`
		Tool    *wire.ToolResult     `json:"tool,omitempty"`
		Outcome *wire.Outcome        `json:"outcome,omitempty"`
		Queue   []wire.QueuedMessage `json:"queue,omitempty"`
		Notice  *wire.Notice         `json:"notice,omitempty"`
	}{e.Message, e.Step, e.Tool, e.Outcome, e.Queue, e.Notice})
	if err != nil {
		return nil, fmt.Errorf("encode a %s event: %w", e.Kind, err)
	}
	return b, nil
}

// stored is the event of a row. Its members stay as they are stored until somebody needs them ([wire.Event.Decoded]):
// clients get them as they are.
func stored(id, at int64, kind string, turn int64, data string) wire.Event {
	return wire.Event{Seq: seqOf(id), At: at, Kind: wire.EventKind(kind), TurnID: TurnID(turn), Stored: data}
}

func encodeMeta(meta []string) (sql.NullString, error) {
	if strings.Join(meta, "") == "" {
		return sql.NullString{}, nil
	}
	b, err := json.Marshal(meta)
	return sql.NullString{String: string(b), Valid: true}, err
}

// toWire gives the blocks of an answer as they are journaled, and apart from them what the provider wants back.
func toWire(blocks []llm.Block, durations map[int]int64) (out []wire.Block, meta []string) {
	out, meta = make([]wire.Block, len(blocks)), make([]string, len(blocks))
	for i, b := range blocks {
		out[i] = wire.Block{Kind: string(b.Kind), Text: b.Text, CallID: b.CallID, Name: b.Name, Args: b.Args, DurationMS: durations[i]}
		meta[i] = b.Meta
	}
	return out, meta
}

// fold rebuilds the model's context from the journal.
type fold struct {
	messages []*llm.Message
	results  *llm.Message // the tool message being filled
}

func (f *fold) add(e wire.Event, meta string) error {
	if e.Kind != wire.EventToolCompleted {
		f.results = nil
	}
	switch e.Kind {
	case wire.EventTurnStarted, wire.EventMessageSteered:
		if e.Message != nil {
			f.messages = append(f.messages, userMessage(*e.Message))
		}
	case wire.EventStepCompleted:
		if e.Step == nil {
			return fmt.Errorf("event %d has no step", e.Seq)
		}
		m, err := assistantMessage(e.Step, meta)
		if err != nil {
			return err
		}
		f.messages = append(f.messages, m)
	case wire.EventToolCompleted:
		if e.Tool == nil {
			return fmt.Errorf("event %d has no tool result", e.Seq)
		}
		if f.results == nil {
			f.results = llm.NewMessage(llm.RoleTool)
			f.messages = append(f.messages, f.results)
		}
		f.results.Blocks = append(f.results.Blocks, llm.Block{
			Kind: llm.ToolResult, CallID: e.Tool.CallID, Name: e.Tool.Name, Text: e.Tool.Output, IsError: e.Tool.Status != "ok",
		})
	}
	return nil
}

func userMessage(m wire.Message) *llm.Message {
	text := m.Text
	if m.Author == "peer" {
		// A peer never speaks with the person's authority; the model must be able to tell.
		text = "[From another Bot, not from the user]\n" + text
	}
	return llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: text})
}

func assistantMessage(step *wire.Step, meta string) (*llm.Message, error) {
	var metas []string
	if meta != "" {
		if err := json.Unmarshal([]byte(meta), &metas); err != nil {
			return nil, fmt.Errorf("decode provider metadata: %w", err)
		}
	}
	m := llm.NewMessage(llm.RoleAssistant)
	for i, b := range step.Blocks {
		block := llm.Block{Kind: llm.BlockKind(b.Kind), Text: b.Text, CallID: b.CallID, Name: b.Name, Args: b.Args}
		if i < len(metas) {
			block.Meta = metas[i]
		}
		m.Blocks = append(m.Blocks, block)
	}
	return m, nil
}

// History reads the model's context of a session up to a sequence.
func History(ctx context.Context, st *store.Store, n, last int64) ([]*llm.Message, error) {
	var f fold
	start := int64(0)
	head, err := st.Read().GetContext(ctx, n)
	switch {
	case err == nil:
		start = head.StartSeq
		if head.Head != "" {
			f.messages = append(f.messages, llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: head.Head}))
		}
	case !errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("read the context: %w", err)
	}
	rows, err := st.Read().ListContextEvents(ctx, eventID(n, start), eventID(n, last))
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	expected := start
	for _, r := range rows {
		expected++
		if seqOf(r.ID) != expected {
			return nil, fmt.Errorf("the journal has a gap at %d", expected)
		}
		e, err := stored(r.ID, r.At, r.Kind, r.Turn, r.Data).Decoded()
		if err != nil {
			return nil, err
		}
		if err := f.add(e, r.Meta.String); err != nil {
			return nil, err
		}
	}
	if expected != last && start <= last {
		return nil, fmt.Errorf("the journal ends at %d, its checkpoint says %d", expected, last)
	}
	return f.messages, nil
}

// ErrReplayUnavailable says that a cursor is not in the journal.
var ErrReplayUnavailable = errors.New("the cursor is outside the journal")

const (
	defaultTurns = 30
	maxTurns     = 2000
	// replayLimit bounds what a cursor may lag behind before the client has to open anew.
	replayLimit = 20_000
	// pageBytes bounds a page, and what is sent after a cursor, in bytes of stored events.
	pageBytes = 8 << 20
)

// NewestPage reads the newest whole turns up to last.
func NewestPage(ctx context.Context, st *store.Store, n, last int64, turns int) (*wire.EventPage, error) {
	return PageBefore(ctx, st, n, last+1, last, turns)
}

// PageBefore reads the whole turns that end before a sequence.
func PageBefore(ctx context.Context, st *store.Store, n, before, last int64, turns int) (*wire.EventPage, error) {
	if turns <= 0 {
		turns = defaultTurns
	}
	turns = min(turns, maxTurns)
	if before < 1 || before > last+1 {
		return nil, ErrReplayUnavailable
	}
	starts, err := st.Read().ListTurnStartsBefore(ctx, eventID(n, 0), eventID(n, before), int64(turns))
	if err != nil {
		return nil, fmt.Errorf("find a page: %w", err)
	}
	first := int64(1)
	if len(starts) == turns {
		first = seqOf(starts[len(starts)-1])
	}
	events, err := readEvents(ctx, st, n, first-1, before-1)
	if err != nil {
		return nil, err
	}
	events = withinBytes(events)
	if len(events) > 0 {
		first = events[0].Seq
	}
	page := &wire.EventPage{Events: events, LastSeq: last}
	if first > 1 {
		page.Before = first
	}
	return page, nil
}

// After reads the events after a cursor.
func After(ctx context.Context, st *store.Store, n, after, last int64) (*wire.EventPage, error) {
	if after < 0 || after > last || last-after > replayLimit {
		return nil, ErrReplayUnavailable
	}
	events, err := readEvents(ctx, st, n, after, last)
	if err != nil {
		return nil, err
	}
	if bytes := sizeOf(events); bytes > pageBytes && len(events) > 1 {
		return nil, ErrReplayUnavailable
	}
	return &wire.EventPage{Events: events, LastSeq: last}, nil
}

func sizeOf(events []wire.Event) int {
	bytes := 0
	for _, e := range events {
		bytes += len(e.Stored)
	}
	return bytes
}

// withinBytes leaves the oldest turns of a page out until it is small enough. The newest turn always stays.
func withinBytes(events []wire.Event) []wire.Event {
	bytes, from, found := 0, 0, false
	for i := len(events) - 1; i >= 0; i-- {
		bytes += len(events[i].Stored)
		if bytes > pageBytes && found {
			return events[from:]
		}
		if events[i].Kind == wire.EventTurnStarted {
			from, found = i, true
		}
	}
	return events
}

// readEvents reads the events after a sequence up to last, as they are stored.
func readEvents(ctx context.Context, st *store.Store, n, after, last int64) ([]wire.Event, error) {
	rows, err := st.Read().ListEvents(ctx, eventID(n, after), eventID(n, last), -1)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	events := make([]wire.Event, len(rows))
	for i, r := range rows {
		if seqOf(r.ID) != after+1+int64(i) {
			return nil, fmt.Errorf("the journal has a gap at %d", after+1+int64(i))
		}
		events[i] = stored(r.ID, r.At, r.Kind, r.Turn, r.Data)
	}
	return events, nil
}

// interruptedResult is the answer to a call whose outcome is not known.
func interruptedResult(call wire.Block) *wire.ToolResult {
	return &wire.ToolResult{CallID: call.CallID, Name: call.Name, Status: "interrupted", Output: agent.InterruptedOutput}
}
