import type * as wire from "@/backend/types";
import { aBot, aProvider, aSession, someCapabilities, someKinds, someModels, someSettings } from "./fakeData";
import { FakeFolders, FakeTurns } from "./fakeSession";

/** What a test or a look at the screens starts from. */
export interface FakeOptions {
  bots?: wire.Bot[];
  sessions?: wire.Session[];
  providers?: wire.ProviderInstance[];
  settings?: Partial<wire.Settings>;
  detected?: wire.Detected[];
  /** The journals of sessions, by id. */
  journals?: Record<string, wire.SessionEvent[]>;
  rescue?: wire.RescueStatus;
  /** Methods that are refused from the start, as "Service.Method". */
  refusals?: Record<string, wire.Rejection>;
  /** Milliseconds that each call takes; 0 answers in the next microtask. */
  latency?: number;
  /** Milliseconds between two frames of a streamed answer. */
  pace?: number;
}

type Call = (...args: never[]) => unknown;

const fail = (code: string, message: string, fatal = false): never => {
  throw { code, message, fatal } satisfies wire.Rejection;
};

/** An in-memory backend that behaves as the real one does towards the page: revisions, refusals, live changes. */
export class FakeBackend {
  revision = 100;
  bots: wire.Bot[];
  sessions: Map<string, wire.Session>;
  providers: wire.ProviderInstance[];
  settings: wire.Settings;
  defaults: wire.BotDefaults;
  models = structuredClone(someModels);
  detected: wire.Detected[];
  rescue: wire.RescueStatus;
  /** Every call, as "Service.Method" with its arguments. */
  readonly calls: { name: string; args: unknown[] }[] = [];
  readonly turns: FakeTurns;
  private folders = new FakeFolders();
  private listeners = new Map<string, Set<(data: unknown) => void>>();
  private refusals = new Map<string, wire.Rejection>();
  private held = new Map<string, Promise<void>>();
  private ids = 0;

  constructor(readonly options: FakeOptions = {}) {
    this.bots = options.bots ?? [aBot()];
    this.sessions = new Map((options.sessions ?? []).map((s) => [s.id, s]));
    this.providers = options.providers ?? [aProvider()];
    this.settings = { ...someSettings, ...options.settings };
    this.detected = options.detected ?? [];
    this.rescue = options.rescue ?? { needed: false, backups: [] };
    this.defaults = { revision: 1, config: structuredClone(aBot().config.config) };
    for (const [name, rejection] of Object.entries(options.refusals ?? {})) this.refuse(name, rejection);
    this.turns = new FakeTurns(this, options.pace ?? 30);
    for (const [id, events] of Object.entries(options.journals ?? {})) this.turns.seed(id, events);
  }

  /** Sends envelopes to the page as one batch. */
  emit(...batch: wire.Envelope[]): void {
    this.dispatch("batch", batch);
  }

  /** Tells the page that the connection to a server is up or down, as the shim of `mobius serve` does. */
  connection(up: boolean): void {
    this.dispatch("connection", { up });
  }

  private dispatch(name: string, data: unknown): void {
    for (const listener of this.listeners.get(name) ?? []) listener(structuredClone(data));
  }

  /** Announces a change of the catalog under the next revision. */
  announce(change: Omit<wire.Change, "revision">): void {
    this.revision++;
    this.emit({ kind: "catalog", change: { revision: this.revision, ...change } });
  }

  saveSession(session: wire.Session): wire.Session {
    this.sessions.set(session.id, session);
    this.announce({ session });
    return session;
  }

  /** Makes the next call of a method, or every one, be refused. */
  refuse(name: string, rejection: wire.Rejection): void {
    this.refusals.set(name, rejection);
  }

  accept(name: string): void {
    this.refusals.delete(name);
  }

  newId(): string {
    this.ids++;
    return `01990000-0000-7000-8000-${String(this.ids).padStart(12, "0")}`;
  }

  session(id: string): wire.Session {
    return this.sessions.get(id) ?? fail("unknown_session", "This conversation does not exist any more.");
  }

  private bot(id: string): wire.Bot {
    return this.bots.find((b) => b.id === id) ?? fail("invalid_bot", "This Bot does not exist any more.");
  }

