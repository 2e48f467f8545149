package openai_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm"
	"mobius/backend/llm/modeltest"
	"mobius/backend/llm/openai"
	"mobius/backend/llm/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func config(t *testing.T, s *modeltest.Server) openai.Config {
	client := transport.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return openai.Config{Client: client, BaseURL: s.Base(modeltest.Chat), Model: "test-model"}
}

func ask(text string) *llm.Request {
	return &llm.Request{Messages: []*llm.Message{llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: text})}, CacheKey: "c"}
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

func TestServersThatCallThemselvesCompatible(t *testing.T) {
	args := []string{`{"path":"a.txt"}`, `{"path":"b.txt","deep":{"x":[1,2]}}`}
	for name, quirks := range map[string]modeltest.Quirks{
		"as OpenAI":                           {},
		"reasoning":                           {ReasoningField: "reasoning"},
		"thinking":                            {ReasoningField: "thinking"},
		"reasoning in tags":                   {ThinkTags: true},
		"no usage":                            {NoUsage: true},
		"usage in every chunk":                {UsageEverytime: true},
		"usage with the finish reason":        {UsageAtFinish: true},
		"no [DONE]":                           {NoDone: true},
		"no finish reason":                    {NoFinish: true},
		"calls without index":                 {NoIndex: true},
		"calls without id":                    {NoIDs: true},
		"calls without index and id":          {NoIndex: true, NoIDs: true},
		"whole calls":                         {WholeCalls: true},
		"whole calls without index and id":    {WholeCalls: true, NoIndex: true, NoIDs: true},
		"arguments as objects":                {ObjectArgs: true},
		"objects, no index, no id, no finish": {ObjectArgs: true, NoIndex: true, NoIDs: true, NoFinish: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Always(modeltest.Reply{
				Parts: []modeltest.Part{
					modeltest.Reasoning("Hm, <b> is no tag… so.", 6), modeltest.Text("The files: ", 3), modeltest.Call("read", args[0]), modeltest.Call("read", args[1]),
				},
				Usage: llm.Usage{Input: 10, CacheRead: 5, Output: 7, Reasoning: 2}, Quirks: quirks,
			}))

			answer, err := openai.NewChat(config(t, s)).Stream(within(t), ask("read"), func(llm.Piece) {})

			require.NoError(t, err)
			assert.Equal(t, "Hm, <b> is no tag… so.", textOf(answer.Blocks, llm.Reasoning))
			assert.Equal(t, "The files: ", textOf(answer.Blocks, llm.Text))
			require.Len(t, answer.Blocks, 4)
			calls := answer.Blocks[2:]
			for i, c := range calls {
				assert.Equal(t, "read", c.Name)
				assert.JSONEq(t, args[i], c.Args)
				assert.NotEmpty(t, c.CallID)
			}
			assert.NotEqual(t, calls[0].CallID, calls[1].CallID)
			assert.Equal(t, llm.FinishToolCalls, answer.Finish)
			want := llm.Usage{Input: 10, CacheRead: 5, Output: 7, Reasoning: 2}
			if quirks.NoUsage {
				want = llm.Usage{}
			}
			assert.Equal(t, want, answer.Usage)
		})
	}
}

func TestNeitherFinishReasonNorDoneIsACut(t *testing.T) {
	s := modeltest.New(t, modeltest.Always(modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(3)}, Quirks: modeltest.Quirks{NoFinish: true, NoDone: true, NoUsage: true}}))
	_, err := openai.NewChat(config(t, s)).Stream(within(t), ask("say"), func(llm.Piece) {})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, llm.ErrDropped, e.Kind)
}

