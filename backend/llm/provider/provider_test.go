package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm"
	"mobius/backend/llm/modeltest"
	"mobius/backend/llm/transport"
	"mobius/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

const testKey = "sk-test-1234567890abcdef"

func registry(t *testing.T) *Registry {
	client := transport.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	r := New(client, clock{}, func(string) llm.Model { return nil })
	r.Getenv = func(string) string { return "" }
	r.Ports = nil
	return r
}

// instance is an instance of a kind at a server.
func instance(t *testing.T, r *Registry, kind, base string) wire.ProviderInstance {
	t.Helper()
	normal, err := r.Normalize(kind, base)
	require.NoError(t, err)
	return wire.ProviderInstance{ID: "one", Kind: kind, Name: "One", BaseURL: normal}
}

// baseOf is what a person would type for a kind at a server.
func baseOf(k *kind, s *modeltest.Server) string {
	if k.Protocol == protocolGemini {
		return s.URL + "/v1beta"
	}
	if k.ID == "azure" || k.ID == "zai" {
		return s.URL + "/v1"
	}
	return s.URL
}

func TestEveryKindTalks(t *testing.T) {
	for i := range kinds {
		k := &kinds[i]
		if k.ID == Demo {
			continue
		}
		t.Run(k.ID, func(t *testing.T) {
			options := modeltest.Options{Key: testKey}
			if k.keyHeader != "" {
				options.Key = ""
			}
			s := modeltest.New(t, modeltest.Queue(modeltest.Calls(modeltest.Call("read", `{"path":"a"}`)), modeltest.Say("Done.")), options)
			r := registry(t)
			model, err := r.Model(instance(t, r, k.ID, baseOf(k, s)), testKey+"\n", "test-model")
			require.NoError(t, err)
			req := &llm.Request{System: "s", Effort: "low", CacheKey: "c", MaxOutput: 4000, Messages: []*llm.Message{llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: "hi"})}}

			answer, err := model.Stream(context.Background(), req, func(llm.Piece) {})
			require.NoError(t, err)
			call := answer.Blocks[0]
			req.Messages = append(req.Messages, llm.NewMessage(llm.RoleAssistant, answer.Blocks...), llm.NewMessage(llm.RoleTool, llm.Block{Kind: llm.ToolResult, CallID: call.CallID, Name: call.Name, Text: "x"}))
			answer, err = model.Stream(context.Background(), req, func(llm.Piece) {})

			require.NoError(t, err)
			assert.Equal(t, "Done.", answer.Blocks[0].Text)
			if k.keyHeader != "" {
				assert.Equal(t, testKey, s.Requests()[0].Header.Get(k.keyHeader))
			}
		})
	}
}