  private readonly services: Record<string, Record<string, Call>> = {
    Bots: {
      List: () => ({ revision: this.revision, bots: this.bots }),
      Get: (id: string) => this.bot(id),
      Create: (draft: wire.BotDraft) => this.createBot(draft),
      Update: (update: wire.BotUpdate) => this.updateBot(update),
      Delete: (id: string, revision: number) => this.deleteBot(id, revision),
      Defaults: () => this.defaults,
      SetDefaults: (revision: number, config: wire.BotConfig) => {
        if (revision !== this.defaults.revision) fail("revision_conflict", "The defaults were changed elsewhere.");
        this.defaults = { revision: revision + 1, config };
        this.announce({ defaults: this.defaults });
        return this.defaults;
      },
      Capabilities: () => someCapabilities,
    },
    Sessions: {
      List: (query: wire.SessionQuery) => this.listSessions(query),
      Create: (draft: wire.SessionDraft) =>
        this.saveSession(
          aSession({
            id: this.newId(),
            bot_id: this.bot(draft.bot_id).id,
            title: "New chat",
            workspace: draft.workspace || this.settings.default_folder,
            created_at: Date.now(),
            updated_at: Date.now(),
          }),
        ),
      Open: (request: wire.OpenRequest) => this.turns.open(request),
      History: (request: wire.HistoryRequest) => this.turns.history(request),
      Submit: (submission: wire.Submission) => this.turns.submit(submission),
      Rename: (id: string, title: string) => this.saveSession({ ...this.session(id), title: title.trim() }),
      Pin: (id: string, pinned: boolean) => this.saveSession({ ...this.session(id), pinned }),
      Delete: (ids: string[]) => {
        for (const id of ids) {
          if (this.session(id).activity !== "idle") fail("agent_busy", "A Bot is working in this conversation.");
        }
        for (const id of ids) {
          this.sessions.set(id, { ...this.session(id), deleted_at: Date.now() });
          this.announce({ removed: id });
        }
        return ids;
      },
      Undelete: (ids: string[]) => {
        for (const id of ids) this.saveSession({ ...this.session(id), deleted_at: undefined });
        return ids;
      },
      Purge: (ids: string[]) => {
        const all = [...this.sessions.values()].filter((s) => s.deleted_at).map((s) => s.id);
        const gone = ids.length > 0 ? ids : all;
        for (const id of gone) {
          this.sessions.delete(id);
          this.announce({ removed: id });
        }
        return gone;
      },
      Relink: (id: string, workspace: string) => this.saveSession({ ...this.session(id), workspace }),
    },
    Providers: {
      Kinds: () => someKinds,
      List: () => ({ revision: this.revision, providers: this.providers }),
      Save: (draft: wire.ProviderDraft) => this.saveProvider(draft),
      Remove: (id: string) => {
        const user = this.bots.find((b) => b.config.config.provider.instance === id);
        if (user) fail("provider_in_use", `It is used by ${user.name}. Give it another model first.`);
        this.providers = this.providers.filter((p) => p.id !== id);
        this.announce({ removed: id });
      },
      SetCredential: (id: string, key: string) => this.saveProvider({ ...this.provider(id), key }),
      ClearCredential: (id: string) => this.putProvider({ ...this.provider(id), has_key: false, key_hint: undefined }),
      Test: (draft: wire.ProviderDraft): wire.ProviderTest =>
        draft.key?.includes("wrong")
          ? {
              ok: false,
              code: "model_key_invalid",
              message: "The provider refused the key (401).",
              models: 0,
              latency_ms: 84,
            }
          : { ok: true, message: "It works.", models: 12, latency_ms: 212 },
      Models: (id: string) => this.models[this.provider(id).kind] ?? [],
      SetModel: (id: string, model: wire.Model) => {
        const list = this.models[this.provider(id).kind] ?? [];
        const changed = { ...model, source: "override" };
        this.models[this.provider(id).kind] = list.some((m) => m.id === model.id)
          ? list.map((m) => (m.id === model.id ? changed : m))
          : [...list, changed];
      },
      Detect: () => this.detected,
      Adopt: (found: wire.Detected) =>
        this.putProvider(
          aProvider({
            id: found.kind,
            kind: found.kind,
            name: found.name,
            base_url: found.base_url ?? "",
            has_key: found.source === "environment",
            key_hint: found.key_hint,
          }),
        ),
    },
    Workspace: {
      Info: (path: string) => ({ path, name: path.split("/").at(-1), branch: "main", exists: true }),
      Recent: () =>
        [...new Set([...this.sessions.values()].map((s) => s.workspace))].map((path) => ({
          path,
          name: path.split("/").at(-1),
          exists: true,
        })),
      Folders: (path: string) => this.folders.list(path),
      Files: (_id: string, query: string) => this.folders.find(query),
    },
    Settings: {
      Get: () => this.settings,
      Set: (next: wire.Settings) => {
        if (next.revision !== this.settings.revision) fail("revision_conflict", "The settings were changed elsewhere.");
        this.settings = { ...next, revision: next.revision + 1 };
        this.announce({ settings: this.settings });
        return this.settings;
      },
    },
    System: {
      Info: () => ({
        version: "0.1.0",
        shell: "serve",
        state_dir: "/home/ada/.local/share/mobius",
        os: "linux/amd64",
        key_store: "the system's keyring",
        home: "/home/ada",
      }),
      Doctor: () => this.folders.doctor(),
      Watch: () => undefined,
      Painted: () => undefined,
    },
    Rescue: {
      Status: () => this.rescue,
      Restore: () => this.rescued(0, 0),
      Salvage: () => this.rescued(4_812, 3),
      StartFresh: () => this.rescued(0, 0),
    },
  };

  private rescued(rows: number, lost: number): wire.RescueResult {
    this.rescue = { needed: false, backups: [] };
    return { kept_as: "/home/ada/.local/share/mobius/mobius.db.damaged-1", rows, lost };
  }

