package llm_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm"
	"mobius/backend/llm/anthropic"
	"mobius/backend/llm/gemini"
	"mobius/backend/llm/modeltest"
	"mobius/backend/llm/ollama"
	"mobius/backend/llm/openai"
	"mobius/backend/llm/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-test-1234567890abcdef"

// adapter makes a model of one protocol at an address.
type adapter struct {
	protocol modeltest.Protocol
	model    func(client *http.Client, base, model string, idle time.Duration) llm.Model
}

var adapters = []adapter{
	{modeltest.Chat, func(c *http.Client, base, model string, idle time.Duration) llm.Model {
		return openai.NewChat(openai.Config{Client: c, BaseURL: base, Key: testKey, Model: model, Idle: idle})
	}},
	{modeltest.Responses, func(c *http.Client, base, model string, idle time.Duration) llm.Model {
		return openai.NewResponses(openai.Config{Client: c, BaseURL: base, Key: testKey, Model: model, Idle: idle, Reasoning: true})
	}},
	{modeltest.Anthropic, func(c *http.Client, base, model string, idle time.Duration) llm.Model {
		return anthropic.New(anthropic.Config{Client: c, BaseURL: base, Key: testKey, Model: model, Idle: idle})
	}},
	{modeltest.Gemini, func(c *http.Client, base, model string, idle time.Duration) llm.Model {
		return gemini.New(gemini.Config{Client: c, BaseURL: base, Key: testKey, Model: model, Idle: idle})
	}},
	{modeltest.Ollama, func(c *http.Client, base, model string, idle time.Duration) llm.Model {
		return ollama.New(ollama.Config{Client: c, BaseURL: strings.TrimSuffix(base, "/v1"), Key: testKey, Model: model, Idle: idle})
	}},
}

// each runs a test for every protocol.
func each(t *testing.T, run func(t *testing.T, a adapter)) {
	for _, a := range adapters {
		t.Run(string(a.protocol), func(t *testing.T) { run(t, a) })
	}
}

// dial gives a model that talks to a server.
func (a adapter) dial(t testing.TB, s *modeltest.Server, idle time.Duration) llm.Model {
	t.Helper()
	client := transport.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return a.model(client, s.Base(a.protocol), "test-model", idle)
}

// collected checks that pieces follow the rules and puts them together.
type collected struct {
	t      *testing.T
	blocks []llm.Block
	pieces int
}

func (c *collected) emit(p llm.Piece) {
	c.t.Helper()
	c.pieces++
	if p.Index == len(c.blocks) {
		require.NotEmpty(c.t, p.Kind, "the first piece of a block names its kind")
		c.blocks = append(c.blocks, llm.Block{Kind: p.Kind, CallID: p.CallID, Name: p.Name})
	}
	require.Less(c.t, p.Index, len(c.blocks), "indexes grow by one")
	c.blocks[p.Index].Text += p.Text
}

func (c *collected) text(kind llm.BlockKind) string {
	all := ""
	for _, b := range c.blocks {
		if b.Kind == kind {
			all += b.Text
		}
	}
	return all
}

func ask(text string) *llm.Request {
	return &llm.Request{Messages: []*llm.Message{llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: text})}, CacheKey: "conversation"}
}

