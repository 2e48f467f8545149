package transport

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/llm"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func TestRetryAfterInEveryForm(t *testing.T) {
	for _, c := range []struct {
		name   string
		header map[string]string
		want   time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": "3"}, 3 * time.Second},
		{"fractions", map[string]string{"Retry-After": " 1.5 "}, 1500 * time.Millisecond},
		{"a date", map[string]string{"Retry-After": "Tue, 01 Dec 2026 12:01:00 GMT"}, time.Minute},
		{"an old form of date", map[string]string{"Retry-After": "Tuesday, 01-Dec-26 12:01:00 GMT"}, time.Minute},
		{"a date that is over", map[string]string{"Retry-After": "Tue, 01 Dec 2026 11:00:00 GMT"}, 0},
		{"milliseconds win", map[string]string{"Retry-After": "3", "Retry-After-Ms": "250"}, 250 * time.Millisecond},
		{"nonsense", map[string]string{"Retry-After": "soon"}, 0},
		{"negative", map[string]string{"Retry-After": "-5"}, 0},
		{"not a number", map[string]string{"Retry-After": "NaN", "Retry-After-Ms": "Inf"}, 0},
		{"for ever", map[string]string{"Retry-After": "1e300"}, 0},
		{"the limit that is used up", map[string]string{"X-Ratelimit-Remaining-Requests": "5", "X-Ratelimit-Reset-Requests": "1h", "X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "6m0.5s"}, 6*time.Minute + 500*time.Millisecond},
		{"a moment in milliseconds", map[string]string{"X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "1796126430000"}, 30 * time.Second},
		{"nothing", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for k, v := range c.header {
				h.Set(k, v)
			}
			assert.Equal(t, c.want, RetryAfter(h, now))
		})
	}
}

func TestErrorBodiesOfProviders(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   llm.ErrorKind
		text   string
	}{
		{"OpenAI key", 401, `{"error":{"message":"Incorrect API key provided: sk-abc***.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, llm.ErrKeyInvalid, "Incorrect API key"},
		{"Gemini key", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]`, llm.ErrKeyInvalid, "API key not valid"},
		{"xAI key", 400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai."}`, llm.ErrKeyInvalid, "Incorrect API key"},
		{"OpenAI context", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`, llm.ErrContextLimit, "8192"},
		{"Anthropic context", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, llm.ErrContextLimit, "213462"},
		{"Anthropic context with output", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000\"}}", llm.ErrContextLimit, "200000"},
		{"Anthropic size", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, llm.ErrContextLimit, "maximum size"},
		{"llama.cpp context", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, llm.ErrContextLimit, "available context"},
		{"LM Studio context", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`, llm.ErrContextLimit, "greater than"},
		{"vLLM context", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","param":null,"code":400}`, llm.ErrContextLimit, "4096"},
		{"xAI context", 400, `{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`, llm.ErrContextLimit, "131072"},
		{"Gemini context", 400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, llm.ErrContextLimit, "1048576"},
		{"OpenAI quota", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.ErrRefused, "quota"},
		{"OpenAI too large for the limit", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 60000.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrRefused, "Request too large"},
		{"OpenAI limit", 429, `{"error":{"message":"Rate limit reached. Please try again in 1m2.5s.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.ErrRateLimited, "Rate limit"},
		{"unknown model", 404, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`, llm.ErrNotFound, "does not exist"},
		{"OpenRouter model", 400, `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, llm.ErrNotFound, "not a valid model"},
		{"OpenRouter behind", 502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":{\"message\":\"upstream is down\"}}","provider_name":"X"}}}`, llm.ErrOverloaded, "upstream is down"},
		{"FastAPI", 422, `{"detail":[{"loc":["body","x"],"msg":"extra fields not permitted"}]}`, llm.ErrRefused, "extra fields"},
		{"FastAPI text", 403, `{"detail":"Forbidden here"}`, llm.ErrForbidden, "Forbidden here"},
		{"Mistral", 401, `{"message":"Unauthorized","request_id":"x"}`, llm.ErrKeyInvalid, "Unauthorized"},
		{"plain text", 500, `Internal Server Error`, llm.ErrOverloaded, "Internal"},
		{"nothing", 503, ``, llm.ErrOverloaded, "Service Unavailable"},
		{"nothing at all", 599, ``, llm.ErrOverloaded, "599"},
		{"a page", 200, `<html>`, llm.ErrMalformed, "web page"},
		{"a page where nothing is", 404, ` <!doctype html>`, llm.ErrNotFound, "base URL"},
		{"no credit", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, llm.ErrRefused, "Insufficient"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Classify(c.status, http.Header{}, []byte(c.body), now)
			assert.Equal(t, c.want, e.Kind)
			assert.Contains(t, e.Message, c.text)
		})
	}
}

func TestWaitsInBodies(t *testing.T) {
	google := Classify(429, http.Header{}, []byte(`[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}]`), now)
	assert.Equal(t, 34500*time.Millisecond, google.RetryAfter)
	openAI := Classify(429, http.Header{}, []byte(`{"error":{"message":"Please try again in 1m2.5s. Visit…","code":"rate_limit_exceeded"}}`), now)
	assert.Equal(t, 62500*time.Millisecond, openAI.RetryAfter)
	both := Classify(429, http.Header{"Retry-After": {"2"}}, []byte(`{"error":{"message":"Please try again in 9s."}}`), now)
	assert.Equal(t, 2*time.Second, both.RetryAfter, "the header is more exact")
}

func TestLongMessagesAreCutAtACharacter(t *testing.T) {
	e := Classify(400, http.Header{}, []byte(`{"error":{"message":"`+strings.Repeat("ü", 5000)+`"}}`), now)
	assert.True(t, utf8.ValidString(e.Message))
	assert.Less(t, len(e.Message), 700)
}

func TestAKeyThatComesBackInAnErrorIsHidden(t *testing.T) {
	err := redact(Classify(401, http.Header{}, []byte(`{"error":{"message":"wrong key: secret-key-1"}}`), now), "secret-key-1")
	require.NotContains(t, err.Error(), "secret-key-1")
	assert.Contains(t, err.Error(), "wrong key")
}

func FuzzClassify(f *testing.F) {
	f.Add(400, `{"error":{"message":"m","code":1,"details":[{"retryDelay":"1s"}],"metadata":{"raw":"[{\"error\":{}}]"}}}`)
	f.Add(429, `[{"error":"x"}]`)
	f.Add(500, `<html>`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		e := Classify(status, http.Header{}, []byte(body), now)
		if e.Kind == "" || e.Message == "" || len(e.Message) > 2*maxMessage+10 || !utf8.ValidString(e.Message) || e.RetryAfter < 0 {
			t.Fatalf("%+v", e)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("3", "Tue, 01 Dec 2026 12:01:00 GMT", "1e9")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		h := http.Header{"Retry-After": {a}, "Retry-After-Ms": {b}, "X-Ratelimit-Reset": {c}, "X-Ratelimit-Remaining": {"0"}}
		if d := RetryAfter(h, now); d < 0 || d > longestWait {
			t.Fatalf("%v", d)
		}
	})
}