func TestAddressesAsPeopleTypeThem(t *testing.T) {
	r := registry(t)
	for _, c := range []struct{ kind, typed, want string }{
		{"openai", "", "https://api.openai.com/v1"},
		{"openai", " https://api.openai.com/v1/ ", "https://api.openai.com/v1"},
		{"openai", "api.openai.com", "https://api.openai.com/v1"},
		{"openai", "http://api.openai.com/v1", "https://api.openai.com/v1"},
		{"openai", "https://API.OpenAI.com/v1/responses?x=1#y", "https://api.openai.com/v1"},
		{"groq", "https://api.groq.com", "https://api.groq.com/openai/v1"},
		{"openrouter", "openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1"},
		{"anthropic", "https://api.anthropic.com/v1/messages", "https://api.anthropic.com"},
		{"anthropic", "https://api.anthropic.com/v1", "https://api.anthropic.com"},
		{"anthropic", "https://proxy.example/anthropic/", "https://proxy.example/anthropic"},
		{"gemini", "https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta"},
		{"gemini", "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent?key=k", "https://generativelanguage.googleapis.com/v1beta"},
		{"ollama", "localhost:11434", "http://localhost:11434"},
		{"ollama", "http://localhost:11434/v1/", "http://localhost:11434"},
		{"ollama", "http://localhost:11434/api/chat", "http://localhost:11434"},
		{"ollama", "0.0.0.0:11434", "http://127.0.0.1:11434"},
		{"lmstudio", "\"127.0.0.1:1234\"", "http://127.0.0.1:1234/v1"},
		{"compatible", "nas:8080", "http://nas:8080/v1"},
		{"compatible", "192.168.1.5:8080/v1/models", "http://192.168.1.5:8080/v1"},
		{"compatible", "[::1]:8080", "http://[::1]:8080/v1"},
		{"compatible", "<https://llm.example.com/serve/v1/>", "https://llm.example.com/serve/v1"},
		{"azure", "https://mine.openai.azure.com", "https://mine.openai.azure.com/openai/v1"},
		{"demo", "whatever", ""},
	} {
		got, err := r.Normalize(c.kind, c.typed)
		require.NoError(t, err, c.typed)
		assert.Equal(t, c.want, got, "%s %q", c.kind, c.typed)
		again, err := r.Normalize(c.kind, got)
		require.NoError(t, err)
		assert.Equal(t, got, again, "what was normalised stays")
	}
	for _, c := range []struct{ kind, typed string }{
		{"compatible", ""}, {"azure", ""}, {"openai", "ftp://x"}, {"openai", "https://key@host/v1"}, {"openai", "https://"}, {"openai", "two words"}, {"openai", "https://x/" + strings.Repeat("y", 3000)}, {"nothing", "https://x"},
	} {
		_, err := r.Normalize(c.kind, c.typed)
		var rejection *wire.Rejection
		require.ErrorAs(t, err, &rejection, c.typed)
		assert.Equal(t, wire.CodeInvalidProvider, rejection.Code)
		assert.NotContains(t, rejection.Message, "key@host", "what was typed may hold a key")
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add("https://api.openai.com/v1/")
	f.Add("[::1]:80/models")
	f.Fuzz(func(t *testing.T, typed string) {
		r := New(nil, clock{}, nil)
		for i := range kinds {
			got, err := r.Normalize(kinds[i].ID, typed)
			if err != nil || kinds[i].ID == Demo {
				continue
			}
			if u, e := url.Parse(got); e != nil || u.Host == "" || u.RawQuery != "" || u.User != nil {
				t.Fatalf("%q became %q", typed, got)
			}
		}
	})
}

func TestListsOfModels(t *testing.T) {
	models := []modeltest.Listed{{ID: "small", Context: 4096}, {ID: "large", Context: 131072}}
	for _, c := range []struct {
		kind    string
		server  string
		context int64 // with which it is loaded
		want    int64 // window of "large"
	}{
		{"ollama", "ollama", 0, 131072}, {"lmstudio", "lmstudio", 8192, 8192}, {"llamacpp", "llamacpp", 16384, 16384}, {"vllm", "vllm", 0, 131072}, {"compatible", "vllm", 0, 131072}, {"gemini", "", 0, 131072}, {"anthropic", "", 0, 0},
	} {
		t.Run(c.kind, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Obey, modeltest.Options{Kind: c.server, Models: models, Context: c.context})
			r := registry(t)
			list, err := r.Models(context.Background(), instance(t, r, c.kind, baseOf(kindOf(c.kind), s)), testKey)
			require.NoError(t, err)
			require.Len(t, list, 2, "only what can be talked to")
			assert.Equal(t, "large", list[0].ID)
			assert.Equal(t, c.want, list[0].ContextWindow)
			assert.True(t, list[0].Tools)
		})
	}
}