func textOf(blocks []llm.Block, kind llm.BlockKind) string {
	all := ""
	for _, b := range blocks {
		if b.Kind == kind {
			all += b.Text
		}
	}
	return all
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestTextReasoningAndUsageArrive(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.Reply{
			Parts: []modeltest.Part{modeltest.Reasoning("Let me \"think\"…\n", 3), modeltest.Text("Grüße, 世界 \\ \u2028 <b>\n", 5)},
			Usage: llm.Usage{Input: 100, CacheRead: 900, Output: 20, Reasoning: 8},
		}), modeltest.Options{Key: testKey})
		got := &collected{t: t}

		answer, err := a.dial(t, s, 0).Stream(within(t), ask("hello"), got.emit)

		require.NoError(t, err)
		assert.Equal(t, "Grüße, 世界 \\ \u2028 <b>\n", textOf(answer.Blocks, llm.Text))
		assert.Equal(t, "Let me \"think\"…\n", textOf(answer.Blocks, llm.Reasoning))
		assert.Equal(t, textOf(answer.Blocks, llm.Text), got.text(llm.Text), "the pieces are the answer")
		assert.Equal(t, textOf(answer.Blocks, llm.Reasoning), got.text(llm.Reasoning))
		assert.Equal(t, llm.FinishStop, answer.Finish)
		assert.Equal(t, "test-model", answer.Model)
		want := llm.Usage{Input: 100, CacheRead: 900, Output: 20, Reasoning: 8}
		switch a.protocol {
		case modeltest.Anthropic:
			want.Reasoning = 0 // not reported apart
		case modeltest.Ollama:
			want = llm.Usage{Input: 1000, Output: 20} // knows no cache
		}
		assert.Equal(t, want, answer.Usage)
	})
}

func TestEveryDeltaIsEmittedOnce(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.SayWords(2000)))
		got := &collected{t: t}

		answer, err := a.dial(t, s, 0).Stream(within(t), ask("say"), got.emit)

		require.NoError(t, err)
		assert.Equal(t, modeltest.WordsText(2000), got.text(llm.Text))
		assert.Equal(t, modeltest.WordsText(2000), textOf(answer.Blocks, llm.Text))
		assert.GreaterOrEqual(t, got.pieces, 2000)
	})
}

func TestPiecesArriveBeforeTheAnswerIsComplete(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		release := make(chan struct{})
		s := modeltest.New(t, modeltest.Always(modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(3)}, Fault: modeltest.FaultSilent, After: 3}))
		ctx, cancel := context.WithCancel(within(t))
		done := make(chan error, 1)
		got := &collected{t: t}
		go func() {
			_, err := a.dial(t, s, 0).Stream(ctx, ask("say"), func(p llm.Piece) {
				got.emit(p)
				if strings.HasSuffix(got.text(llm.Text), "w2 ") {
					close(release)
				}
			})
			done <- err
		}()

		select {
		case <-release:
		case err := <-done:
			t.Fatalf("ended before the pieces came: %v", err)
		}
		cancel()

		require.ErrorIs(t, <-done, context.Canceled)
		assert.Equal(t, modeltest.WordsText(3), got.text(llm.Text))
	})
}

// conversation runs a whole turn with tool calls and gives the history after it.
func conversation(t *testing.T, model llm.Model, req *llm.Request, results map[string]string) *llm.Answer {
	t.Helper()
	for range 10 {
		answer, err := model.Stream(within(t), req, func(llm.Piece) {})
		require.NoError(t, err)
		req.Messages = append(req.Messages, llm.NewMessage(llm.RoleAssistant, answer.Blocks...))
		var out []llm.Block
		for _, b := range answer.Blocks {
			if b.Kind == llm.ToolCall {
				out = append(out, llm.Block{Kind: llm.ToolResult, CallID: b.CallID, Name: b.Name, Text: results[b.Name], IsError: results[b.Name] == ""})
			}
		}
		if out == nil {
			return answer
		}
		req.Messages = append(req.Messages, llm.NewMessage(llm.RoleTool, out...))
	}
	t.Fatal("the conversation does not end")
	return nil
}

var readTool = llm.Tool{Name: "read", Description: "Reads a file.", Schema: `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"path":{"type":"string"},"from":{"type":["integer","null"]}},"required":["path"],"additionalProperties":false}`}

