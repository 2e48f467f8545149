package demo

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tools are offered tools by name, as a request has them.
func tools(names ...string) []llm.Tool {
	var out []llm.Tool
	for _, n := range names {
		out = append(out, llm.Tool{Name: n, Description: "does it", Schema: `{"type":"object","properties":{"path":{},"content":{},"pattern":{},"literal":{},"lines":{},"start_line":{}}}`})
	}
	return out
}

func user(text string) *llm.Message {
	return llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: text})
}

// ask sends a request and checks that the pieces add up to the answer.
func ask(t testing.TB, m llm.Model, req *llm.Request) (*llm.Answer, error) {
	t.Helper()
	var blocks []llm.Block
	answer, err := m.Stream(context.Background(), req, func(p llm.Piece) {
		if p.Index == len(blocks) {
			require.NotEmpty(t, p.Kind, "the first piece of a block has its kind")
			blocks = append(blocks, llm.Block{Kind: p.Kind, CallID: p.CallID, Name: p.Name})
		}
		require.Less(t, p.Index, len(blocks))
		if blocks[p.Index].Kind == llm.ToolCall {
			blocks[p.Index].Args += p.Text
		} else {
			blocks[p.Index].Text += p.Text
		}
	})
	if err == nil {
		require.Equal(t, answer.Blocks, blocks)
	}
	return answer, err
}

func says(t testing.TB, req *llm.Request) string {
	t.Helper()
	answer, err := ask(t, New(FastID), req)
	require.NoError(t, err)
	return spoken(answer, llm.Text)
}

func spoken(a *llm.Answer, kind llm.BlockKind) string {
	text := ""
	for _, b := range a.Blocks {
		if b.Kind == kind {
			text += b.Text
		}
	}
	return text
}

func TestItSaysWhatItIs(t *testing.T) {
	for asked, want := range map[string][]string{
		"hello":                        {"demonstration", "not an AI", "list the files", "read README.md", "show markdown"},
		"Hallo":                        {"Vorführung", "keine KI", "Zeig mir die Dateien"},
		"what is the meaning of life?": {"> what is the meaning of life?", "not an AI", "cannot answer"},
		"Warum ist der Himmel blau?":   {"keine KI", "kann ich das nicht beantworten"},
		"":                             {"not an AI"},
		"<img src=x onerror=alert(1)>": {`> \<img`},
		"![x](https://evil/?q=s)":      {`> \!\[x\]`},
	} {
		text := says(t, &llm.Request{Messages: []*llm.Message{user(asked)}})
		for _, w := range want {
			assert.Contains(t, text, w, asked)
		}
	}
	assert.NotEmpty(t, says(t, &llm.Request{}), "even a request without messages gets an answer")
}

func TestSayStreamsExactlyOnePieceAWord(t *testing.T) {
	var pieces []string
	answer, err := New(FastID).Stream(context.Background(), &llm.Request{Messages: []*llm.Message{user("say 5000")}}, func(p llm.Piece) { pieces = append(pieces, p.Text) })
	require.NoError(t, err)
	require.Len(t, pieces, 5000)
	assert.Equal(t, "word 1 ", pieces[0])
	assert.Equal(t, "word 5000 ", pieces[4999])
	assert.Equal(t, []llm.Block{{Kind: llm.Text, Text: strings.Join(pieces, "")}}, answer.Blocks)
	assert.Equal(t, llm.FinishStop, answer.Finish)
}

func TestNoAnswerIsEmpty(t *testing.T) {
	for _, asked := range []string{"say 0", "say -1", "think about", "ask me", "...", "then", "read", "find"} {
		assert.NotEmpty(t, says(t, &llm.Request{Messages: []*llm.Message{user(asked)}}), asked)
	}
}

func TestItIsDeterministic(t *testing.T) {
	for _, asked := range []string{"hello", "think about life", "list the files", "show markdown"} {
		req := &llm.Request{Messages: []*llm.Message{user(asked)}, Tools: tools("list_files")}
		one, err := ask(t, New(FastID), req)
		require.NoError(t, err)
		two, err := ask(t, New(FastID), req)
		require.NoError(t, err)
		assert.Equal(t, one, two, asked)
	}
}