func serve(t *testing.T, answers map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestListsOfRemoteProviders(t *testing.T) {
	r := registry(t)
	one := func(kind, document string) wire.Model {
		t.Helper()
		base := serve(t, map[string]string{"/v1/models": document})
		list, err := r.Models(context.Background(), wire.ProviderInstance{Kind: kind, BaseURL: base + "/v1"}, testKey)
		require.NoError(t, err)
		require.NotEmpty(t, list)
		return list[0]
	}

	router := one("openrouter", `{"data":[{"id":"new/model","name":"New","context_length":99000,"architecture":{"input_modalities":["text","image"]},"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003"},"supported_parameters":["reasoning"]}]}`)
	assert.Equal(t, "New", router.Name)
	assert.EqualValues(t, 99000, router.ContextWindow)
	assert.True(t, router.Images)
	assert.True(t, router.Reasoning)
	assert.False(t, router.Tools)
	assert.InDelta(t, 3, router.Prices.Input, 1e-9)
	assert.InDelta(t, 0.3, router.Prices.CacheRead, 1e-9)

	together := one("together", `[{"id":"a/embed","type":"embedding"},{"id":"b/chat","type":"chat","context_length":32000,"pricing":{"input":0.5,"output":1.5}}]`)
	assert.Equal(t, "b/chat", together.ID)
	assert.InDelta(t, 1.5, together.Prices.Output, 1e-9)

	mistral := one("mistral", `{"data":[{"id":"ocr","capabilities":{"completion_chat":false}},{"id":"talks","max_context_length":131072,"capabilities":{"completion_chat":true}}]}`)
	assert.Equal(t, "talks", mistral.ID)

	openai := one("openai", `{"data":[{"id":"text-embedding-3-small"},{"id":"whisper-1"},{"id":"gpt-4o"}]}`)
	assert.Equal(t, "gpt-4o", openai.ID)
	assert.EqualValues(t, 128000, openai.ContextWindow)
}

func TestTestSaysPlainlyHowItWent(t *testing.T) {
	for i := range kinds {
		k := &kinds[i]
		if k.ID == Demo || k.keyHeader != "" {
			continue
		}
		t.Run(k.ID, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Obey, modeltest.Options{Key: testKey})
			r := registry(t)
			p := instance(t, r, k.ID, baseOf(k, s))
			if k.testPath != "" { // a server that has it
				p.BaseURL = serve(t, map[string]string{"/v1/key": `{}`, "/v1/models": `{"data":[{"id":"m"}]}`}) + "/v1"
			}

			good := r.Test(context.Background(), p, testKey)
			assert.True(t, good.OK, good.Message)
			assert.Equal(t, 1, good.Models)
			if k.Protocol != protocolOllama && k.testPath == "" { // which asks nobody for a key to list its models
				bad := r.Test(context.Background(), p, "sk-wrong-wrong-wrong")
				assert.False(t, bad.OK)
				assert.Equal(t, wire.CodeModelKeyInvalid, bad.Code)
				assert.NotContains(t, bad.Message, "sk-wrong-wrong-wrong")
				assert.Contains(t, bad.Message, "key")
			}
			if k.NeedsKey {
				assert.Equal(t, wire.CodeModelKeyInvalid, r.Test(context.Background(), p, "").Code)
			}
			p.BaseURL = "http://127.0.0.1:1" + strings.TrimPrefix(p.BaseURL, s.URL)
			away := r.Test(context.Background(), p, testKey)
			assert.Equal(t, wire.CodeModelUnreachable, away.Code, away.Message)
		})
	}
}

func TestAServerWithoutAListIsTestedByARequestThatCostsNothing(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"messages is required"}}`))
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer s.Close()
	r := registry(t)
	got := r.Test(context.Background(), wire.ProviderInstance{Kind: compatible, BaseURL: s.URL + "/v1"}, "")
	assert.True(t, got.OK)
	assert.Contains(t, got.Message, "type the name")
	wrong := r.Test(context.Background(), wire.ProviderInstance{Kind: compatible, BaseURL: s.URL + "/elsewhere"}, "")
	assert.Equal(t, wire.CodeModelNotFound, wrong.Code)
}

func TestAPublicListDoesNotHideAWrongKey(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`))
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer s.Close()
	got := registry(t).Test(context.Background(), wire.ProviderInstance{Kind: "openrouter", BaseURL: s.URL + "/v1"}, testKey)
	assert.Equal(t, wire.CodeModelKeyInvalid, got.Code)
}

func portNumber(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return port
}

func TestServersOnLoopbackAreToldApart(t *testing.T) {
	r := registry(t)
	want := map[string]string{}
	for _, kind := range []string{"ollama", "lmstudio", "llamacpp", "vllm"} {
		s := modeltest.New(t, modeltest.Obey, modeltest.Options{Kind: kind})
		r.Ports = append(r.Ports, portNumber(t, s.URL))
		want[kind] = s.URL
	}
	plain := serve(t, map[string]string{"/v1/models": `{"object":"list","data":[{"id":"mine"}]}`})
	page := serve(t, map[string]string{"/v1/models": `<html>a router</html>`})
	other := serve(t, map[string]string{"/v1/models": `{"status":"fine"}`})
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	r.Ports = append(r.Ports, portNumber(t, plain), portNumber(t, page), portNumber(t, other), silent.Addr().(*net.TCPAddr).Port, 1)
	want[compatible] = plain

	found := r.Detect(context.Background())

	require.Len(t, found, len(want))
	for _, d := range found {
		assert.Equal(t, "server", d.Source)
		root := strings.TrimSuffix(strings.Replace(d.BaseURL, "127.0.0.1", "127.0.0.1", 1), "/v1")
		assert.Equal(t, want[d.Kind], root, d.Kind)
		assert.Len(t, d.Models, 1)
		normal, err := r.Normalize(d.Kind, d.BaseURL)
		require.NoError(t, err)
		assert.Equal(t, d.BaseURL, normal)
	}
}

