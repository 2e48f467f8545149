package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mobius/backend/llm"
	"mobius/backend/llm/anthropic"
	"mobius/backend/llm/catalogue"
	"mobius/backend/llm/ollama"
	"mobius/backend/llm/transport"
	"mobius/backend/wire"
)

const (
	maxCards     = 60 // models of an Ollama server whose cards are read
	cardsAtATime = 6
)

// listed is a model as the list of a server gives it, with the names that different servers use.
type listed struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Model       string `json:"model"`        // Ollama
	DisplayName string `json:"display_name"` // Anthropic
	Shown       string `json:"displayName"`  // Gemini
	OwnedBy     string `json:"owned_by"`
	Type        string `json:"type"` // LM Studio, Together

	Context     int64 `json:"context_length"`        // OpenRouter, Together
	Window      int64 `json:"context_window"`        // Groq
	MaxModelLen int64 `json:"max_model_len"`         // vLLM
	MaxContext  int64 `json:"max_context_length"`    // Mistral, LM Studio
	Loaded      int64 `json:"loaded_context_length"` // LM Studio
	InputLimit  int64 `json:"inputTokenLimit"`       // Gemini
	OutputLimit int64 `json:"outputTokenLimit"`
	MaxTokens   int64 `json:"max_completion_tokens"` // Groq

	Methods      []string        `json:"supportedGenerationMethods"` // Gemini
	Parameters   []string        `json:"supported_parameters"`       // OpenRouter
	Capabilities json.RawMessage `json:"capabilities"`               // Mistral, LM Studio
	Architecture struct {
		Inputs []string `json:"input_modalities"`
	} `json:"architecture"`
	Pricing struct { // OpenRouter: dollars a token, as texts; Together: dollars a million, as numbers
		Prompt     string  `json:"prompt"`
		Completion string  `json:"completion"`
		Read       string  `json:"input_cache_read"`
		Write      string  `json:"input_cache_write"`
		Input      float64 `json:"input"`
		Output     float64 `json:"output"`
	} `json:"pricing"`
}

// Models asks the instance's server for its models and adds what the catalogue knows of each.
func (r *Registry) Models(ctx context.Context, p wire.ProviderInstance, key string) ([]wire.Model, error) {
	k := kindOf(p.Kind)
	if k == nil {
		return nil, wire.Reject(wire.CodeInvalidProvider, "The kind of provider %q does not exist.", p.Kind)
	}
	if k.Protocol == protocolDemo {
		return []wire.Model{demoModel(Demo), demoModel(Demo + "-fast")}, nil
	}
	key = strings.TrimSpace(key)
	all, err := r.list(ctx, k, p.BaseURL, key)
	if err != nil {
		return nil, err
	}
	list := make([]wire.Model, 0, len(all))
	for i := range all {
		if id := all[i].id(); id != "" && k.offers(&all[i]) {
			list = append(list, r.describe(k, id, &all[i]))
		}
	}
	switch k.ID {
	case "ollama":
		r.readCards(ctx, p, key, list)
	case "lmstudio":
		r.studio(ctx, p, key, list)
	case "llamacpp":
		r.props(ctx, p, key, list)
	}
	// What the catalogue knows comes first: it is what can be used for conversations, among all that a server offers.
	slices.SortStableFunc(list, func(a, b wire.Model) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

func rank(m wire.Model) int {
	if m.Source == catalogue.SourceServer {
		return 1
	}
	return 0
}

func (l *listed) id() string {
	return strings.TrimPrefix(cmp.Or(l.ID, l.Model, l.Name), "models/")
}

// noChat are names of models that are not for conversations.
var noChat = regexp.MustCompile(`(?i)embed|whisper|tts|dall-e|moderation|-image|image-|imagine|realtime|audio|transcribe|babbage|davinci|sora|guard|rerank|playai|orpheus|search-api|computer-use`)

// offers tells whether a model can be talked to.
func (k *kind) offers(l *listed) bool {
	switch {
	case k.Protocol == protocolGemini:
		return slices.Contains(l.Methods, "generateContent")
	case k.ID == "lmstudio":
		return l.Type != "embeddings" && !strings.HasPrefix(l.ID, "text-embedding")
	case k.ID == "together":
		return l.Type == "" || l.Type == "chat" || l.Type == "language"
	case k.chatOnly:
		return !noChat.MatchString(l.ID)
	}
	var can struct {
		Chat *bool `json:"completion_chat"` // Mistral
	}
	return json.Unmarshal(l.Capabilities, &can) != nil || can.Chat == nil || *can.Chat
}

// describe puts together what the catalogue and the server know. How much a model reads, the server knows better.
func (r *Registry) describe(k *kind, id string, l *listed) wire.Model {
	m := r.catalogue.Lookup(k.ID, id)
	if name := cmp.Or(l.DisplayName, l.Shown); name != "" && m.Source == catalogue.SourceServer {
		m.Name = name
	} else if l.Name != "" && l.ID != "" && m.Source == catalogue.SourceServer {
		m.Name = l.Name
	}
	m.ContextWindow = cmp.Or(l.Loaded, l.MaxModelLen, l.Context, l.Window, l.MaxContext, l.InputLimit, m.ContextWindow)
	if m.MaxOutput == 0 {
		m.MaxOutput = cmp.Or(l.OutputLimit, l.MaxTokens)
	}
	if m.Source == catalogue.SourceServer {
		m.Images = slices.Contains(l.Architecture.Inputs, "image")
		if l.Parameters != nil {
			m.Tools, m.Reasoning = slices.Contains(l.Parameters, "tools"), slices.Contains(l.Parameters, "reasoning")
		}
	}
	if m.Prices == nil {
		m.Prices = l.prices()
	}
	return m
}

// prices gives what the server charges, nil when it does not say.
func (l *listed) prices() *wire.Prices {
	if l.Pricing.Input > 0 || l.Pricing.Output > 0 {
		return &wire.Prices{Input: l.Pricing.Input, Output: l.Pricing.Output}
	}
	if l.Pricing.Prompt == "" || l.Pricing.Completion == "" {
		return nil
	}
	million := func(s string) float64 {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f < 0 || f > 1 {
			return 0
		}
		return f * 1e6
	}
	return &wire.Prices{Input: million(l.Pricing.Prompt), Output: million(l.Pricing.Completion), CacheRead: million(l.Pricing.Read), CacheWrite: million(l.Pricing.Write)}
}

// list gives what a server lists.
func (r *Registry) list(ctx context.Context, k *kind, base, key string) ([]listed, error) {
	path := "/models"
	switch k.Protocol {
	case protocolAnthropic:
		path = "/v1/models?limit=1000"
	case protocolGemini:
		path = "/models?pageSize=1000"
	case protocolOllama:
		base, path = ollamaBase(base), "/api/tags"
	}
	var raw json.RawMessage
	if err := r.get(ctx, k, base+path, key, &raw); err != nil {
		return nil, err
	}
	var out struct {
		Data   []listed `json:"data"`
		Models []listed `json:"models"`
	}
	if json.Unmarshal(raw, &out.Data) == nil { // Together sends the bare list
		return out.Data, nil
	}
	out.Data = nil
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, transport.Malformed(err)
	}
	if out.Data == nil && out.Models == nil {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil || members["data"] == nil && members["models"] == nil {
			return nil, &llm.Error{Kind: llm.ErrMalformed, Message: "the answer is no list of models"}
		}
	}
	if out.Data == nil { // llama.cpp sends both
		return out.Models, nil
	}
	return out.Data, nil
}

// get reads a document with the kind's way to show the key.
func (r *Registry) get(ctx context.Context, k *kind, address, key string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return &llm.Error{Kind: llm.ErrUnreachable, Message: "the base URL is not a valid address"}
	}
	k.authorize(req, key)
	return transport.Get(req, r.client, key, out)
}

