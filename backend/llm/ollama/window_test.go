package ollama_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm"
	"mobius/backend/llm/modeltest"
	"mobius/backend/llm/ollama"
	"mobius/backend/llm/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, o modeltest.Options) (*modeltest.Server, *ollama.Model) {
	o.Kind = "ollama"
	s := modeltest.New(t, modeltest.Always(modeltest.Say("ok")), o)
	client := transport.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return s, ollama.New(ollama.Config{Client: client, BaseURL: s.URL, Model: "test-model"})
}

func ask(bytes int) *llm.Request {
	return &llm.Request{Messages: []*llm.Message{llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: strings.Repeat("word ", bytes/5)})}}
}

func stream(m *ollama.Model, req *llm.Request) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err := m.Stream(ctx, req, func(llm.Piece) {})
	return err
}

// contexts gives the contexts that were asked for.
func contexts(t *testing.T, s *modeltest.Server) []int64 {
	var list []int64
	for _, r := range s.Requests() {
		var q struct {
			Options struct {
				Context int64 `json:"num_ctx"`
			}
			Truncate *bool
		}
		require.NoError(t, json.Unmarshal(r.Body, &q))
		require.NotNil(t, q.Truncate)
		assert.False(t, *q.Truncate)
		list = append(list, q.Options.Context)
	}
	return list
}

func TestTheContextGrowsInStepsWithTheConversationUpToTheModelsCard(t *testing.T) {
	s, m := start(t, modeltest.Options{Models: []modeltest.Listed{{ID: "test-model", Context: 40_000}}})
	for _, bytes := range []int{100, 15_000, 30_000, 100, 110_000} {
		require.NoError(t, stream(m, ask(bytes)))
	}
	assert.Equal(t, []int64{8192, 8192, 16384, 16384, 40_000}, contexts(t, s))
}

func TestAConversationBeyondTheCardIsRefusedInsteadOfCut(t *testing.T) {
	s, m := start(t, modeltest.Options{Models: []modeltest.Listed{{ID: "test-model", Context: 4096}}})
	err := stream(m, ask(20_000))
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, llm.ErrContextLimit, e.Kind)
	assert.Contains(t, e.Message, "4096")
	assert.Empty(t, s.Requests())
}

func TestWhatIsLoadedIsNotLoadedAgain(t *testing.T) {
	s, m := start(t, modeltest.Options{Models: []modeltest.Listed{{ID: "test-model", Context: 131072}}, Context: 65536})
	require.NoError(t, stream(m, ask(100)))
	require.NoError(t, stream(m, ask(90_000)))
	assert.Equal(t, []int64{65536, 65536}, contexts(t, s))
}

func TestAModelThatIsNotThereIsNamed(t *testing.T) {
	_, m := start(t, modeltest.Options{Models: []modeltest.Listed{{ID: "another", Context: 4096}}})
	err := stream(m, ask(10))
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, llm.ErrNotFound, e.Kind)
	assert.Contains(t, e.Message, "test-model")
}

func TestOnlyAModelThatThinksIsAskedTo(t *testing.T) {
	s, m := start(t, modeltest.Options{})
	req := ask(10)
	req.Effort = "high"
	require.NoError(t, stream(m, req))
	assert.Contains(t, string(s.Requests()[0].Body), `"think":true`)
}