func TestKeysInTheEnvironmentAreFoundButNotShown(t *testing.T) {
	r := registry(t)
	env := map[string]string{"ANTHROPIC_API_KEY": testKey, "GOOGLE_API_KEY": "short", "OPENAI_API_KEY": testKey, "OPENAI_BASE_URL": "https://gateway.example/v1/", "HOME": "/root"}
	r.Getenv = func(name string) string { return env[name] }

	found := r.Detect(context.Background())

	text, err := json.Marshal(found)
	require.NoError(t, err)
	assert.NotContains(t, string(text), testKey)
	assert.NotContains(t, string(text), "short")
	require.Len(t, found, 3)
	assert.Equal(t, wire.Detected{Kind: "anthropic", Name: "Anthropic", BaseURL: "https://api.anthropic.com", Source: "environment", EnvVar: "ANTHROPIC_API_KEY", KeyHint: "…cdef"}, found[0])
	assert.Equal(t, "https://gateway.example/v1", found[1].BaseURL, "a key for another address is not sent to OpenAI")
	assert.Equal(t, compatible, found[1].Kind)
	assert.Empty(t, found[2].KeyHint)
	assert.Equal(t, testKey, r.EnvironmentKey("ANTHROPIC_API_KEY"))
	assert.Empty(t, r.EnvironmentKey("HOME"), "only variables that detection names")
}

func TestEveryErrorIsExplainedWithANextStep(t *testing.T) {
	codes := map[llm.ErrorKind]wire.Code{
		llm.ErrKeyInvalid: wire.CodeModelKeyInvalid, llm.ErrForbidden: wire.CodeModelForbidden, llm.ErrNotFound: wire.CodeModelNotFound, llm.ErrContextLimit: wire.CodeModelContextLimit,
		llm.ErrRateLimited: wire.CodeModelRateLimited, llm.ErrOverloaded: wire.CodeModelOverloaded, llm.ErrUnreachable: wire.CodeModelUnreachable, llm.ErrDropped: wire.CodeModelDropped,
		llm.ErrSilent: wire.CodeModelSilent, llm.ErrMalformed: wire.CodeModelMalformed, llm.ErrEmpty: wire.CodeModelEmpty, llm.ErrTooLarge: wire.CodeModelTooLarge, llm.ErrRefused: wire.CodeModelRefused,
	}
	for kind, code := range codes {
		got := Explain(&llm.Error{Kind: kind, Message: "because."})
		assert.Equal(t, code, got.Code)
		assert.Contains(t, got.Message, "(because)")
		assert.Regexp(t, `\. [A-Z].*\.$`, got.Message, "what happened, then what to do")
	}
	assert.Nil(t, Explain(nil))
	assert.Equal(t, wire.CodeGatewayError, Explain(errors.New("x")).Code)
	assert.Equal(t, wire.CodeModelUnset, Explain(wire.Reject(wire.CodeModelUnset, "x")).Code)
	assert.Contains(t, Explain(&llm.Error{Kind: llm.ErrRateLimited, RetryAfter: 5 * time.Hour}).Message, "5 hours")
}

func TestAllRequestsOfAnInstanceShareItsLimiter(t *testing.T) {
	r := registry(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	blocked := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- r.Attempts("one")(ctx, func(llm.Wait) { close(blocked) }, func(context.Context, int) error {
			return &llm.Error{Kind: llm.ErrRateLimited, RetryAfter: time.Minute}
		})
	}()
	<-blocked

	other := r.Attempts("two")(ctx, func(llm.Wait) {}, func(context.Context, int) error { return nil })
	require.NoError(t, other, "another instance does not wait")
	held := make(chan llm.Wait, 1)
	go func() {
		done <- r.Attempts("one")(ctx, func(w llm.Wait) { held <- w }, func(context.Context, int) error { return nil })
	}()
	w := <-held
	assert.Equal(t, llm.ErrRateLimited, w.Err.Kind)
	assert.Greater(t, time.Until(w.Until), 50*time.Second)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestKindsAreComplete(t *testing.T) {
	r := registry(t)
	seen := map[string]bool{}
	for _, k := range r.Kinds() {
		assert.False(t, seen[k.ID])
		seen[k.ID] = true
		assert.NotEmpty(t, k.Name)
		if k.BaseURL != "" {
			normal, err := r.Normalize(k.ID, k.BaseURL)
			require.NoError(t, err)
			assert.Equal(t, k.BaseURL, normal, "an address is its own normal form")
		}
		if k.NeedsKey {
			assert.NotEmpty(t, k.KeyURL, k.ID)
		}
	}
	for _, id := range []string{"openai", "openai_chat", "anthropic", "gemini", "ollama", "lmstudio", "llamacpp", "vllm", "openrouter", "deepseek", "mistral", "groq", "xai", "together", "fireworks", "azure", "compatible", "demo"} {
		assert.True(t, seen[id], id)
	}
	assert.NotNil(t, kindOf("openai-chat"), "as it was spelt at first")
}
