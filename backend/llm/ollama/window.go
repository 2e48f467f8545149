package ollama

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

const (
	firstWindow   = 8 << 10 // tokens that are asked for at least
	bytesPerToken = 3       // a low estimate: too large a window only costs memory
	tokensPerJPEG = 1500    // roughly what an image takes
	answerReserve = 2 << 10 // tokens kept free for the answer when nobody says how long it may be
	mostReserve   = 16 << 10
	askLimit      = 10 * time.Second // for all questions about a model
)

// window is how much context the model has been asked to be loaded with.
type window struct {
	mu      sync.Mutex
	asked   bool  // the card was read
	card    int64 // the most that the model can read, 0 = unknown
	own     int64 // what the model's own settings say, 0 = nothing
	current int64
	thinker bool
}

func (w *window) thinks() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.thinker
}

// size gives the context to ask for, in tokens. Requests that come meanwhile wait: they would ask the same questions.
func (m *Model) size(ctx context.Context, req *llm.Request) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	w := &m.window
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.asked {
		card, err := m.Card(ctx)
		var e *llm.Error
		switch {
		case err == nil:
			w.asked, w.card, w.own, w.thinker = true, card.Context, card.Set, card.Thinks
		case errors.Is(err, context.DeadlineExceeded):
		case ctx.Err() != nil, !errors.As(err, &e), e.Kind == llm.ErrNotFound, e.Kind == llm.ErrUnreachable, e.Kind == llm.ErrKeyInvalid:
			return 0, err
		} // a server that does not show cards is asked without one
	}
	prompt := estimate(req)
	if w.card > 0 && prompt > w.card {
		return 0, &llm.Error{Kind: llm.ErrContextLimit, Message: fmt.Sprintf("the conversation has about %d tokens, the model can read %d", prompt, w.card)}
	}
	reserve := req.MaxOutput
	if reserve <= 0 {
		reserve = answerReserve
	}
	need := prompt + min(reserve, mostReserve)
	if need <= w.current {
		return w.current, nil
	}
	next := max(w.own, m.loaded(ctx))
	if next < need {
		next = firstWindow
		for next < need {
			next *= 2
		}
	}
	if w.card > 0 {
		next = min(next, w.card)
	}
	w.current = max(w.current, next)
	return w.current, nil
}

// estimate is about how many tokens a request has.
func estimate(req *llm.Request) int64 {
	n, images := len(req.System), 0
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, msg := range req.Messages {
		n += 16
		for i := range msg.Blocks {
			b := &msg.Blocks[i]
			n += len(b.Text) + len(b.Args) + len(b.Name)
			if b.Kind == llm.Image {
				images++
			}
		}
	}
	return int64(n/bytesPerToken + images*tokensPerJPEG)
}

// Card is what a server says of a model.
type Card struct {
	Context int64 // the most tokens that it can read, 0 = unknown
	Set     int64 // context that its own settings ask for, 0 = none
	Thinks  bool
	Tools   bool
	Images  bool
}

var ownWindow = regexp.MustCompile(`(?m)^num_ctx\s+(\d+)`)

// Card asks the server for the model's card.
func (m *Model) Card(ctx context.Context) (Card, error) {
	body := marshal(map[string]string{"model": m.config.Model})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.config.BaseURL+"/api/show", bytes.NewReader(body))
	if err != nil {
		return Card{}, &llm.Error{Kind: llm.ErrUnreachable, Message: "the base URL is not a valid address"}
	}
	req.Header = m.header()
	req.Header.Set("Content-Type", "application/json")
	var out struct {
		Info         map[string]any `json:"model_info"`
		Parameters   string         `json:"parameters"`
		Capabilities []string       `json:"capabilities"`
	}
	if err := transport.Get(req, m.config.Client, m.config.Key, &out); err != nil {
		return Card{}, err
	}
	card := Card{
		Thinks: slices.Contains(out.Capabilities, "thinking"), Tools: slices.Contains(out.Capabilities, "tools"), Images: slices.Contains(out.Capabilities, "vision"),
	}
	for k, v := range out.Info {
		if n, ok := v.(float64); ok && strings.HasSuffix(k, ".context_length") {
			card.Context = int64(n)
		}
	}
	if match := ownWindow.FindStringSubmatch(out.Parameters); match != nil {
		card.Set, _ = strconv.ParseInt(match[1], 10, 64)
	}
	return card, nil
}

// loaded is the context with which the server has the model loaded, 0 when it has not or does not say.
func (m *Model) loaded(ctx context.Context) int64 {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.config.BaseURL+"/api/ps", nil)
	if err != nil {
		return 0
	}
	req.Header = m.header()
	var out struct {
		Models []struct {
			Name    string `json:"name"`
			Model   string `json:"model"`
			Context int64  `json:"context_length"`
		} `json:"models"`
	}
	if transport.Get(req, m.config.Client, m.config.Key, &out) != nil {
		return 0
	}
	for _, l := range out.Models {
		if l.Name == m.config.Model || l.Model == m.config.Model || l.Name == m.config.Model+":latest" {
			return l.Context
		}
	}
	return 0
}
