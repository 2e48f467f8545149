// Package provider knows the kinds of model provider that Mobius can use: how each is addressed, how its models are
// listed, how its connection is tested and its errors explained, and which are present on this machine.
package provider

import (
	"net/http"
	"net/url"
	"os"
	"strings"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/llm/anthropic"
	"mobius/backend/llm/catalogue"
	"mobius/backend/llm/gemini"
	"mobius/backend/llm/openai"
	"mobius/backend/llm/retry"
	"mobius/backend/wire"

	"context"
	"sync"
)

// The protocols.
const (
	protocolChat      = "openai-chat"
	protocolResponses = "openai-responses"
	protocolAnthropic = "anthropic"
	protocolGemini    = "gemini"
	protocolDemo      = "demo"
)

// Demo is the kind of the built-in offline model.
const Demo = "demo"

var kinds = [...]wire.ProviderKind{
	{ID: "anthropic", Name: "Anthropic", Protocol: protocolAnthropic, BaseURL: "https://api.anthropic.com", NeedsKey: true, KeyURL: "https://console.anthropic.com/settings/keys", KeyEnv: "ANTHROPIC_API_KEY"},
	{ID: "openai", Name: "OpenAI", Protocol: protocolResponses, BaseURL: "https://api.openai.com/v1", NeedsKey: true, KeyURL: "https://platform.openai.com/api-keys", KeyEnv: "OPENAI_API_KEY"},
	{ID: "gemini", Name: "Google Gemini", Protocol: protocolGemini, BaseURL: "https://generativelanguage.googleapis.com/v1beta", NeedsKey: true, KeyURL: "https://aistudio.google.com/apikey", KeyEnv: "GEMINI_API_KEY"},
	{ID: "openrouter", Name: "OpenRouter", Protocol: protocolChat, BaseURL: "https://openrouter.ai/api/v1", NeedsKey: true, KeyURL: "https://openrouter.ai/keys", KeyEnv: "OPENROUTER_API_KEY"},
	{ID: "deepseek", Name: "DeepSeek", Protocol: protocolChat, BaseURL: "https://api.deepseek.com/v1", NeedsKey: true, KeyURL: "https://platform.deepseek.com/api_keys", KeyEnv: "DEEPSEEK_API_KEY"},
	{ID: "mistral", Name: "Mistral", Protocol: protocolChat, BaseURL: "https://api.mistral.ai/v1", NeedsKey: true, KeyURL: "https://console.mistral.ai/api-keys", KeyEnv: "MISTRAL_API_KEY"},
	{ID: "groq", Name: "Groq", Protocol: protocolChat, BaseURL: "https://api.groq.com/openai/v1", NeedsKey: true, KeyURL: "https://console.groq.com/keys", KeyEnv: "GROQ_API_KEY"},
	{ID: "xai", Name: "xAI", Protocol: protocolChat, BaseURL: "https://api.x.ai/v1", NeedsKey: true, KeyURL: "https://console.x.ai", KeyEnv: "XAI_API_KEY"},
	{ID: "moonshot", Name: "Moonshot", Protocol: protocolChat, BaseURL: "https://api.moonshot.ai/v1", NeedsKey: true, KeyURL: "https://platform.moonshot.ai/console/api-keys", KeyEnv: "MOONSHOT_API_KEY"},
	{ID: "ollama", Name: "Ollama", Protocol: protocolChat, BaseURL: "http://127.0.0.1:11434/v1", Local: true, Description: "Ollama cuts a conversation at its own context length (OLLAMA_CONTEXT_LENGTH); set it to what your model can hold."},
	{ID: "lmstudio", Name: "LM Studio", Protocol: protocolChat, BaseURL: "http://127.0.0.1:1234/v1", Local: true},
	{ID: "llamacpp", Name: "llama.cpp", Protocol: protocolChat, BaseURL: "http://127.0.0.1:8080/v1", Local: true},
	{ID: "vllm", Name: "vLLM", Protocol: protocolChat, BaseURL: "http://127.0.0.1:8000/v1", Local: true},
	{ID: "openai-chat", Name: "OpenAI (Chat Completions)", Protocol: protocolChat, BaseURL: "https://api.openai.com/v1", NeedsKey: true, KeyURL: "https://platform.openai.com/api-keys"},
	{ID: "compatible", Name: "Any OpenAI-compatible server", Protocol: protocolChat, Description: "Any server that speaks Chat Completions; give its base URL."},
	{ID: Demo, Name: "Offline demonstration", Protocol: protocolDemo, Local: true, Description: "Needs no key and no network. It is a demonstration, not an AI."},
}

// Registry makes models of provider instances; it implements what the gateway asks of providers.
type Registry struct {
	client    *http.Client
	clock     retry.Clock
	demo      func(model string) llm.Model
	catalogue catalogue.Catalogue
	getenv    func(string) string

	mu       sync.Mutex
	limiters map[string]*retry.Limiter
}