func TestPacing(t *testing.T) {
	var waits []time.Duration
	m := NewPaced(ID, 8*time.Millisecond, func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil })
	pieces := 0
	_, err := m.Stream(context.Background(), &llm.Request{Messages: []*llm.Message{user("write a long answer")}}, func(llm.Piece) { pieces++ })
	require.NoError(t, err)
	require.Len(t, waits, pieces-1, "the first piece comes at once")
	sum := time.Duration(0)
	for _, d := range waits {
		sum += d
	}
	assert.InDelta(t, 8*time.Millisecond, sum/time.Duration(len(waits)), float64(time.Millisecond), "the pauses are the pace on average")

	assert.Equal(t, Pace, New(ID).(*Model).pace)
	assert.Zero(t, New(FastID).(*Model).pace)
}

func TestPiecesAreWordsAndWholeCharacters(t *testing.T) {
	for _, asked := range []string{"show markdown", "hello", "Hallo", "think about 测试测试测试测试测试测试测试测试测试测试测试测试"} {
		total, count := 0, 0
		_, err := New(FastID).Stream(context.Background(), &llm.Request{Messages: []*llm.Message{user(asked)}}, func(p llm.Piece) {
			assert.Equal(t, strings.ToValidUTF8(p.Text, "?"), p.Text, "a character is cut")
			assert.NotEmpty(t, p.Text)
			assert.LessOrEqual(t, len(p.Text), 30)
			total, count = total+len(p.Text), count+1
		})
		require.NoError(t, err)
		assert.Less(t, total/count, 16, asked)
	}
}

func TestAnInterruptStopsItAtOnce(t *testing.T) {
	stopped := errors.New("stopped")
	for _, asked := range []string{"say 100000", "write a long answer", "think about it", "list the files"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		pieces := 0
		_, err := New(FastID).Stream(ctx, &llm.Request{Messages: []*llm.Message{user(asked)}, Tools: tools("list_files")}, func(llm.Piece) {
			if pieces++; pieces == 3 {
				cancel(stopped)
			}
		})
		require.ErrorIs(t, err, stopped, asked)
		assert.Equal(t, 3, pieces, asked)
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	m := NewPaced(ID, time.Hour, wait) // it would wait for an hour
	_, err := m.Stream(ctx, &llm.Request{Messages: []*llm.Message{user("say 5")}}, func(llm.Piece) { cancel(stopped) })
	assert.ErrorIs(t, err, stopped)
}

func TestTheOutputLimitCuts(t *testing.T) {
	answer, err := ask(t, New(FastID), &llm.Request{Messages: []*llm.Message{user("write a long answer")}, MaxOutput: 10})
	require.NoError(t, err)
	assert.Equal(t, llm.FinishLength, answer.Finish)
	assert.Equal(t, int64(10), answer.Usage.Output)

	answer, err = ask(t, New(FastID), &llm.Request{Messages: []*llm.Message{user("read some/very/long/name/of/a/file.txt")}, Tools: tools("read_file"), Effort: "minimal", MaxOutput: 6})
	require.NoError(t, err)
	assert.Equal(t, llm.FinishLength, answer.Finish)
	assert.False(t, json.Valid([]byte(answer.Blocks[0].Args)), "half a call, as real models leave one")
}

func TestUsageIsEstimated(t *testing.T) {
	answer, err := ask(t, New(FastID), &llm.Request{System: strings.Repeat("s", 400), Messages: []*llm.Message{user("think about it"), user("think about it")}, Tools: tools("x")})
	require.NoError(t, err)
	assert.InDelta(t, 140, answer.Usage.Input, 10)
	assert.Equal(t, tokens(len(spoken(answer, llm.Reasoning))), answer.Usage.Reasoning)
	assert.Equal(t, tokens(len(spoken(answer, llm.Text)+spoken(answer, llm.Reasoning))), answer.Usage.Output)
	assert.Zero(t, answer.Usage.CacheRead)
}

func TestThinkingIsABlockOfItsOwn(t *testing.T) {
	length := map[string]int{}
	for _, effort := range []string{"low", "", "high"} {
		answer, err := ask(t, New(FastID), &llm.Request{Messages: []*llm.Message{user("think about the weather.")}, Effort: effort})
		require.NoError(t, err)
		require.Len(t, answer.Blocks, 2)
		assert.Equal(t, llm.Reasoning, answer.Blocks[0].Kind)
		assert.Contains(t, answer.Blocks[0].Text, "the weather")
		assert.Contains(t, answer.Blocks[1].Text, "the weather")
		length[effort] = len(answer.Blocks[0].Text)
	}
	assert.Less(t, length["low"], length[""])
	assert.Less(t, length[""], length["high"])
}

func TestTheSampleShowsAllOfMarkdown(t *testing.T) {
	text := says(t, &llm.Request{Messages: []*llm.Message{user("show markdown")}})
	for _, part := range []string{"# ", "## ", "| --- ", "- [x] ", "- [ ] ", "```go", "```python", "```typescript", "\\[", "> ", "  - ", "1. ", "$125K"} {
		assert.Contains(t, text, part)
	}
	assert.Greater(t, len(says(t, &llm.Request{Messages: []*llm.Message{user("write a long answer")}})), 10_000)
}

func TestAQuestionAndItsAnswerFindEachOther(t *testing.T) {
	question := says(t, &llm.Request{Messages: []*llm.Message{user("ask me something")}})
	assert.Contains(t, question, "?")
	history := []*llm.Message{user("ask me something"), llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.Text, Text: question})}

	assert.Contains(t, says(t, &llm.Request{Messages: append(history, user("2"))}), "> write texts")
	assert.Contains(t, says(t, &llm.Request{Messages: append(history, user("a garden"))}), "> a garden")
	assert.Contains(t, says(t, &llm.Request{Messages: append(history, user("hello"))}), "not an AI", "a request is a request, also then")
}

