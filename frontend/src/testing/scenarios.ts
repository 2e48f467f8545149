import { FakeBackend } from "./fakeBackend";
import { aBot, aProvider, aTurn, someDetected, someSessions } from "./fakeData";

/** A backend with something in it, for `npm run dev`. The address chooses: ?fake=first-start, nothing-found, rescue or many, and lang=de. */
export function installFakeBackend(): FakeBackend {
  const asked = new URLSearchParams(window.location.search);
  const scenario = asked.get("fake");
  const language = asked.get("lang") ?? "system";
  const bots = [
    aBot({}, { provider: { instance: "anthropic", model: "claude-sonnet", reasoning_effort: "medium" } }),
    aBot(
      {
        id: "b2",
        handle: "reviewer",
        name: "Reviewer",
        tint: "purple",
        builtin: false,
        description: "Reads changes and says what could break.",
      },
      { provider: { instance: "anthropic", model: "claude-haiku" } },
    ),
    aBot(
      {
        id: "b3",
        handle: "scribe",
        name: "Scribe",
        tint: "orange",
        builtin: false,
        description: "Writes letters, summaries and notes in your voice.",
      },
      { provider: { instance: "ollama", model: "qwen3:8b" } },
    ),
  ];
  const providers = [
    aProvider(),
    aProvider({
      id: "anthropic",
      kind: "anthropic",
      name: "Anthropic",
      base_url: "https://api.anthropic.com",
      has_key: true,
      key_hint: "…x9Qa",
    }),
    aProvider({ id: "ollama", kind: "ollama", name: "Ollama", base_url: "http://127.0.0.1:11434/v1" }),
  ];
  const first = scenario === "first-start" || scenario === "nothing-found";
  const sessions = first ? [] : someSessions(scenario === "many" ? 5_000 : 40, bots);
  if (sessions[20]) sessions[20] = { ...sessions[20], deleted_at: Date.now() - 86_400_000 };
  if (sessions[23]) sessions[23] = { ...sessions[23], deleted_at: Date.now() - 3 * 86_400_000 };
  const fake = new FakeBackend({
    bots: first ? [aBot()] : bots,
    providers: first ? [aProvider()] : providers,
    sessions,
    journals: Object.fromEntries(
      sessions.map((s) => [
        s.id,
        aTurn(
          1,
          `${s.title}?`,
          "The first error is in **line 42**: a name that is used before it is set.",
          s.updated_at,
        ),
      ]),
    ),
    settings: { language, setup_done: !first },
    detected: scenario === "nothing-found" ? [] : someDetected,
    latency: 20,
    rescue:
      scenario === "rescue"
        ? {
            needed: true,
            reason: { code: "storage_damaged", message: "The database disk image is malformed.", fatal: false },
            backups: [
              { path: "/b/1", reason: "daily", at: Date.now() - 5 * 3_600_000, bytes: 4_300_000 },
              { path: "/b/2", reason: "daily", at: Date.now() - 29 * 3_600_000, bytes: 4_100_000 },
              { path: "/b/3", reason: "before-update", at: Date.now() - 80 * 3_600_000, bytes: 3_900_000 },
            ],
          }
        : undefined,
  });
  fake.install(window);
  return fake;
}
