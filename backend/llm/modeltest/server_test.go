package modeltest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func post(t testing.TB, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(b)
}

const (
	chatOK      = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	messagesURL = "/v1/messages"
)

func TestAStreamedReplyHasTheProtocolsForm(t *testing.T) {
	s := modeltest.New(t, modeltest.Always(modeltest.Reply{Parts: []modeltest.Part{modeltest.Text(`a "b" é`, 2)}}))

	status, body := post(t, s.URL+"/v1/chat/completions", chatOK)

	assert.Equal(t, 200, status)
	var text string
	for _, event := range strings.Split(strings.TrimSpace(body), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		require.True(t, ok, event)
		if data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct{ Content string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(data), &chunk))
		for _, c := range chunk.Choices {
			text += c.Delta.Content
		}
	}
	assert.Equal(t, `a "b" é`, text)
	assert.True(t, strings.HasSuffix(body, "data: [DONE]\n\n"))
}

func TestMalformedRequestsAreFound(t *testing.T) {
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]}`
	use := `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read","input":{}}]}`
	for _, c := range []struct{ name, path, body, want string }{
		{"unanswered call", "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"},` + call + `,{"role":"user","content":"go on"}]}`, "not answered"},
		{"answered twice", "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"},` + call + `,{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"tool","tool_call_id":"c1","content":"x"}]}`, "answered twice"},
		{"orphan result", "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c1","content":"x"}]}`, "without calls"},
		{"wrong role", "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"robot","content":"hi"}]}`, `role "robot"`},
		{"broken arguments", "/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"},` + strings.Replace(call, `"{}"`, `"{"`, 1) + `,{"role":"tool","tool_call_id":"c1","content":"x"}]}`, "not a JSON object"},
		{"no JSON", "/v1/chat/completions", `{`, "not of the protocol"},
		{"stored", "/v1/responses", `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`, "store is not false"},
		{"foreign reasoning", "/v1/responses", `{"model":"m","stream":true,"store":false,"input":[{"type":"message","role":"user","content":"hi"},{"type":"reasoning","summary":[],"encrypted_content":"x"},{"type":"message","role":"assistant","content":"a"},{"type":"message","role":"user","content":"hi"}]}`, "not sent like this"},
		{"no max_tokens", messagesURL, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`, "max_tokens"},
		{"foreign signature", messagesURL, `{"model":"m","max_tokens":10,"stream":true,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"}]},{"role":"user","content":"hi"}]}`, "does not fit its signature"},
		{"unanswered use", messagesURL, `{"model":"m","max_tokens":10,"stream":true,"messages":[{"role":"user","content":"hi"},` + use + `,{"role":"user","content":"hi"}]}`, "not answered"},
		{"unsigned call", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"read","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"result":"x"}}}]}]}`, "missing a thoughtSignature"},
		{"key in the address", "/v1beta/models/m:streamGenerateContent?alt=sse&key=k", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, "key is in the address"},
		{"unknown tool result", "/api/chat", `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"tool","content":"x"}]}`, "without calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Always(modeltest.Say("ok")), modeltest.Options{Violations: true})

			status, _ := post(t, s.URL+c.path, c.body, "Anthropic-Version", "2023-06-01")

			assert.Equal(t, 400, status)
			assert.Contains(t, strings.Join(s.Violations(), "\n"), c.want)
		})
	}
}

func TestTheQueueAnswersInTurnAndRequestsAreRecorded(t *testing.T) {
	s := modeltest.New(t, modeltest.Queue(modeltest.RateLimited("1"), modeltest.Say("hello")))

	first, _ := post(t, s.URL+"/v1/chat/completions", chatOK)
	second, _ := post(t, s.URL+"/v1/chat/completions", chatOK)
	third, _ := post(t, s.URL+"/v1/chat/completions", chatOK)

	assert.Equal(t, []int{429, 200, 500}, []int{first, second, third})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(t, s.Wait(ctx, 3))
	list := s.Requests()
	require.Len(t, list, 3)
	assert.Equal(t, "hi", list[1].LastUser())
	assert.Equal(t, chatOK, string(list[1].Body))
	assert.Equal(t, []int{1, 2, 3}, []int{list[0].N, list[1].N, list[2].N})
}

func TestObeyDoesWhatTheUserSays(t *testing.T) {
	s := modeltest.New(t, modeltest.Obey)
	ask := func(text string) (int, string) {
		b, err := json.Marshal(map[string]any{"model": "m", "stream": true, "messages": []map[string]string{{"role": "user", "content": text}}})
		require.NoError(t, err)
		return post(t, s.URL+"/v1/chat/completions", string(b))
	}

	_, said := ask("say 3")
	_, reasoned := ask("reason 2, say 1 every 1ms")
	_, called := ask(`call read {"path":"a"}`)
	failed, _ := ask("status 529")

	assert.Contains(t, said, `"w2 "`)
	assert.NotContains(t, said, `"w3 "`)
	assert.Contains(t, reasoned, `"reasoning_content":"w1 "`)
	assert.Contains(t, called, `"name":"read"`)
	assert.Equal(t, 529, failed)
}

// BenchmarkServer measures what a delta costs the server and a client that only reads: it must stay far below what the
// programs that are measured with it cost.
func BenchmarkServer(b *testing.B) {
	for _, p := range []struct{ name, path, body string }{
		{"chat", "/v1/chat/completions", chatOK},
		{"responses", "/v1/responses", `{"model":"m","stream":true,"store":false,"input":[{"type":"message","role":"user","content":"hi"}]}`},
		{"anthropic", messagesURL, `{"model":"m","max_tokens":10,"stream":true,"messages":[{"role":"user","content":"hi"}]}`},
		{"gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
	} {
		b.Run(p.name, func(b *testing.B) {
			s := modeltest.New(b, modeltest.Always(modeltest.SayWords(b.N)))
			b.ResetTimer()
			req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+p.path, bytes.NewReader([]byte(p.body)))
			require.NoError(b, err)
			req.Header.Set("Anthropic-Version", "2023-06-01")
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			res, err := client.Do(req)
			require.NoError(b, err)
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deltas/s")
		})
	}
}