  private createBot(draft: wire.BotDraft): wire.Bot {
    if (!draft.name.trim()) fail("invalid_bot", "A Bot's name has 1 to 128 bytes.");
    const bot = aBot({
      id: this.newId(),
      name: draft.name.trim(),
      handle:
        draft.handle ||
        draft.name
          .trim()
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, "-"),
      description: draft.description,
      tint: draft.tint || "teal",
      builtin: false,
      config: { revision: 1, config: draft.config ?? this.defaults.config },
    });
    this.bots = [...this.bots, bot];
    this.announce({ bot });
    return bot;
  }

  updateBot(update: wire.BotUpdate): wire.Bot {
    const { id, expected_revision, config, ...fields } = update;
    const bot = this.bot(id);
    if (bot.config.revision !== expected_revision) fail("revision_conflict", `${bot.name} was changed elsewhere.`);
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const next: wire.Bot = {
      ...bot,
      ...given,
      config: { revision: bot.config.revision + 1, config: config ?? bot.config.config },
    };
    this.bots = this.bots.map((b) => (b.id === id ? next : b));
    this.announce({ bot: next });
    return next;
  }

  private deleteBot(id: string, revision: number): wire.BotDeletion {
    const bot = this.bot(id);
    if (bot.config.revision !== revision) fail("revision_conflict", `${bot.name} was changed elsewhere.`);
    if (bot.builtin) fail("bot_undeletable", `${bot.name} is built in and cannot be deleted.`);
    const gone = [...this.sessions.values()].filter((s) => s.bot_id === id).map((s) => s.id);
    for (const session of gone) {
      this.sessions.delete(session);
      this.announce({ removed: session });
    }
    this.bots = this.bots.filter((b) => b.id !== id);
    this.announce({ removed: id });
    return { bots: this.bots, session_ids: gone };
  }

  private provider(id: string): wire.ProviderInstance {
    return this.providers.find((p) => p.id === id) ?? fail("invalid_provider", `The provider ${id} is not set up.`);
  }

  private putProvider(provider: wire.ProviderInstance): wire.ProviderInstance {
    this.providers = [...this.providers.filter((p) => p.id !== provider.id), provider];
    this.announce({ provider });
    return provider;
  }

  private saveProvider(draft: wire.ProviderDraft): wire.ProviderInstance {
    const before = draft.id ? this.provider(draft.id) : null;
    const key = draft.key ? { has_key: true, key_hint: `…${draft.key.slice(-4)}` } : {};
    const kind = someKinds.find((k) => k.id === draft.kind);
    return this.putProvider({
      ...aProvider({ id: draft.id || draft.kind, kind: draft.kind }),
      ...before,
      name: draft.name || kind?.name || draft.kind,
      base_url: draft.base_url || kind?.base_url || "",
      ...key,
    });
  }

  private listSessions(query: wire.SessionQuery): wire.SessionPage {
    const all = [...this.sessions.values()]
      .filter((s) => Boolean(s.deleted_at) === Boolean(query.trash))
      .filter((s) => !query.bot_id || s.bot_id === query.bot_id)
      .filter((s) => !query.workspace || s.workspace === query.workspace)
      .filter((s) => !query.text || s.title.toLowerCase().includes(query.text.toLowerCase()))
      .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updated_at - a.updated_at);
    const start = Number(query.cursor || 0);
    const limit = query.limit ?? 100;
    const next = start + limit < all.length ? String(start + limit) : undefined;
    return { revision: this.revision, sessions: all.slice(start, start + limit), next, total: all.length };
  }

  /** Leaves calls of a method unanswered until the function that it gives is called. */
  hold(name: string): () => void {
    let release = () => {};
    this.held.set(name, new Promise((resolve) => (release = resolve)));
    return () => {
      this.held.delete(name);
      release();
    };
  }

  private async call(name: string, fn: Call, args: unknown[]): Promise<unknown> {
    this.calls.push({ name, args });
    await this.held.get(name);
    const { latency } = this.options;
    if (latency) await new Promise((resolve) => setTimeout(resolve, latency));
    const refusal = this.refusals.get(name);
    if (refusal) throw refusal;
    if (this.rescue.needed && !/^(Rescue|System)\./.test(name)) throw this.rescue.reason;
    return structuredClone(await (fn as (...a: unknown[]) => unknown)(...args));
  }

  /** Puts itself on the window in the place of Wails. */
  install(target: Window): void {
    const api: Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>> = {};
    for (const [service, methods] of Object.entries(this.services)) {
      api[service] = Object.fromEntries(
        Object.entries(methods).map(([method, fn]) => [
          method,
          (...args: unknown[]) => this.call(`${service}.${method}`, fn, args),
        ]),
      );
    }
    target.go = { api };
    target.runtime = {
      EventsOnMultiple: (name, callback) => {
        const set = this.listeners.get(name) ?? new Set();
        this.listeners.set(name, set.add(callback));
        return () => set.delete(callback);
      },
      EventsOff: (name) => this.listeners.delete(name),
    };
    target.mobius = { client: "test", shell: "serve" };
  }
}
