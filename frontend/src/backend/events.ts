import type { Catalog } from "./catalog";
import { backend, clientId } from "./client";
import type { Change, Envelope, Frame, SessionEvent } from "./types";

/** What an open conversation listens to. */
export interface SessionListener {
  onEvent(event: SessionEvent): void;
  onFrame(frame: Frame): void;
  /** This page may have missed something: open the session again. */
  onResync(): void;
}

export interface SessionSubscription {
  /**
   * Settles once the backend sends this session's events. Open the session after it: what happens from then on arrives
   * as events, so nothing falls between the two.
   */
  ready: Promise<void>;
  close(): void;
}

const RETRY_MS = 1000;

/** Receives the batches of the backend and hands their envelopes on. One for the whole page. */
export class EventStream {
  private listeners = new Map<string, Set<SessionListener>>();
  private waiting: { id: string; done: () => void }[] = [];
  private watching = false;
  private dirty = true;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private stops: (() => void)[] = [];
  private connected = false;

  constructor(private readonly catalog: Catalog) {}

  /** Begins to listen. Events before this are lost, so it comes before the first read. */
  start(): void {
    this.on("batch", (batch) => this.receive(batch as Envelope[]));
    // Served over HTTP, the feed may open only after the first reads: what changed in between is read again. Later gaps
    // are announced by the shell itself.
    this.on("connection", (state) => {
      if (!(state as { up: boolean }).up || this.connected) return;
      this.connected = true;
      this.resync();
    });
    this.watch();
  }

  close(): void {
    for (const stop of this.stops) stop();
    clearTimeout(this.retry);
  }

  private on(name: string, callback: (data: unknown) => void): void {
    const off = window.runtime?.EventsOnMultiple(name, callback, -1);
    this.stops.push(() => (off ? off() : window.runtime?.EventsOff(name)));
  }

  subscribeSession(id: string, listener: SessionListener): SessionSubscription {
    const set = this.listeners.get(id) ?? new Set();
    const known = set.size > 0 && !this.dirty && !this.watching;
    set.add(listener);
    this.listeners.set(id, set);
    const ready = known ? Promise.resolve() : new Promise<void>((done) => this.waiting.push({ id, done }));
    if (!known) this.changed();
    return {
      ready,
      close: () => {
        set.delete(listener);
        if (set.size > 0 || this.listeners.get(id) !== set) return;
        this.listeners.delete(id);
        this.changed();
      },
    };
  }

  private changed(): void {
    this.dirty = true;
    // A chat that is left and the next one that is opened become one call.
    queueMicrotask(() => this.watch());
  }

  /** Tells the backend which sessions are open, one call at a time, again until it has taken the newest list. */
  private watch(): void {
    if (this.watching || !this.dirty) return;
    this.watching = true;
    this.dirty = false;
    clearTimeout(this.retry);
    const ids = [...this.listeners.keys()];
    backend.System.Watch(clientId(), ids)
      .then(() => {
        this.watching = false;
        const watched = new Set(ids);
        this.waiting = this.waiting.filter(({ id, done }) => {
          if (!watched.has(id)) return this.listeners.has(id);
          done();
          return false;
        });
        this.watch();
      })
      .catch(() => {
        this.watching = false;
        this.dirty = true;
        this.retry = setTimeout(() => this.watch(), RETRY_MS);
      });
  }

  private receive(batch: Envelope[]): void {
    const changes: Change[] = [];
    for (const envelope of batch) {
      if (envelope.kind === "catalog" && envelope.change) changes.push(envelope.change);
      else if (envelope.kind === "resync") {
        changes.length = 0;
        this.resync();
      } else if (envelope.session_id) this.deliver(envelope.session_id, envelope);
    }
    this.catalog.apply(changes);
  }

  private deliver(id: string, envelope: Envelope): void {
    for (const listener of this.listeners.get(id) ?? []) {
      if (envelope.event) listener.onEvent(envelope.event);
      else if (envelope.frame) listener.onFrame(envelope.frame);
    }
  }

  private resync(): void {
    this.catalog.resync();
    this.changed();
    for (const set of this.listeners.values()) for (const listener of set) listener.onResync();
  }
}