func TestAToolLoopIsWellFormedAndGivesBackWhatTheProviderWants(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Queue(
			modeltest.Reply{Parts: []modeltest.Part{
				modeltest.Reasoning("I read both.", 2), {Kind: modeltest.RedactedPart}, modeltest.Text("Reading.", 2),
				modeltest.Call("read", `{"path":"a.txt"}`), modeltest.Call("read", `{"path":"b \"q\" ü.txt","from":null}`),
			}},
			modeltest.Reply{Parts: []modeltest.Part{modeltest.Reasoning("One more.", 1), modeltest.CallAs("id-1:2/x", "list", ``)}},
			modeltest.Say("All read."),
			modeltest.Say("Bye."),
		))
		model := a.dial(t, s, 0)
		req := ask("read a and b")
		req.System, req.Effort, req.Tools = "You are a reader.", "low", []llm.Tool{readTool, {Name: "list", Schema: `{"type":"object","properties":{}}`}}

		answer := conversation(t, model, req, map[string]string{"read": "text of the file", "list": ""})
		assert.Equal(t, "All read.", textOf(answer.Blocks, llm.Text))
		req.Messages = append(req.Messages, llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "thanks"}))
		conversation(t, model, req, nil)

		assert.Empty(t, s.Violations())
		requests := s.Requests()
		require.Len(t, requests, 4)
		last := requests[3]
		assert.Equal(t, "You are a reader.", last.System)
		assert.Equal(t, []string{"read", "list"}, last.Tools)
		var calls []modeltest.ToolCall
		var results []modeltest.ToolResult
		for _, m := range last.Messages {
			calls, results = append(calls, m.Calls...), append(results, m.Results...)
		}
		require.Len(t, calls, 3)
		assert.JSONEq(t, `{"path":"a.txt"}`, calls[0].Args)
		assert.JSONEq(t, `{"path":"b \"q\" ü.txt","from":null}`, calls[1].Args)
		assert.JSONEq(t, `{}`, calls[2].Args)
		require.Len(t, results, 3)
		assert.Equal(t, "text of the file", results[1].Text)
		if a.protocol == modeltest.Anthropic || a.protocol == modeltest.Responses {
			assert.NotEmpty(t, last.Messages[1].Thought, "reasoning goes back")
		}
	})
}

func TestBrokenArgumentsComeAsTheyAreAndGoBackAsAnObject(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Queue(modeltest.Calls(modeltest.Call("read", `{"path": "a`)), modeltest.Say("Sorry.")))
		model := a.dial(t, s, 0)
		req := ask("read")
		req.Tools = []llm.Tool{readTool}

		answer, err := model.Stream(within(t), req, func(llm.Piece) {})
		require.NoError(t, err)
		require.Len(t, answer.Blocks, 1)
		call := answer.Blocks[0]
		assert.Contains(t, call.Args, `path`)
		assert.NotEqual(t, call.Args, llm.ObjectArgs(call.Args), "what the model wrote is not hidden")
		assert.Equal(t, llm.FinishToolCalls, answer.Finish)
		req.Messages = append(req.Messages, llm.NewMessage(llm.RoleAssistant, call),
			llm.NewMessage(llm.RoleTool, llm.Block{Kind: llm.ToolResult, CallID: call.CallID, Name: call.Name, Text: "not valid JSON", IsError: true}))
		_, err = model.Stream(within(t), req, func(llm.Piece) {})

		require.NoError(t, err)
		assert.Empty(t, s.Violations())
	})
}