func TestDialects(t *testing.T) {
	body := func(t *testing.T, d openai.Dialect, change func(*llm.Request)) map[string]any {
		t.Helper()
		s := modeltest.New(t, modeltest.Always(modeltest.Say("ok")))
		c := config(t, s)
		c.Dialect = d
		req := ask("hello")
		req.MaxOutput, req.Effort = 1000, "high"
		if change != nil {
			change(req)
		}
		_, err := openai.NewChat(c).Stream(within(t), req, func(llm.Piece) {})
		require.NoError(t, err)
		var out map[string]any
		require.NoError(t, json.Unmarshal(s.Requests()[0].Body, &out))
		return out
	}
	withCall := func(req *llm.Request) {
		req.Messages = append(req.Messages,
			llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.Reasoning, Text: "I think.", Meta: llm.NewMeta("openrouter", `[{"type":"reasoning.text","text":"I think.","signature":"s"}]`)}, llm.Block{Kind: llm.ToolCall, CallID: "call_long_id", Name: "read", Args: "{}"}),
			llm.NewMessage(llm.RoleTool, llm.Block{Kind: llm.ToolResult, CallID: "call_long_id", Name: "read", Text: "x"}))
	}

	plain := body(t, openai.Dialect{}, withCall)
	assert.EqualValues(t, 1000, plain["max_tokens"])
	assert.Equal(t, "high", plain["reasoning_effort"])
	assert.Equal(t, map[string]any{"include_usage": true}, plain["stream_options"])
	assert.NotContains(t, plain, "prompt_cache_key")
	assistant := plain["messages"].([]any)[1].(map[string]any)
	assert.NotContains(t, assistant, "reasoning_content")
	assert.NotContains(t, assistant, "reasoning_details")

	own := body(t, openai.Dialect{NewMaxTokens: true, CacheKey: true}, nil)
	assert.EqualValues(t, 1000, own["max_completion_tokens"])
	assert.NotContains(t, own, "max_tokens")
	assert.Equal(t, "c", own["prompt_cache_key"])

	mistral := body(t, openai.Dialect{NoStreamOptions: true, ShortCallIDs: true}, withCall)
	assert.NotContains(t, mistral, "stream_options")
	id := mistral["messages"].([]any)[2].(map[string]any)["tool_call_id"]
	assert.Regexp(t, `^[a-zA-Z0-9]{9}$`, id)

	deepseek := body(t, openai.Dialect{EchoReasoning: true}, withCall)
	assert.Equal(t, "I think.", deepseek["messages"].([]any)[1].(map[string]any)["reasoning_content"])

	router := body(t, openai.Dialect{ReasoningObject: true, ReasoningDetails: true}, withCall)
	assert.Equal(t, map[string]any{"effort": "high"}, router["reasoning"])
	details := router["messages"].([]any)[1].(map[string]any)["reasoning_details"].([]any)
	assert.Equal(t, "s", details[0].(map[string]any)["signature"])
}

func TestResponsesCopesWithWhatAnAccountMayNot(t *testing.T) {
	s := modeltest.New(t, modeltest.Queue(
		modeltest.Reply{Status: 400, Error: "Your organization must be verified to generate reasoning summaries.", Type: "unsupported_value"},
		modeltest.Say("one"),
		modeltest.Reply{Status: 400, Error: "The encrypted content could not be verified.", Type: "invalid_encrypted_content"},
		modeltest.Say("two"),
	), modeltest.Options{NoCheck: true})
	c := config(t, s)
	c.Reasoning = true
	model := openai.NewResponses(c)
	req := ask("hello")
	req.Messages = append(req.Messages,
		llm.NewMessage(llm.RoleAssistant, llm.Block{Kind: llm.Reasoning, Meta: llm.NewMeta("openai-responses", `{"type":"reasoning","summary":[],"encrypted_content":"of another account"}`)}, llm.Block{Kind: llm.Text, Text: "Hi."}),
		llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "go on"}))

	first, err := model.Stream(within(t), req, func(llm.Piece) {})
	require.NoError(t, err)
	second, err := model.Stream(within(t), req, func(llm.Piece) {})
	require.NoError(t, err)

	assert.Equal(t, "one", first.Blocks[0].Text)
	assert.Equal(t, "two", second.Blocks[0].Text)
	list := s.Requests()
	require.Len(t, list, 4)
	assert.Contains(t, string(list[0].Body), `"summary":"auto"`)
	assert.NotContains(t, string(list[1].Body), `"summary":"auto"`)
	assert.Contains(t, string(list[2].Body), "of another account")
	assert.NotContains(t, string(list[3].Body), "of another account")
}

func TestResponsesNeverStores(t *testing.T) {
	s := modeltest.New(t, modeltest.Always(modeltest.Say("ok")))
	req := ask("hello")
	req.MaxOutput, req.Effort = 500, "low"
	_, err := openai.NewResponses(config(t, s)).Stream(within(t), req, func(llm.Piece) {})
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(s.Requests()[0].Body, &out))
	assert.Equal(t, false, out["store"])
	assert.Equal(t, "c", out["prompt_cache_key"])
	assert.EqualValues(t, 500, out["max_output_tokens"])
	assert.Equal(t, []any{"reasoning.encrypted_content"}, out["include"])
}

func TestALimitThatDoesNotFitBesideTheConversationIsLeftOut(t *testing.T) {
	const tooMuch = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion)."
	s := modeltest.New(t, modeltest.Queue(modeltest.Reply{Status: 400, Error: tooMuch}, modeltest.Say("ok"), modeltest.Reply{Status: 400, Error: tooMuch}))
	model := openai.NewChat(config(t, s))
	req := ask("hello")
	req.MaxOutput = 2000

	_, err := model.Stream(within(t), req, func(llm.Piece) {})
	require.NoError(t, err)
	req.MaxOutput = 0
	_, err = model.Stream(within(t), req, func(llm.Piece) {})

	var e *llm.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, llm.ErrContextLimit, e.Kind)
	list := s.Requests()
	require.Len(t, list, 3)
	assert.EqualValues(t, 2000, list[0].MaxOutput)
	assert.Zero(t, list[1].MaxOutput)
}
