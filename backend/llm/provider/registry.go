// Package provider knows the kinds of model provider that Mobius can use: how each is addressed, how its models are
// listed, how its connection is tested and its errors explained, and which are present on this machine.
package provider

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/anthropic"
	"mobius/backend/llm/catalogue"
	"mobius/backend/llm/gemini"
	"mobius/backend/llm/ollama"
	"mobius/backend/llm/openai"
	"mobius/backend/llm/retry"
	"mobius/backend/wire"
)

// Registry makes models of provider instances; it implements what the gateway asks of providers.
type Registry struct {
	// Getenv, Ports and Idle are for tests: the environment, the ports of loopback at which model servers are looked for,
	// and how long a stream may be silent whatever the kind. They must be set before first use.
	Getenv func(string) string
	Ports  []int
	Idle   time.Duration

	client    *http.Client
	clock     retry.Clock
	demo      func(model string) llm.Model
	catalogue catalogue.Catalogue

	mu       sync.Mutex
	limiters map[string]*retry.Limiter
}

// New makes a registry. demo makes the built-in offline model.
func New(client *http.Client, clock retry.Clock, demo func(model string) llm.Model) *Registry {
	return &Registry{Getenv: os.Getenv, Ports: DefaultPorts(), client: client, clock: clock, demo: demo, limiters: map[string]*retry.Limiter{}}
}

// Kinds lists the kinds of provider.
func (r *Registry) Kinds() []wire.ProviderKind {
	list := make([]wire.ProviderKind, len(kinds))
	for i := range kinds {
		list[i] = kinds[i].ProviderKind
	}
	return list
}

// reasons knows the names of OpenAI's models that reason, for deployments that the catalogue does not list.
var reasons = regexp.MustCompile(`(^|/)(o[1-9]|gpt-[5-9]|codex)`)

// Model makes a client for one model of an instance.
func (r *Registry) Model(p wire.ProviderInstance, key, model string) (llm.Model, error) {
	k := kindOf(p.Kind)
	if k == nil {
		return nil, wire.Reject(wire.CodeModelUnset, "This version of Mobius does not know the kind of provider %q.", p.Kind)
	}
	key = strings.TrimSpace(key)
	if k.NeedsKey && key == "" {
		return nil, wire.Reject(wire.CodeModelKeyInvalid, "%s needs a key. Add it in the provider settings.", p.Name)
	}
	wait := k.patience()
	if r.Idle > 0 {
		wait = patience{r.Idle, r.Idle}
	}
	switch k.Protocol {
	case protocolDemo:
		return r.demo(model), nil
	case protocolAnthropic:
		return anthropic.New(anthropic.Config{Client: r.client, BaseURL: p.BaseURL, Key: key, Model: model, Idle: wait.idle, First: wait.first}), nil
	case protocolGemini:
		return gemini.New(gemini.Config{Client: r.client, BaseURL: p.BaseURL, Key: key, Model: model, Idle: wait.idle, First: wait.first}), nil
	case protocolOllama:
		return ollama.New(ollama.Config{Client: r.client, BaseURL: ollamaBase(p.BaseURL), Key: key, Model: model, Idle: wait.idle, First: wait.first}), nil
	}
	config := openai.Config{
		Client: r.client, BaseURL: p.BaseURL, Key: key, KeyHeader: k.keyHeader, Model: model, Idle: wait.idle, First: wait.first, Dialect: k.dialect,
	}
	if k.Protocol == protocolResponses {
		config.Reasoning = reasons.MatchString(model) || r.Info(p.Kind, model).Reasoning
		return openai.NewResponses(config), nil
	}
	return openai.NewChat(config), nil
}

// ollamaBase takes off what the address of its compatible endpoint has behind.
func ollamaBase(base string) string { return strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1") }

// Attempts gives the retry policy of an instance; all its requests share one limiter.
func (r *Registry) Attempts(instance string) llm.Attempts {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.limiters[instance]
	if l == nil {
		l = retry.NewLimiter(r.clock)
		r.limiters[instance] = l
	}
	return l.Do
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
	return wire.Model{ID: id, Name: name, ContextWindow: 128_000, Reasoning: true, Tools: true, Source: catalogue.SourceCatalogue, Prices: &wire.Prices{}}
}

// Cost prices usage, in millionths of a US dollar.
func (r *Registry) Cost(u llm.Usage, prices *wire.Prices) int64 { return catalogue.Cost(u, prices) }