func (k *kind) authorize(req *http.Request, key string) {
	if k.Protocol == protocolAnthropic {
		req.Header.Set("Anthropic-Version", anthropic.Version)
	}
	switch {
	case key == "":
	case k.keyHeader != "":
		req.Header.Set(k.keyHeader, key)
	case k.Protocol == protocolAnthropic:
		req.Header.Set("X-Api-Key", key)
	case k.Protocol == protocolGemini:
		req.Header.Set("X-Goog-Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// readCards adds what an Ollama server knows of each of its models.
func (r *Registry) readCards(ctx context.Context, p wire.ProviderInstance, key string, list []wire.Model) {
	var group sync.WaitGroup
	slots := make(chan struct{}, cardsAtATime)
	for i := range list[:min(len(list), maxCards)] {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			m := ollama.New(ollama.Config{Client: r.client, BaseURL: ollamaBase(p.BaseURL), Key: key, Model: list[i].ID})
			card, err := m.Card(ctx)
			if err != nil {
				return // the model is listed without it
			}
			list[i].ContextWindow, list[i].Reasoning, list[i].Tools, list[i].Images = card.Context, card.Thinks, card.Tools, card.Images
		})
	}
	group.Wait()
}

// studio adds what LM Studio knows beyond the list that all have: with how much context a model is loaded.
func (r *Registry) studio(ctx context.Context, p wire.ProviderInstance, key string, list []wire.Model) {
	var own struct {
		Data []listed `json:"data"`
	}
	k := kindOf("lmstudio")
	if r.get(ctx, k, strings.TrimSuffix(p.BaseURL, "/v1")+"/api/v0/models", key, &own) != nil {
		return // an older version
	}
	for i := range list {
		for j := range own.Data {
			if l := &own.Data[j]; l.ID == list[i].ID {
				list[i].ContextWindow = cmp.Or(l.Loaded, l.MaxContext, list[i].ContextWindow)
				list[i].Images = l.Type == "vlm"
			}
		}
	}
}

// props adds with how much context llama.cpp was started; it serves one model.
func (r *Registry) props(ctx context.Context, p wire.ProviderInstance, key string, list []wire.Model) {
	var own struct {
		Settings struct {
			Context int64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
	}
	if r.get(ctx, kindOf("llamacpp"), strings.TrimSuffix(p.BaseURL, "/v1")+"/props", key, &own) != nil {
		return // it can be switched off
	}
	for i := range list {
		list[i].ContextWindow = cmp.Or(own.Settings.Context, list[i].ContextWindow)
		list[i].Images = own.Modalities.Vision
	}
}
