import { QueryClient } from "@tanstack/react-query";
import { backend } from "./client";
import { RejectionError } from "./rejection";
import type { SessionChange } from "./sessionList";
import type { Bot, BotDefaults, BotList, Change, ProviderInstance, ProviderList, Session, Settings } from "./types";

/** The keys of the query cache. */
export const keys = {
  bots: ["bots"] as const,
  defaults: ["defaults"] as const,
  capabilities: ["capabilities"] as const,
  providers: ["providers"] as const,
  kinds: ["kinds"] as const,
  models: (instance: string) => ["models", instance] as const,
  sessions: ["sessions"] as const,
  trash: ["trash"] as const,
  settings: ["settings"] as const,
  info: ["info"] as const,
  rescue: ["rescue"] as const,
  folders: ["folders"] as const,
};

/** Refusals that pass by themselves within a moment. */
const PASSING = new Set(["gateway_busy", "storage_busy"]);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Live changes keep the cache fresh; nothing is read again only because time passed.
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: "always",
        retry: (count, error) => count < 4 && error instanceof RejectionError && PASSING.has(error.code),
        retryDelay: (count) => 150 * 2 ** count,
      },
      mutations: { networkMode: "always" },
    },
  });
}

interface Overlay<T> {
  revision: number;
  record: T | null;
}

function patched<T extends { id: string }>(list: readonly T[], id: string, record: T | null): T[] {
  const index = list.findIndex((item) => item.id === id);
  if (!record) return index < 0 ? [...list] : list.filter((item) => item.id !== id);
  if (index < 0) return [...list, record];
  return list.map((item) => (item.id === id ? record : item));
}

/**
 * Brings the live changes of the catalog into the query cache. It remembers the newest change of every record, so that
 * a list reply that was read before a change, but arrives after it, is brought up to date before it is shown.
 */
export class Catalog {
  private bots = new Map<string, Overlay<Bot>>();
  private providers = new Map<string, Overlay<ProviderInstance>>();
  private sessionChanges: ReadonlyMap<string, SessionChange> = new Map();
  private removed = new Map<string, number>();
  private settings: Settings | null = null;
  private defaults: BotDefaults | null = null;
  private newest = 0;
  private listeners = new Set<() => void>();

  constructor(readonly queries: QueryClient) {}

  /** The live changes of sessions; the map is replaced at every change. */
  readonly sessions = (): ReadonlyMap<string, SessionChange> => this.sessionChanges;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Takes the catalog changes of one batch. */
  apply(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const first = changes[0];
    // Revisions count up within one process: a smaller one means that the backend was started anew.
    if (first && first.revision <= this.newest) this.reset();
    const sessions = new Map(this.sessionChanges);
    let sessionsChanged = false;
    for (const change of changes) {
      this.newest = Math.max(this.newest, change.revision);
      if (change.session) {
        sessions.set(change.session.id, { revision: change.revision, session: change.session });
        sessionsChanged = true;
      }
      if (change.removed) {
        sessions.set(change.removed, { revision: change.revision, session: null });
        sessionsChanged = true;
      }
      this.applyRecord(change);
    }
    if (!sessionsChanged) return;
    this.sessionChanges = sessions;
    for (const listener of this.listeners) listener();
    void this.queries.invalidateQueries({ queryKey: keys.trash });
  }

  private applyRecord(change: Change): void {
    const { revision, removed, bot, provider, settings, defaults } = change;
    if (removed) this.removed.set(removed, revision);
    if (bot) this.bots.set(bot.id, { revision, record: bot });
    if (provider) {
      this.providers.set(provider.id, { revision, record: provider });
      // Its key or address may be another now: what it offers is asked again.
      void this.queries.invalidateQueries({ queryKey: keys.models(provider.id) });
    }
    if (bot || removed) this.queries.setQueryData<BotList>(keys.bots, (list) => list && this.upToDateBots(list));
    if (provider || removed) {
      this.queries.setQueryData<ProviderList>(keys.providers, (list) => list && this.upToDateProviders(list));
    }
    if (settings) this.takeSettings(settings);
    if (defaults) this.takeDefaults(defaults);
  }

  /** After a gap in the feed: forgets what it knew and reads everything that is shown again. */
  resync(): void {
    this.reset();
    void this.queries.invalidateQueries();
  }

  private reset(): void {
    this.bots.clear();
    this.providers.clear();
    this.removed.clear();
    this.sessionChanges = new Map();
    this.newest = 0;
    for (const listener of this.listeners) listener();
  }

  private upToDateBots(list: BotList): BotList {
    return { revision: this.brought(list.revision), bots: this.overlaid(list.bots, list.revision, this.bots) };
  }

  private upToDateProviders(list: ProviderList): ProviderList {
    const providers = this.overlaid(list.providers, list.revision, this.providers);
    return { revision: this.brought(list.revision), providers };
  }

  private brought(revision: number): number {
    return Math.max(revision, this.newest);
  }

  private overlaid<T extends { id: string }>(list: T[], revision: number, overlay: Map<string, Overlay<T>>): T[] {
    let out = list;
    for (const [id, change] of overlay) if (change.revision > revision) out = patched(out, id, change.record);
    for (const [id, at] of this.removed) {
      if (at > revision && at > (overlay.get(id)?.revision ?? 0)) out = patched(out, id, null);
    }
    return out;
  }

  readonly readBots = async (): Promise<BotList> => this.upToDateBots(await backend.Bots.List());

  readonly readProviders = async (): Promise<ProviderList> => this.upToDateProviders(await backend.Providers.List());

  readonly readSettings = async (): Promise<Settings> => {
    const reply = await backend.Settings.Get();
    return this.settings && this.settings.revision > reply.revision ? this.settings : reply;
  };

  readonly readDefaults = async (): Promise<BotDefaults> => {
    const reply = await backend.Bots.Defaults();
    return this.defaults && this.defaults.revision > reply.revision ? this.defaults : reply;
  };

  /** Shows a record that a call answered with at once; the change that announces it says the same. */
  takeSettings(settings: Settings): void {
    if (!this.settings || this.settings.revision <= settings.revision) this.settings = settings;
    this.queries.setQueryData<Settings>(keys.settings, (old) =>
      old && old.revision > settings.revision ? old : settings,
    );
  }

  takeDefaults(defaults: BotDefaults): void {
    if (!this.defaults || this.defaults.revision <= defaults.revision) this.defaults = defaults;
    this.queries.setQueryData<BotDefaults>(keys.defaults, (old) =>
      old && old.revision > defaults.revision ? old : defaults,
    );
  }

  /** A Bot as a call returned it, shown before its change arrives. */
  takeBot(bot: Bot): void {
    this.queries.setQueryData<BotList>(keys.bots, (list) => {
      const shown = list?.bots.find((b) => b.id === bot.id);
      if (!list || (shown && shown.config.revision > bot.config.revision)) return list;
      return { ...list, bots: patched(list.bots, bot.id, bot) };
    });
  }

  /** A session as a call returned it. It carries no revision, so it counts as the newest until the next change. */
  takeSession(session: Session): void {
    const sessions = new Map(this.sessionChanges);
    const before = sessions.get(session.id);
    if (before?.session && before.session.last_seq > session.last_seq) return;
    sessions.set(session.id, { revision: Math.max(this.newest, before?.revision ?? 0) + 0.5, session });
    this.sessionChanges = sessions;
    for (const listener of this.listeners) listener();
  }
}