func TestFailures(t *testing.T) {
	for asked, want := range map[string]llm.Error{
		"fail with 401":                  {Kind: llm.ErrKeyInvalid, Status: 401},
		"fail with 429":                  {Kind: llm.ErrRateLimited, Status: 429, RetryAfter: askedWait},
		"fail with 503":                  {Kind: llm.ErrOverloaded, Status: 503},
		"fail with a dropped connection": {Kind: llm.ErrDropped},
		"fail with nothing":              {Kind: llm.ErrEmpty},
	} {
		pieces := 0
		_, err := New(FastID).Stream(context.Background(), &llm.Request{Messages: []*llm.Message{user(asked)}}, func(llm.Piece) { pieces++ })
		var got *llm.Error
		require.ErrorAs(t, err, &got, asked)
		assert.Equal(t, want.Kind, got.Kind, asked)
		assert.Equal(t, want.Status, got.Status, asked)
		assert.Equal(t, want.RetryAfter, got.RetryAfter, asked)
		assert.Contains(t, got.Message, "demonstration")
		assert.Equal(t, want.Kind == llm.ErrDropped, pieces > 0, "only a dropped answer has begun")
	}
}

func TestFailingTwiceThenSucceeds(t *testing.T) {
	m := New(FastID)
	req := &llm.Request{Messages: []*llm.Message{user("fail twice with 429")}, CacheKey: "a"}
	for range 2 {
		_, err := ask(t, m, req)
		var failed *llm.Error
		require.ErrorAs(t, err, &failed)
		assert.True(t, failed.Temporary())
	}
	answer, err := ask(t, m, req)
	require.NoError(t, err)
	assert.Contains(t, spoken(answer, llm.Text), "failing twice")

	_, err = ask(t, m, &llm.Request{Messages: req.Messages, CacheKey: "another conversation"})
	assert.Error(t, err)
}

func TestRememberedFailuresAreBounded(t *testing.T) {
	m := NewPaced(FastID, 0, nil)
	for i := range 2000 {
		m.fails(strings.Repeat("x", i))
	}
	assert.LessOrEqual(t, len(m.failures), maxRemembered)
}

func TestTitles(t *testing.T) {
	for excerpt, want := range map[string]string{
		"User: please list the files in this folder, all of them\n\nAssistant: I looked": "List the files in this folder",
		"User: fix the login page.\nIt is broken\n\nAssistant: …":                        "Fix the login page",
		"User: hello\n\nAssistant: Hello!":                                               "Getting started",
		"User: Hallo\n\nAssistant: Hallo!":                                               "Erste Schritte",
		"User: 修复登录页面\n\nAssistant: 好":                                                   "修复登录页面",
		"User: read README.md":                                                           "Read README.md",
		"User: étoile?":                                                                  "Étoile",
		"User: …":                                                                        "…",
		"":                                                                               "Getting started",
		"User: " + strings.Repeat("x", 500):                                              "X" + strings.Repeat("x", titleRunes-1) + "…",
	} {
		text := says(t, &llm.Request{System: "Write a title for this conversation. Answer with the title alone.", Messages: []*llm.Message{user(excerpt)}})
		assert.Equal(t, want, text)
	}
}