// New makes a registry. demo makes the built-in offline model.
func New(client *http.Client, clock retry.Clock, demo func(model string) llm.Model) *Registry {
	return &Registry{client: client, clock: clock, demo: demo, getenv: os.Getenv, limiters: map[string]*retry.Limiter{}}
}

// Kinds lists the kinds of provider.
func (r *Registry) Kinds() []wire.ProviderKind { return append([]wire.ProviderKind{}, kinds[:]...) }

func kindOf(id string) *wire.ProviderKind {
	for i := range kinds {
		if kinds[i].ID == id {
			return &kinds[i]
		}
	}
	return nil
}

// Normalize gives the base URL as it is used from what a person typed: the scheme may be missing, a slash, the version
// or the whole address of an endpoint may follow.
func (r *Registry) Normalize(kind, typed string) (string, error) {
	k := kindOf(kind)
	if k == nil {
		return "", wire.Reject(wire.CodeInvalidProvider, "The kind of provider %q does not exist.", kind)
	}
	typed = strings.TrimSpace(typed)
	if typed == "" {
		typed = k.BaseURL
	}
	if k.Protocol == protocolDemo {
		return "", nil
	}
	if typed == "" {
		return "", wire.Reject(wire.CodeInvalidProvider, "%s needs a base URL, such as http://127.0.0.1:8080/v1.", k.Name)
	}
	if !strings.Contains(typed, "://") {
		scheme := "https://"
		if host, _, _ := strings.Cut(typed, ":"); host == "localhost" || strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "192.168.") || strings.HasPrefix(host, "10.") {
			scheme = "http://"
		}
		typed = scheme + typed
	}
	u, err := url.Parse(typed)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || len(typed) > 2048 {
		return "", wire.Reject(wire.CodeInvalidProvider, "%q is not an address like https://host/v1. A key belongs in its own field.", typed)
	}
	u.RawQuery, u.Fragment = "", ""
	path := strings.TrimRight(u.Path, "/")
	for _, endpoint := range []string{"/chat/completions", "/responses", "/v1/messages", "/messages", "/models"} {
		path = strings.TrimSuffix(path, endpoint)
	}
	switch k.Protocol {
	case protocolAnthropic:
		path = strings.TrimSuffix(path, "/v1")
	case protocolGemini:
		if path == "" {
			path = "/v1beta"
		}
	default:
		if path == "" {
			path = "/v1"
		}
	}
	u.Path = path
	return u.String(), nil
}

// Model makes a client for one model of an instance.
func (r *Registry) Model(p wire.ProviderInstance, key, model string) (llm.Model, error) {
	k := kindOf(p.Kind)
	if k == nil {
		return nil, wire.Reject(wire.CodeModelUnset, "This version of Mobius does not know the kind of provider %q.", p.Kind)
	}
	if k.NeedsKey && key == "" {
		return nil, wire.Reject(wire.CodeModelKeyInvalid, "%s needs a key. Add it in the provider settings.", p.Name)
	}
	switch k.Protocol {
	case protocolAnthropic:
		return anthropic.New(anthropic.Config{Client: r.client, BaseURL: p.BaseURL, Key: key, Model: model}), nil
	case protocolGemini:
		return gemini.New(gemini.Config{Client: r.client, BaseURL: p.BaseURL, Key: key, Model: model}), nil
	case protocolResponses:
		return openai.NewResponses(openai.Config{Client: r.client, BaseURL: p.BaseURL, Key: key, Model: model}), nil
	case protocolDemo:
		return r.demo(model), nil
	}
	return openai.NewChat(openai.Config{Client: r.client, BaseURL: p.BaseURL, Key: key, Model: model}), nil
}

// Attempts gives the retry policy of an instance; all its requests share one limiter.
func (r *Registry) Attempts(instance string) agent.Attempts {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.limiters[instance]
	if l == nil {
		l = retry.NewLimiter(r.clock)
		r.limiters[instance] = l
	}
	return func(ctx context.Context, waiting func(agent.Wait), do func(ctx context.Context, attempt int) error) error {
		return l.Do(ctx, func(w retry.Wait) { waiting(agent.Wait{Err: w.Err, Attempt: w.Attempt, Until: w.Until}) }, do)
	}
}

// Info tells what the catalogue knows of a model.
func (r *Registry) Info(kind, model string) wire.Model {
	if kind == Demo {
		return demoModel(model)
	}
	return r.catalogue.Lookup(kind, model)
}

func demoModel(id string) wire.Model {
	name := "Demonstration"
	if id != Demo {
		name = "Demonstration, without pauses"
	}
	return wire.Model{ID: id, Name: name, ContextWindow: 128_000, Reasoning: true, Tools: true, Source: "catalogue", Prices: &wire.Prices{}}
}

// Cost prices usage, in millionths of a US dollar.
func (r *Registry) Cost(u llm.Usage, prices *wire.Prices) int64 { return catalogue.Cost(u, prices) }
