// Package openai speaks the two protocols of OpenAI: Chat Completions, which most other providers and local servers
// speak too, each in its own dialect, and Responses. Sources: https://platform.openai.com/docs/api-reference/chat and
// https://platform.openai.com/docs/api-reference/responses.
package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"mobius/backend/llm"
)

// Config is one model of one endpoint.
type Config struct {
	Client    *http.Client
	BaseURL   string // up to and including /v1
	Key       string // may be empty for local servers
	KeyHeader string // the header of the key, "" = Authorization with "Bearer"
	Model     string
	Reasoning bool          // Responses: the model reasons, so its reasoning is asked for
	Idle      time.Duration // see transport.Request
	First     time.Duration
	Header    http.Header // more headers, may be nil
	Dialect   Dialect     // Chat Completions only
}

// Dialect is how a server's Chat Completions differ from OpenAI's.
type Dialect struct {
	NewMaxTokens     bool // the output limit is called max_completion_tokens; the old name is an error
	NoStreamOptions  bool // usage comes unasked, and asking for it is an error
	ReasoningObject  bool // effort goes into an object named reasoning (OpenRouter)
	EchoReasoning    bool // reasoning is given back as reasoning_content with the calls it led to (DeepSeek, Moonshot)
	ReasoningDetails bool // reasoning is given back as reasoning_details, as they came (OpenRouter)
	ShortCallIDs     bool // ids of calls are nine letters and digits (Mistral)
	CacheKey         bool // it takes prompt_cache_key
}

func (c *Config) header() http.Header {
	h := http.Header{}
	for k, v := range c.Header {
		h[k] = v
	}
	switch {
	case c.Key == "":
	case c.KeyHeader != "":
		h.Set(c.KeyHeader, c.Key)
	default:
		h.Set("Authorization", "Bearer "+c.Key)
	}
	return h
}

// document puts an encoded list at the end of an encoded object, without copying the list's parts.
func document(object []byte, member string, list [][]byte) [][]byte {
	out := make([][]byte, 0, 2*len(list)+2)
	out = append(out, append(bytes.TrimSuffix(object, []byte("}")), member...))
	for i, b := range list {
		if i > 0 {
			out = append(out, comma)
		}
		out = append(out, b)
	}
	return append(out, end)
}

var (
	comma = []byte(",")
	end   = []byte("]}")
)

// marshal encodes values that always encode: strings, checked JSON, and lists and maps of them.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func dataURL(b llm.Block) string {
	return "data:" + b.MIME + ";base64," + base64.StdEncoding.EncodeToString(b.Data)
}