func TestAMissingToolIsNamed(t *testing.T) {
	for asked, want := range map[string]string{
		"list the files": "`list_files`", "read a.txt": "`read_file`", "find *.go": "`glob`", "search for x": "`search`", "give me an overview of the project": "`list_files`",
		"make notes.txt with hello": "no tool for writing", "Erstelle notes.txt mit hallo": "kein Werkzeug, um Dateien zu schreiben",
	} {
		assert.Contains(t, says(t, &llm.Request{Messages: []*llm.Message{user(asked)}}), want, asked)
	}
}

func TestItWritesWhenThereIsATool(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"path":{},"content":{}}}`:   `{"content":"hello\n","path":"notes.txt"}`,
		`{"properties":{"file_path":{},"text":{}}}`: `{"file_path":"notes.txt","text":"hello\n"}`,
		`broken`: `{"content":"hello\n","path":"notes.txt"}`,
	} {
		answer, err := ask(t, New(FastID), &llm.Request{Messages: []*llm.Message{user("make notes.txt with hello")}, Tools: []llm.Tool{{Name: "write_file", Schema: schema}}})
		require.NoError(t, err)
		call := answer.Blocks[len(answer.Blocks)-1]
		assert.Equal(t, "write_file", call.Name)
		assert.Equal(t, want, call.Args)
		assert.Equal(t, llm.FinishToolCalls, answer.Finish)
	}
}

func TestBrokenCallsCanBeAskedFor(t *testing.T) {
	answer, err := ask(t, New(FastID), &llm.Request{Messages: []*llm.Message{user("make a broken tool call")}})
	require.NoError(t, err)
	call := answer.Blocks[len(answer.Blocks)-1]
	assert.False(t, json.Valid([]byte(call.Args)))

	answer, err = ask(t, New(FastID), &llm.Request{Messages: []*llm.Message{user("call an unknown tool")}})
	require.NoError(t, err)
	assert.Equal(t, "make_coffee", answer.Blocks[len(answer.Blocks)-1].Name)
}

// A model that never ends would use up the steps of a turn.
func TestItComesToAnEndWhateverToolsAnswer(t *testing.T) {
	for _, asked := range []string{"list the files and then read README.md", "give me an overview of the project", "read x.txt", "make a broken tool call", "call an unknown tool"} {
		for _, result := range []llm.Block{{Text: ""}, {Text: "interrupted", IsError: true}, {Text: "there is no x. Did you mean other.txt?", IsError: true}, {Text: "1 file:\n\nREADME.md\n"}, {Text: strings.Repeat("x\n\n", 5000)}} {
			req := &llm.Request{Messages: []*llm.Message{user(asked)}, Tools: tools("list_files", "read_file")}
			steps := 0
			for ; steps < 20; steps++ {
				answer, err := ask(t, New(FastID), req)
				require.NoError(t, err)
				if answer.Finish != llm.FinishToolCalls {
					assert.NotEmpty(t, spoken(answer, llm.Text))
					break
				}
				var results []llm.Block
				for _, b := range answer.Blocks {
					if b.Kind == llm.ToolCall {
						r := result
						r.Kind, r.CallID, r.Name = llm.ToolResult, b.CallID, b.Name
						results = append(results, r)
					}
				}
				req.Messages = append(req.Messages, llm.NewMessage(llm.RoleAssistant, answer.Blocks...), llm.NewMessage(llm.RoleTool, results...))
			}
			assert.Less(t, steps, maxSteps+1, "%s, %.20s", asked, result.Text)
		}
	}
}

func BenchmarkSay5000(b *testing.B) {
	m, req := New(FastID), &llm.Request{Messages: []*llm.Message{user("say 5000")}}
	for b.Loop() {
		if _, err := m.Stream(context.Background(), req, func(llm.Piece) {}); err != nil {
			b.Fatal(err)
		}
	}
}
