package provider

import (
	"time"

	"mobius/backend/llm/openai"
	"mobius/backend/wire"
)

// The protocols.
const (
	protocolChat      = "openai_chat"
	protocolResponses = "openai_responses"
	protocolAnthropic = "anthropic"
	protocolGemini    = "gemini"
	protocolOllama    = "ollama"
	protocolDemo      = "demo"
)

// Demo is the kind of the built-in offline model.
const Demo = "demo"

// compatible is the kind of a server that is only known by what it speaks.
const compatible = "compatible"

// kind is a kind of provider with what only this package needs to know of it.
type kind struct {
	wire.ProviderKind
	dialect   openai.Dialect
	keyHeader string   // "" = the protocol's own
	envs      []string // more variables that may hold the key
	baseEnv   string   // variable with the address that the key in the environment is for
	testPath  string   // a document that only a good key opens, when the list of models is open to all
	chatOnly  bool     // the list of models has others too, which are known by their names
	port      int      // where a local server listens
}

// kinds are the kinds in the order in which they are offered.
var kinds = [...]kind{
	{
		ProviderKind: wire.ProviderKind{ID: "anthropic", Name: "Anthropic", Protocol: protocolAnthropic, BaseURL: "https://api.anthropic.com", NeedsKey: true, KeyURL: "https://console.anthropic.com/settings/keys", KeyEnv: "ANTHROPIC_API_KEY", Description: "Claude models."},
		baseEnv:      "ANTHROPIC_BASE_URL",
	},
	{
		ProviderKind: wire.ProviderKind{ID: "openai", Name: "OpenAI", Protocol: protocolResponses, BaseURL: "https://api.openai.com/v1", NeedsKey: true, KeyURL: "https://platform.openai.com/api-keys", KeyEnv: "OPENAI_API_KEY", Description: "GPT models, through the Responses interface. Nothing is stored at OpenAI."},
		baseEnv:      "OPENAI_BASE_URL", chatOnly: true,
	},
	{
		ProviderKind: wire.ProviderKind{ID: "gemini", Name: "Google Gemini", Protocol: protocolGemini, BaseURL: "https://generativelanguage.googleapis.com/v1beta", NeedsKey: true, KeyURL: "https://aistudio.google.com/apikey", KeyEnv: "GEMINI_API_KEY", Description: "Gemini models."},
		envs:         []string{"GOOGLE_API_KEY"},
	},
	{
		ProviderKind: wire.ProviderKind{ID: "ollama", Name: "Ollama", Protocol: protocolOllama, BaseURL: "http://127.0.0.1:11434", Local: true, Description: "Models on this computer. Mobius asks Ollama for as much context as a conversation needs."},
		port:         11434,
	},
	{
		ProviderKind: wire.ProviderKind{ID: "lmstudio", Name: "LM Studio", Protocol: protocolChat, BaseURL: "http://127.0.0.1:1234/v1", Local: true, Description: "Models on this computer. Load one with a large enough context in LM Studio."},
		port:         1234,
	},
	{
		ProviderKind: wire.ProviderKind{ID: "llamacpp", Name: "llama.cpp", Protocol: protocolChat, BaseURL: "http://127.0.0.1:8080/v1", Local: true, Description: "llama-server on this computer. Start it with --jinja so that tools work."},
		dialect:      openai.Dialect{EchoReasoning: true}, port: 8080,
	},
	{
		ProviderKind: wire.ProviderKind{ID: "vllm", Name: "vLLM", Protocol: protocolChat, BaseURL: "http://127.0.0.1:8000/v1", Local: true, Description: "A vLLM server. Start it with --enable-auto-tool-choice so that tools work."},
		port:         8000,
	},
	{
		ProviderKind: wire.ProviderKind{ID: "openrouter", Name: "OpenRouter", Protocol: protocolChat, BaseURL: "https://openrouter.ai/api/v1", NeedsKey: true, KeyURL: "https://openrouter.ai/keys", KeyEnv: "OPENROUTER_API_KEY", Description: "Models of many providers with one key."},
		dialect:      openai.Dialect{ReasoningObject: true, ReasoningDetails: true}, testPath: "/key",
	},
	{
		ProviderKind: wire.ProviderKind{ID: "deepseek", Name: "DeepSeek", Protocol: protocolChat, BaseURL: "https://api.deepseek.com/v1", NeedsKey: true, KeyURL: "https://platform.deepseek.com/api_keys", KeyEnv: "DEEPSEEK_API_KEY"},
		dialect:      openai.Dialect{EchoReasoning: true},
	},
	{
		ProviderKind: wire.ProviderKind{ID: "mistral", Name: "Mistral", Protocol: protocolChat, BaseURL: "https://api.mistral.ai/v1", NeedsKey: true, KeyURL: "https://console.mistral.ai/api-keys", KeyEnv: "MISTRAL_API_KEY"},
		dialect:      openai.Dialect{NoStreamOptions: true, ShortCallIDs: true},
	},
	{ProviderKind: wire.ProviderKind{ID: "groq", Name: "Groq", Protocol: protocolChat, BaseURL: "https://api.groq.com/openai/v1", NeedsKey: true, KeyURL: "https://console.groq.com/keys", KeyEnv: "GROQ_API_KEY"}, chatOnly: true},
	{ProviderKind: wire.ProviderKind{ID: "xai", Name: "xAI", Protocol: protocolChat, BaseURL: "https://api.x.ai/v1", NeedsKey: true, KeyURL: "https://console.x.ai", KeyEnv: "XAI_API_KEY", Description: "Grok models."}, chatOnly: true},
	{
		ProviderKind: wire.ProviderKind{ID: "moonshot", Name: "Moonshot", Protocol: protocolChat, BaseURL: "https://api.moonshot.ai/v1", NeedsKey: true, KeyURL: "https://platform.moonshot.ai/console/api-keys", KeyEnv: "MOONSHOT_API_KEY", Description: "Kimi models."},
		dialect:      openai.Dialect{EchoReasoning: true},
	},
	{ProviderKind: wire.ProviderKind{ID: "together", Name: "Together", Protocol: protocolChat, BaseURL: "https://api.together.xyz/v1", NeedsKey: true, KeyURL: "https://api.together.ai/settings/api-keys", KeyEnv: "TOGETHER_API_KEY"}},
	{ProviderKind: wire.ProviderKind{ID: "fireworks", Name: "Fireworks", Protocol: protocolChat, BaseURL: "https://api.fireworks.ai/inference/v1", NeedsKey: true, KeyURL: "https://app.fireworks.ai/settings/users/api-keys", KeyEnv: "FIREWORKS_API_KEY"}},
	{
		ProviderKind: wire.ProviderKind{ID: "zai", Name: "Z.ai", Protocol: protocolChat, BaseURL: "https://api.z.ai/api/paas/v4", NeedsKey: true, KeyURL: "https://z.ai/manage-apikey/apikey-list", KeyEnv: "ZAI_API_KEY", Description: "GLM models."},
		dialect:      openai.Dialect{EchoReasoning: true},
	},
	{
		ProviderKind: wire.ProviderKind{ID: "azure", Name: "Azure OpenAI", Protocol: protocolResponses, NeedsKey: true, KeyURL: "https://portal.azure.com", Description: "Give the address of your resource, such as https://name.openai.azure.com/openai/v1. A model is called by the name of its deployment."},
		keyHeader:    "Api-Key", chatOnly: true,
	},
	{
		ProviderKind: wire.ProviderKind{ID: "openai_chat", Name: "OpenAI (Chat Completions)", Protocol: protocolChat, BaseURL: "https://api.openai.com/v1", NeedsKey: true, KeyURL: "https://platform.openai.com/api-keys", Description: "For models and accounts that the Responses interface does not serve."},
		dialect:      openai.Dialect{NewMaxTokens: true, CacheKey: true}, chatOnly: true,
	},
	{ProviderKind: wire.ProviderKind{ID: compatible, Name: "OpenAI-compatible server", Protocol: protocolChat, Description: "Any other server that speaks Chat Completions; give its base URL, such as http://127.0.0.1:8080/v1. A key is only needed if the server asks for one."}},
	{ProviderKind: wire.ProviderKind{ID: Demo, Name: "Offline demonstration", Protocol: protocolDemo, Local: true, Description: "Needs no key and no network. It is a demonstration, not an AI."}},
}

// kindOf finds a kind, nil if there is none.
func kindOf(id string) *kind {
	if id == "openai-chat" { // how it was spelt at first
		id = "openai_chat"
	}
	for i := range kinds {
		if kinds[i].ID == id {
			return &kinds[i]
		}
	}
	return nil
}

// patience is how long a stream may be silent before its first byte and between two.
type patience struct{ first, idle time.Duration }

// patience depends on who is silent: Anthropic sends a ping every few seconds; others send nothing while a model reasons
// without telling; a server on one's own machine may first have to load a model and to read the whole conversation.
func (k *kind) patience() patience {
	switch {
	case k.Local, k.ID == compatible:
		return patience{10 * time.Minute, 2 * time.Minute}
	case k.Protocol == protocolAnthropic:
		return patience{time.Minute, time.Minute}
	case k.Protocol == protocolResponses: // says at once that it began
		return patience{time.Minute, 5 * time.Minute}
	}
	return patience{5 * time.Minute, time.Minute}
}