func TestHistoryOfAnotherProviderIsAccepted(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.Say("Hello.")))
		req := ask("first")
		req.Effort = "high"
		req.Messages = append(req.Messages,
			llm.NewMessage(llm.RoleAssistant,
				llm.Block{Kind: llm.Reasoning, Text: "hm", Meta: llm.NewMeta("elsewhere", `{"signature":"x"}`)},
				llm.Block{Kind: llm.ToolCall, CallID: "functions.read:0", Name: "read", Args: "{}"},
				llm.Block{Kind: llm.ToolCall, CallID: "functions.read:1", Name: "read", Args: "no json"}),
			llm.NewMessage(llm.RoleTool,
				llm.Block{Kind: llm.ToolResult, CallID: "functions.read:0", Name: "read", Text: ""},
				llm.Block{Kind: llm.ToolResult, CallID: "functions.read:1", Name: "read", Text: "x"}),
			llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.Reasoning, Text: "only thoughts"}),
			llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "second"}),
			llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "third"}, llm.Block{Kind: llm.Image, MIME: "image/png", Data: []byte{1, 2, 3}}))

		_, err := a.dial(t, s, 0).Stream(within(t), req, func(llm.Piece) {})

		require.NoError(t, err)
		assert.Empty(t, s.Violations())
		last := s.Requests()[0].Messages
		assert.Contains(t, last[len(last)-1].Text, "third")
		assert.Equal(t, 1, last[len(last)-1].Images)
	})
}

func TestAConversationThatBeginsWithTheAssistantIsAccepted(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.Say("Hello.")))
		req := &llm.Request{Messages: []*llm.Message{
			llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.Text, Text: "As I said."}),
			llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "go on"}),
		}}
		_, err := a.dial(t, s, 0).Stream(within(t), req, func(llm.Piece) {})
		require.NoError(t, err)
		assert.Empty(t, s.Violations())
	})
}

// errorOf runs one request and gives its error and what was emitted before.
func errorOf(t *testing.T, a adapter, reply modeltest.Reply, idle time.Duration) (*llm.Error, *collected) {
	t.Helper()
	s := modeltest.New(t, modeltest.Always(reply))
	got := &collected{t: t}
	answer, err := a.dial(t, s, idle).Stream(within(t), ask("hello"), got.emit)
	require.Error(t, err)
	assert.Nil(t, answer)
	var e *llm.Error
	require.ErrorAs(t, err, &e, "%v", err)
	assert.NotContains(t, e.Error(), testKey)
	return e, got
}

