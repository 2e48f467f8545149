package wire

// ProviderKind is a kind of model provider that an instance can be made of.
type ProviderKind struct {
	ID          string `json:"id"`   // openai, openai_chat, anthropic, gemini, ollama, lmstudio, llamacpp, vllm, openrouter, deepseek, mistral, …, demo
	Name        string `json:"name"` // as people know it
	Protocol    string `json:"protocol"`
	BaseURL     string `json:"base_url"`          // default address, "" when the person must give one
	NeedsKey    bool   `json:"needs_key"`         // true when it does not work without one
	Local       bool   `json:"local"`             // runs on this machine
	KeyURL      string `json:"key_url,omitempty"` // page where a key is made
	KeyEnv      string `json:"key_env,omitempty"` // environment variable that usually holds the key
	Description string `json:"description,omitempty"`
}

// ProviderInstance is one configured provider. Its key is never readable back: HasKey and KeyHint is all there is.
type ProviderInstance struct {
	ID        string `json:"id"` // [a-z0-9-]{1,64}
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	BaseURL   string `json:"base_url"`
	HasKey    bool   `json:"has_key"`
	KeyHint   string `json:"key_hint,omitempty"` // the last four characters
	CreatedAt int64  `json:"created_at"`
	UpdatedAt int64  `json:"updated_at"`
}

// ProviderList is all instances at one revision of the catalog.
type ProviderList struct {
	Revision  uint64             `json:"revision"`
	Providers []ProviderInstance `json:"providers"`
}

// ProviderDraft creates an instance (empty ID) or changes one. An empty BaseURL is the kind's own.
// Key, when not empty, is put into the key store; it is never written anywhere else.
type ProviderDraft struct {
	ID      string `json:"id,omitempty"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	BaseURL string `json:"base_url,omitempty"`
	Key     string `json:"key,omitempty"`
}

// ProviderTest is the plain answer of a connection test.
type ProviderTest struct {
	OK        bool   `json:"ok"`
	Code      Code   `json:"code,omitempty"`
	Message   string `json:"message"` // what happened and what to do next
	Models    int    `json:"models"`
	LatencyMS int64  `json:"latency_ms"`
}

// Model is what is known about one model of an instance.
type Model struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	ContextWindow int64    `json:"context_window"` // tokens, 0 when unknown
	MaxOutput     int64    `json:"max_output"`
	Reasoning     bool     `json:"reasoning"`
	Efforts       []string `json:"efforts,omitempty"`
	Images        bool     `json:"images"`
	Tools         bool     `json:"tools"`
	Prices        *Prices  `json:"prices,omitempty"` // nil when unknown
	Source        string   `json:"source"`           // catalogue, server, override
}

// Prices are US dollars a million tokens.
type Prices struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// Detected is a provider that was found on this machine and could be set up at once.
type Detected struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	BaseURL string   `json:"base_url,omitempty"`
	Source  string   `json:"source"` // environment or server
	EnvVar  string   `json:"env_var,omitempty"`
	KeyHint string   `json:"key_hint,omitempty"`
	Models  []string `json:"models,omitempty"`
}

// shortestKey is what a key must have, in bytes, for a part of it to be shown: of a shorter one, the last four would say
// too much.
const shortestKey = 12

// KeyHint is what may be shown of a key: its last four characters, and nothing of a short one.
func KeyHint(key string) string {
	if len(key) < shortestKey {
		return ""
	}
	return "…" + key[len(key)-4:]
}
