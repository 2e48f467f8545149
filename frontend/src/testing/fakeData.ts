import type {
  Bot,
  BotConfig,
  CapabilityInfo,
  Detected,
  Model,
  ProviderInstance,
  ProviderKind,
  Session,
  SessionEvent,
  Settings,
  Usage,
} from "@/backend/types";

/** Builders of records for tests and for looking at screens without a backend. */

export const NOW = Date.UTC(2026, 10, 30, 14, 20);

export const noUsage: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, cost_micros: 0 };

export function aConfig(over: Partial<BotConfig> = {}): BotConfig {
  return {
    provider: { instance: "demo", model: "demo" },
    system_prompt: "You are Mobius, a helpful assistant that runs on the person's own computer.",
    capabilities: { enabled: ["files"] },
    approval: "ask",
    delivery: "steer",
    max_model_steps: 256,
    ...over,
  };
}

export function aBot(over: Partial<Bot> = {}, config: Partial<BotConfig> = {}): Bot {
  return {
    id: "11111111-1111-4111-8111-111111111111",
    handle: "mobius",
    name: "Mobius",
    description: "Your helper on this computer. Reads, explains and writes.",
    tint: "blue",
    builtin: true,
    created_at: NOW,
    updated_at: NOW,
    config: { revision: 1, config: aConfig(config) },
    ...over,
  };
}

export function aSession(over: Partial<Session> = {}): Session {
  return {
    id: "01890000-0000-7000-8000-000000000001",
    bot_id: "11111111-1111-4111-8111-111111111111",
    title: "A conversation",
    workspace: "/home/ada/projects/atlas",
    pinned: false,
    created_at: NOW,
    updated_at: NOW,
    last_seq: 0,
    activity: "idle",
    queued: 0,
    totals: noUsage,
    ...over,
  };
}

export function aProvider(over: Partial<ProviderInstance> = {}): ProviderInstance {
  return {
    id: "demo",
    kind: "demo",
    name: "Demonstration",
    base_url: "",
    has_key: false,
    created_at: NOW,
    updated_at: NOW,
    ...over,
  };
}

export function aModel(over: Partial<Model> = {}): Model {
  return {
    id: "demo",
    name: "Demonstration",
    context_window: 32_000,
    max_output: 4_000,
    reasoning: false,
    images: false,
    tools: true,
    source: "catalogue",
    ...over,
  };
}

export const someSettings: Settings = {
  revision: 1,
  theme: "system",
  language: "en",
  send_key: "enter",
  font_size: 14,
  reduced_motion: false,
  default_folder: "/home/ada/Mobius",
  setup_done: true,
  default_bot_id: "11111111-1111-4111-8111-111111111111",
  title_model_auto: true,
};

const kind = (over: Partial<ProviderKind> & Pick<ProviderKind, "id" | "name">): ProviderKind => ({
  protocol: "openai_chat",
  base_url: "",
  needs_key: true,
  local: false,
  ...over,
});

export const someKinds: ProviderKind[] = [
  kind({
    id: "anthropic",
    name: "Anthropic",
    protocol: "anthropic",
    base_url: "https://api.anthropic.com",
    key_url: "https://console.anthropic.com/settings/keys",
    key_env: "ANTHROPIC_API_KEY",
    description: "Claude models.",
  }),
  kind({
    id: "openai",
    name: "OpenAI",
    protocol: "openai",
    base_url: "https://api.openai.com/v1",
    key_url: "https://platform.openai.com/api-keys",
    key_env: "OPENAI_API_KEY",
    description: "GPT models over the Responses API.",
  }),
  kind({
    id: "gemini",
    name: "Google Gemini",
    protocol: "gemini",
    base_url: "https://generativelanguage.googleapis.com",
    key_url: "https://aistudio.google.com/apikey",
    key_env: "GEMINI_API_KEY",
  }),
  kind({
    id: "openrouter",
    name: "OpenRouter",
    base_url: "https://openrouter.ai/api/v1",
    key_env: "OPENROUTER_API_KEY",
  }),
  kind({ id: "mistral", name: "Mistral", base_url: "https://api.mistral.ai/v1", key_env: "MISTRAL_API_KEY" }),
  kind({ id: "deepseek", name: "DeepSeek", base_url: "https://api.deepseek.com", key_env: "DEEPSEEK_API_KEY" }),
  kind({ id: "ollama", name: "Ollama", base_url: "http://127.0.0.1:11434/v1", needs_key: false, local: true }),
  kind({ id: "lmstudio", name: "LM Studio", base_url: "http://127.0.0.1:1234/v1", needs_key: false, local: true }),
  kind({ id: "openai_chat", name: "OpenAI-compatible server", needs_key: false, description: "Any other address." }),
  kind({ id: "demo", name: "Demonstration", protocol: "demo", needs_key: false, local: true }),
];