func TestFaultsAreToldApart(t *testing.T) {
	tooLong := map[modeltest.Protocol]string{
		modeltest.Chat:      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
		modeltest.Responses: "Your input exceeds the context window of this model. Please adjust your input and try again.",
		modeltest.Anthropic: "prompt is too long: 201000 tokens > 200000 maximum",
		modeltest.Gemini:    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
		modeltest.Ollama:    "the input length exceeds the context length",
	}
	faults := []struct {
		name  string
		reply modeltest.Reply
		want  llm.ErrorKind
		text  string // in the message
		said  string // what was emitted before
	}{
		{"401", modeltest.Reply{Status: 401, Error: "Incorrect API key provided: " + testKey}, llm.ErrKeyInvalid, "Incorrect API key", ""},
		{"403", modeltest.Reply{Status: 403, Error: "not for you"}, llm.ErrForbidden, "not for you", ""},
		{"404", modeltest.Reply{Status: 404, Error: "no such model"}, llm.ErrNotFound, "no such model", ""},
		{"context", modeltest.Reply{Status: 400}, llm.ErrContextLimit, "", ""},
		{"429", modeltest.RateLimited("7"), llm.ErrRateLimited, "", ""},
		{"500", modeltest.Fail(500), llm.ErrOverloaded, "", ""},
		{"529", modeltest.Fail(529), llm.ErrOverloaded, "", ""},
		{"another 4xx", modeltest.Reply{Status: 422, Error: "bad temperature"}, llm.ErrRefused, "bad temperature", ""},
		{"web page", modeltest.WebPage(), llm.ErrMalformed, "web page", ""},
		{"web page with 502", modeltest.Reply{Status: 502, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>bad gateway</html>"}, llm.ErrOverloaded, "gateway", ""},
		{"redirect", modeltest.Reply{Status: 302, Header: http.Header{"Location": {"/login"}}, Body: " "}, llm.ErrMalformed, "redirects", ""},
		{"malformed chunk", modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(5)}, Fault: modeltest.FaultMalformed, After: 2}, llm.ErrMalformed, "JSON", "w0 w1 "},
		{"empty stream", modeltest.Reply{Fault: modeltest.FaultEnd}, llm.ErrEmpty, "", ""},
		{"answer without content", modeltest.Reply{}, llm.ErrEmpty, "", ""},
		{"dropped at once", modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(5)}, Fault: modeltest.FaultDrop}, llm.ErrDropped, "connection", ""},
		{"dropped in mid-answer", modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(5)}, Fault: modeltest.FaultDrop, After: 3}, llm.ErrDropped, "connection", "w0 w1 w2 "},
		{"ended in mid-answer", modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(5)}, Fault: modeltest.FaultEnd, After: 3}, llm.ErrDropped, "", "w0 w1 w2 "},
		{"overloaded in mid-answer", modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(5)}, Fault: modeltest.FaultError, After: 1, Error: "come back later"}, llm.ErrOverloaded, "come back later", "w0 "},
	}
	overloaded := map[modeltest.Protocol]string{
		modeltest.Chat: "server_error", modeltest.Responses: "server_error", modeltest.Anthropic: "overloaded_error", modeltest.Gemini: "UNAVAILABLE",
	}
	each(t, func(t *testing.T, a adapter) {
		for _, f := range faults {
			t.Run(f.name, func(t *testing.T) {
				reply := f.reply
				if f.want == llm.ErrContextLimit {
					reply.Error = tooLong[a.protocol]
				}
				if reply.Fault == modeltest.FaultError {
					reply.Type = overloaded[a.protocol]
				}

				e, got := errorOf(t, a, reply, 0)

				assert.Equal(t, f.want, e.Kind, e.Error())
				assert.Contains(t, e.Message, f.text)
				assert.NotEmpty(t, e.Message)
				assert.Equal(t, f.said, got.text(llm.Text), "what was emitted is all there is")
				if f.name == "429" {
					assert.Equal(t, 7*time.Second, e.RetryAfter)
				}
			})
		}
	})
}

func TestASilentServerIsGivenUp(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		for name, after := range map[string]int{"from the start": 0, "in mid-answer": 3} {
			t.Run(name, func(t *testing.T) {
				e, got := errorOf(t, a, modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(5)}, Fault: modeltest.FaultSilent, After: after}, 100*time.Millisecond)
				assert.Equal(t, llm.ErrSilent, e.Kind)
				assert.Equal(t, modeltest.WordsText(after), got.text(llm.Text))
			})
		}
	})
}

func TestAWaitAsADateIsUnderstood(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		e, _ := errorOf(t, a, modeltest.RateLimited(time.Now().Add(90*time.Second).UTC().Format(http.TimeFormat)), 0)
		assert.InDelta(t, 89, e.RetryAfter.Seconds(), 2)
	})
}

func TestAnAnswerCutAtTheOutputLimitSaysSo(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.Reply{Parts: []modeltest.Part{modeltest.Text("It ends in the mid", 3)}, Finish: llm.FinishLength}))
		answer, err := a.dial(t, s, 0).Stream(within(t), ask("tell"), func(llm.Piece) {})
		require.NoError(t, err)
		assert.Equal(t, llm.FinishLength, answer.Finish)
		assert.Equal(t, "It ends in the mid", textOf(answer.Blocks, llm.Text))
	})
}

func TestHugeAnswers(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		t.Run("10 MB arrive", func(t *testing.T) {
			s := modeltest.New(t, modeltest.Always(modeltest.Huge(10<<20)))
			size := 0
			_, err := a.dial(t, s, 0).Stream(within(t), ask("tell"), func(p llm.Piece) { size += len(p.Text) })
			if a.protocol == modeltest.Responses { // repeats the whole text in one event at the end
				var e *llm.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, llm.ErrTooLarge, e.Kind)
			} else {
				require.NoError(t, err)
			}
			assert.GreaterOrEqual(t, size, 10<<20)
		})
		if a.protocol != modeltest.Anthropic {
			return // the limit is the same for all
		}
		t.Run("40 MB are too much", func(t *testing.T) {
			s := modeltest.New(t, modeltest.Always(modeltest.Huge(40<<20)))
			_, err := a.dial(t, s, 0).Stream(within(t), ask("tell"), func(llm.Piece) {})
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, llm.ErrTooLarge, e.Kind)
		})
	})
}

