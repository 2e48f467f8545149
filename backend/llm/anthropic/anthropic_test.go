package anthropic_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm"
	"mobius/backend/llm/anthropic"
	"mobius/backend/llm/modeltest"
	"mobius/backend/llm/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sent gives the body of a request.
func sent(t *testing.T, model string, req *llm.Request, replies ...modeltest.Reply) (*modeltest.Server, map[string]any) {
	t.Helper()
	if replies == nil {
		replies = []modeltest.Reply{modeltest.Say("ok")}
	}
	s := modeltest.New(t, modeltest.Queue(replies...))
	client := transport.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err := anthropic.New(anthropic.Config{Client: client, BaseURL: s.Base(modeltest.Anthropic), Key: "k", Model: model}).Stream(ctx, req, func(llm.Piece) {})
	require.NoError(t, err)
	list := s.Requests()
	var out map[string]any
	require.NoError(t, json.Unmarshal(list[len(list)-1].Body, &out))
	return s, out
}

func user(text string) *llm.Message {
	return llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: text})
}

func assistant(blocks ...llm.Block) *llm.Message { return llm.NewMessage(llm.RoleAssistant, blocks...) }

// marked tells which messages carry a cache mark.
func marked(body map[string]any) []int {
	var list []int
	for i, m := range body["messages"].([]any) {
		for _, c := range m.(map[string]any)["content"].([]any) {
			if c.(map[string]any)["cache_control"] != nil {
				list = append(list, i)
			}
		}
	}
	return list
}

func TestTheCacheIsMarkedWhereTheNextRequestFindsIt(t *testing.T) {
	tools := []llm.Tool{{Name: "a", Schema: `{"type":"object"}`}, {Name: "b", Schema: `{"type":"object"}`}}
	messages := []*llm.Message{
		user("one"), assistant(llm.Block{Kind: llm.Text, Text: "two"}), user("three"),
		assistant(llm.Block{Kind: llm.ToolCall, CallID: "x", Name: "a", Args: `{"k":{"l":{}}}`}),
		llm.NewMessage(llm.RoleTool, llm.Block{Kind: llm.ToolResult, CallID: "x", Name: "a", Text: "r"}),
	}

	_, body := sent(t, "m", &llm.Request{System: "s", Tools: tools, Messages: messages})

	assert.Equal(t, []int{2, 4}, marked(body))
	assert.NotNil(t, body["system"].([]any)[0].(map[string]any)["cache_control"])
	list := body["tools"].([]any)
	assert.Nil(t, list[0].(map[string]any)["cache_control"])
	assert.NotNil(t, list[1].(map[string]any)["cache_control"])
}

func TestEffortBecomesWhatTheModelTakes(t *testing.T) {
	for _, c := range []struct{ model, effort, thinking, output string }{
		{"claude-opus-4-7", "xhigh", `{"type":"adaptive","display":"summarized"}`, `{"effort":"xhigh"}`},
		{"claude-opus-5", "minimal", `{"type":"adaptive","display":"summarized"}`, `{"effort":"low"}`},
		{"claude-sonnet-4-5", "medium", `{"type":"enabled","budget_tokens":8192}`, ""},
		{"claude-opus-4-7", "", "", ""},
		{"claude-opus-4-7", "none", "", ""},
	} {
		_, body := sent(t, c.model, &llm.Request{Messages: []*llm.Message{user("hi")}, Effort: c.effort, MaxOutput: 4000})
		for key, want := range map[string]string{"thinking": c.thinking, "output_config": c.output} {
			if want == "" {
				assert.NotContains(t, body, key, "%s %s", c.model, c.effort)
				continue
			}
			got, err := json.Marshal(body[key])
			require.NoError(t, err)
			assert.JSONEq(t, want, string(got), "%s %s", c.model, c.effort)
		}
	}
}

func TestTheAnswerGetsTheRoomThatIsLeft(t *testing.T) {
	req := &llm.Request{Messages: []*llm.Message{user("hi")}, Effort: "high", MaxOutput: 64_000}
	refusal := modeltest.Reply{Status: 400, Error: "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000, decrease input length or `max_tokens` and try again"}

	_, body := sent(t, "claude-sonnet-4-5", req, refusal, modeltest.Say("ok"))

	assert.EqualValues(t, 200_000-190_000-64, body["max_tokens"])
	assert.NotContains(t, body, "thinking")
}

func TestForeignSignaturesAreLeftOutAfterTheyWereRefused(t *testing.T) {
	req := &llm.Request{CacheKey: "c", Messages: []*llm.Message{
		user("one"),
		assistant(llm.Block{Kind: llm.Reasoning, Text: "t", Meta: llm.NewMeta("anthropic", `{"type":"thinking","thinking":"t","signature":"of another account"}`)}, llm.Block{Kind: llm.Text, Text: "two"}),
		user("three"),
	}}

	s := modeltest.New(t, modeltest.Always(modeltest.Say("ok")), modeltest.Options{Violations: true})
	client := transport.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	model := anthropic.New(anthropic.Config{Client: client, BaseURL: s.Base(modeltest.Anthropic), Model: "m"})
	_, err := model.Stream(context.Background(), req, func(llm.Piece) {})
	require.NoError(t, err)
	_, err = model.Stream(context.Background(), req, func(llm.Piece) {})
	require.NoError(t, err)

	list := s.Requests()
	require.Len(t, list, 3, "refused once, then never again in this conversation")
	assert.NotEmpty(t, list[0].Violations)
	assert.Empty(t, list[1].Violations)
	assert.Empty(t, list[2].Violations)
}