export const someDetected: Detected[] = [
  { kind: "anthropic", name: "Anthropic", source: "environment", env_var: "ANTHROPIC_API_KEY", key_hint: "…x9Qa" },
  {
    kind: "ollama",
    name: "Ollama",
    source: "server",
    base_url: "http://127.0.0.1:11434/v1",
    models: ["qwen3:8b", "llama3.2:3b"],
  },
];

export const someModels: Record<string, Model[]> = {
  demo: [aModel()],
  anthropic: [
    aModel({
      id: "claude-sonnet",
      name: "Claude Sonnet",
      context_window: 200_000,
      max_output: 64_000,
      reasoning: true,
      efforts: ["low", "medium", "high"],
      images: true,
      prices: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
    }),
    aModel({
      id: "claude-haiku",
      name: "Claude Haiku",
      context_window: 200_000,
      max_output: 32_000,
      images: true,
      prices: { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 },
    }),
  ],
  ollama: [
    aModel({ id: "qwen3:8b", name: "qwen3:8b", context_window: 40_960, source: "server", reasoning: true }),
    aModel({ id: "llama3.2:3b", name: "llama3.2:3b", context_window: 0, source: "server", tools: false }),
  ],
};

export const someCapabilities: CapabilityInfo[] = [
  {
    id: "files",
    name: "Read files",
    description: "Lists, reads and searches the files of the conversation's folder. Changes nothing.",
    tools: [
      { name: "list", description: "Lists a folder.", read_only: true },
      { name: "read", description: "Reads a file or a part of it.", read_only: true },
      { name: "glob", description: "Finds files by a pattern.", read_only: true },
      { name: "search", description: "Searches the text of files.", read_only: true },
    ],
  },
];

const TITLES = [
  "Plan the release of version two",
  "Why does the nightly build fail?",
  "Explain the session actor to a new colleague",
  "Compare three ways of storing events",
  "Draft the letter to the landlord",
  "Names for the new service",
  "Read the logs from Tuesday and find the first error",
  "Recipes with what is in the fridge",
  "Translate the README into German",
  "What changed between the two configurations?",
  "Sort the invoices of 2025 by supplier",
  "Rename the variables in parser.go",
];

const HOUR = 3_600_000;

export function someSessions(count: number, bots: Bot[]): Session[] {
  return Array.from({ length: count }, (_, i) => {
    const bot = bots[i % 5 === 3 ? 1 % bots.length : i % 7 === 5 ? 2 % bots.length : 0] ?? aBot();
    return aSession({
      id: `01890000-0000-7000-8000-${String(i + 1).padStart(12, "0")}`,
      bot_id: bot.id,
      title: TITLES[i % TITLES.length] + (i >= TITLES.length ? ` (${Math.floor(i / TITLES.length) + 1})` : ""),
      workspace: i % 4 === 1 ? "/home/ada/letters" : "/home/ada/projects/atlas",
      pinned: i === 4 || i === 8,
      created_at: Date.now() - i * 5 * HOUR,
      updated_at: Date.now() - i * 5 * HOUR - 60_000,
      activity: i === 1 ? "running" : "idle",
      last_outcome: i === 5 ? "failed" : "completed",
      last_message: "The first error is in line 42.",
    });
  });
}

/** The journal of one finished turn, from sequence `first`. */
export function aTurn(first: number, question: string, answer: string, at = NOW): SessionEvent[] {
  const turn_id = `t${first}`;
  const usage = { ...noUsage, input: 820, output: 140, cost_micros: 4_600, context: 960 };
  return [
    { seq: first, at, kind: "turn.started", turn_id, message: { id: `m${first}`, author: "user", text: question } },
    {
      seq: first + 1,
      at: at + 900,
      kind: "step.completed",
      turn_id,
      step: { index: 0, model: "demo", blocks: [{ kind: "text", text: answer }], finish: "stop", usage },
    },
    { seq: first + 2, at: at + 950, kind: "turn.completed", turn_id, outcome: { status: "completed", usage } },
  ];
}