func TestAStreamInAnyStyleIsRead(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		for name, style := range map[string]modeltest.Style{
			"no space": {NoSpace: true}, "CR LF": {CRLF: true}, "keep-alive comments": {Comments: true}, "each delta on its own": {EachByte: true},
		} {
			t.Run(name, func(t *testing.T) {
				s := modeltest.New(t, modeltest.Always(modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(20)}, Style: style}))
				answer, err := a.dial(t, s, 0).Stream(within(t), ask("say"), func(llm.Piece) {})
				require.NoError(t, err)
				assert.Equal(t, modeltest.WordsText(20), textOf(answer.Blocks, llm.Text))
			})
		}
	})
}

func TestNobodyThere(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		client := transport.NewClient()
		t.Cleanup(client.CloseIdleConnections)
		model := a.model(client, "http://127.0.0.1:1", "m", 0)
		_, err := model.Stream(within(t), ask("hello"), func(llm.Piece) {})
		var e *llm.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, llm.ErrUnreachable, e.Kind)
		assert.Contains(t, e.Message, "127.0.0.1:1")
	})
}

func TestAKeyThatCannotBeOneIsNotSent(t *testing.T) {
	s := modeltest.New(t, modeltest.Always(modeltest.Say("no")))
	client := transport.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	model := openai.NewChat(openai.Config{Client: client, BaseURL: s.Base(modeltest.Chat), Key: "sk-one\nsk-two", Model: "m"})
	_, err := model.Stream(within(t), ask("hello"), func(llm.Piece) {})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, llm.ErrKeyInvalid, e.Kind)
	assert.Empty(t, s.Requests())
}

func TestTheConnectionIsUsedAgain(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.Say("hello")))
		dials := 0
		client := transport.NewClient()
		t.Cleanup(client.CloseIdleConnections)
		rt := client.Transport.(*http.Transport)
		dial := rt.DialContext
		rt.DialContext = countDials(dial, &dials)
		model := a.model(client, s.Base(a.protocol), "test-model", 0)
		for range 5 {
			_, err := model.Stream(within(t), ask("hello"), func(llm.Piece) {})
			require.NoError(t, err)
		}
		assert.Equal(t, 1, dials)
	})
}

func TestHistoryIsEncodedOnce(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.Say("hello")))
		model := a.dial(t, s, 0)
		req := ask("a question")
		for range 3 {
			conversation(t, model, req, nil)
			req.Messages = append(req.Messages, llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "next"}))
		}
		old := req.Messages[0]
		old.Blocks[0].Text = "changed, which nobody may do" // shows whether it is encoded anew

		conversation(t, model, req, nil)

		last := s.Requests()[3]
		assert.Equal(t, "a question", last.Messages[0].Text)
	})
}

func TestACancelledRequestGivesTheContextsError(t *testing.T) {
	each(t, func(t *testing.T, a adapter) {
		s := modeltest.New(t, modeltest.Always(modeltest.Reply{Fault: modeltest.FaultSilent}))
		ctx, cancel := context.WithCancel(within(t))
		go func() {
			_ = s.Wait(ctx, 1)
			cancel()
		}()
		_, err := a.dial(t, s, 0).Stream(ctx, ask("hello"), func(llm.Piece) {})
		require.ErrorIs(t, err, context.Canceled)
		var e *llm.Error
		assert.False(t, errors.As(err, &e))
	})
}
