import { backend, type RejectionError, type SessionListener, type SessionSubscription, toRejection } from "@/backend";
import type { Accepted, Frame, Message, SessionEvent, Submission } from "@/backend/types";
import { Batcher } from "./batcher";
import { newId } from "./ids";
import {
  applyEvent,
  applyFrame,
  type Conversation,
  hasMessage,
  opened,
  prepended,
  reopened,
  runningTurn,
  trimmed,
} from "./state";
import { keepUnsent, unsentOf } from "./unsent";

/** A message that was sent and has not come back from the journal yet. */
export interface Pending {
  id: string;
  text: string;
  at: number;
  delivery?: "steer" | "queue";
  /** The call got no answer: the message may have arrived or not. Sending it again with the same id is harmless. */
  unsure?: RejectionError;
}

export interface View {
  status: "opening" | "ready" | "failed";
  /** Why it cannot be opened, or is not live right now. */
  error: RejectionError | null;
  conversation: Conversation | null;
  pending: readonly Pending[];
  /** The turn that was asked to stop. */
  stopping: string | null;
  loadingOlder: boolean;
}

type Arrival = { event: SessionEvent } | { frame: Frame };

type Subscribe = (id: string, listener: SessionListener) => SessionSubscription;

/** Turns of a page, and turns that a conversation which is followed for long keeps at most. */
const PAGE_TURNS = 30;
export const KEPT_TURNS = 400;

/** Refusals that pass by themselves. The same submission is sent again. */
const PASSING = new Set(["gateway_busy", "storage_busy"]);
const TRIES = 7;
/** No answer came, so nobody knows whether the submission was taken. */
const UNSURE = new Set(["unreachable"]);
const REOPEN_MS = [0, 300, 1000, 3000, 10_000];

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** One open conversation: its state, what keeps it live, and the commands that a person can give it. */
export class ConversationStore {
  private listeners = new Set<() => void>();
  private subscription: SessionSubscription | undefined;
  private batcher: Batcher<Arrival>;
  private closed = false;
  private opening = 0;
  private failures = 0;
  private view: View = {
    status: "opening",
    error: null,
    conversation: null,
    pending: [],
    stopping: null,
    loadingOlder: false,
  };

  constructor(
    readonly id: string,
    private readonly connect: Subscribe,
    private readonly now: () => number = Date.now,
  ) {
    this.batcher = new Batcher((items) => this.take(items));
    this.view = { ...this.view, pending: unsentOf(id) };
  }

  readonly get = (): View => this.view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private set(change: Partial<View>): void {
    if (this.closed) return;
    if (change.pending && change.pending !== this.view.pending) keepUnsent(this.id, change.pending);
    this.view = { ...this.view, ...change };
    for (const listener of this.listeners) listener();
  }

  /** Begins to listen, then opens: what happens in between waits, so that nothing is missed and nothing shows twice. */
  start(): void {
    this.subscription = this.connect(this.id, {
      onEvent: (event) => this.batcher.push({ event }),
      onFrame: (frame) => this.batcher.push({ frame }),
      onResync: () => void this.open(),
    });
    void this.open();
  }

  close(): void {
    this.closed = true;
    this.opening++;
    this.subscription?.close();
    this.batcher.close();
    this.listeners.clear();
  }

  /** Opens the session, or opens it again from where it is. A reply that was overtaken is dropped. */
  private async open(): Promise<void> {
    const token = ++this.opening;
    this.batcher.hold();
    const stale = () => this.closed || token !== this.opening;
    try {
      await this.subscription?.ready;
      if (stale()) return;
      const next = await this.read();
      if (stale()) return;
      this.failures = 0;
      this.settle(next);
    } catch (reason) {
      if (stale()) return;
      this.openFailed(toRejection(reason));
    }
  }

  private async read(): Promise<Conversation> {
    const before = this.view.conversation;
    if (before) {
      try {
        const next = reopened(before, await backend.Sessions.Open({ id: this.id, after: before.lastSeq }), this.now());
        if (next) return next;
      } catch (reason) {
        if (toRejection(reason).code !== "replay_unavailable") throw reason;
      }
    }
    return opened(await backend.Sessions.Open({ id: this.id, turns: PAGE_TURNS }), this.now());
  }

  private settle(conversation: Conversation): void {
    const arrived = this.batcher.release();
    const next = this.fold(conversation, arrived);
    this.publish(next, { status: "ready", error: null });
    if (next.gap) this.again();
  }

  private openFailed(error: RejectionError): void {
    this.failures++;
    const passing = PASSING.has(error.code) || UNSURE.has(error.code) || error.code === "gateway_stopped";
    this.set({ status: this.view.conversation ? "ready" : passing ? "opening" : "failed", error });
    if (passing) this.again();
  }

  private again(): void {
    const pause = REOPEN_MS[Math.min(this.failures, REOPEN_MS.length - 1)] ?? 0;
    const token = this.opening;
    this.batcher.hold();
    void wait(pause).then(() => {
      if (!this.closed && token === this.opening) void this.open();
    });
  }

  /** For the person's own "try again". */
  readonly retryOpen = (): void => {
    this.failures = 0;
    this.set({ status: this.view.conversation ? "ready" : "opening", error: null });
    void this.open();
  };

  private fold(start: Conversation, arrivals: readonly Arrival[]): Conversation {
    let next = start;
    for (const arrival of arrivals) {
      next = "event" in arrival ? applyEvent(next, arrival.event) : applyFrame(next, arrival.frame, this.now());
      if (next.gap) break;
    }
    return next;
  }

  private take(arrivals: Arrival[]): void {
    const { conversation } = this.view;
    if (!conversation || this.closed) return;
    const next = this.fold(conversation, arrivals);
    if (next.gap) {
      // What came before the gap is good; the rest comes with opening again.
      this.publish({ ...next, gap: false }, {});
      this.failures++;
      this.again();
      return;
    }
    if (next !== conversation) this.publish(next, {});
  }

  private publish(conversation: Conversation, change: Partial<View>): void {
    const pending = this.view.pending.some((p) => hasMessage(conversation, p.id))
      ? this.view.pending.filter((p) => !hasMessage(conversation, p.id))
      : this.view.pending;
    const stopping = runningTurn(conversation)?.id === this.view.stopping ? this.view.stopping : null;
    this.set({ ...change, conversation, pending, stopping });
  }

  /** Reads the page of older turns. */
  readonly loadOlder = async (turns = PAGE_TURNS): Promise<void> => {
    const cursor = this.view.conversation?.before ?? 0;
    if (cursor === 0 || this.view.loadingOlder) return;
    this.set({ loadingOlder: true });
    try {
      const page = await backend.Sessions.History({ id: this.id, before: cursor, turns });
      const { conversation } = this.view;
      if (conversation) this.set({ conversation: prepended(conversation, page, cursor), loadingOlder: false });
    } catch (reason) {
      this.set({ loadingOlder: false });
      throw reason;
    }
  };

  /** Lets go of old turns when the person is at the end of a conversation that has grown for long. */
  readonly trim = (): void => {
    const { conversation } = this.view;
    if (!conversation || conversation.turns.length <= KEPT_TURNS) return;
    this.set({ conversation: trimmed(conversation, KEPT_TURNS / 2) });
  };

  /** Sends a command until it is answered; its id makes that harmless. */
  private async submit(command: Omit<Submission, "session_id">): Promise<Accepted> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await backend.Sessions.Submit({ ...command, session_id: this.id });
      } catch (reason) {
        const error = toRejection(reason);
        const passes = PASSING.has(error.code) || (error.fatal && error.code === "gateway_stopped");
        if (!passes || attempt >= TRIES) throw error;
        if (error.fatal) await this.open();
        else await wait(80 * 2 ** attempt);
      }
    }
  }

  /**
   * Sends a message; it shows at once. Rejects when it was refused, and then it is not shown any more. When nobody
   * answered, it stays and is marked.
   */
  readonly send = async (text: string, delivery?: "steer" | "queue", id = newId()): Promise<void> => {
    const running = this.view.conversation ? runningTurn(this.view.conversation) : null;
    const pending: Pending = { id, text, at: this.now(), ...(running && delivery ? { delivery } : {}) };
    this.set({ pending: [...this.view.pending.filter((p) => p.id !== id), pending] });
    const message: Message = { text, ...(delivery ? { requested_delivery: delivery } : {}) };
    try {
      await this.submit({ id, message });
    } catch (reason) {
      const error = toRejection(reason);
      if (UNSURE.has(error.code)) {
        this.set({ pending: this.view.pending.map((p) => (p.id === id ? { ...p, unsure: error } : p)) });
        return;
      }
      this.forget(id);
      throw error;
    }
  };

  readonly sendAgain = (pending: Pending): Promise<void> => this.send(pending.text, pending.delivery, pending.id);

  readonly forget = (id: string): void => this.set({ pending: this.view.pending.filter((p) => p.id !== id) });

  /** Stops the running turn. */
  readonly stop = async (): Promise<void> => {
    const turn = this.view.conversation ? runningTurn(this.view.conversation) : null;
    if (!turn) return;
    this.set({ stopping: turn.id });
    try {
      await this.submit({ id: newId(), interrupt: { turn_id: turn.id } });
    } catch (reason) {
      this.set({ stopping: null });
      throw reason;
    }
  };

  readonly editQueued = async (id: string, text: string): Promise<void> => {
    await this.submit({ id: newId(), queue_edit: { message_id: id, text } });
  };

  readonly removeQueued = async (id: string): Promise<void> => {
    await this.submit({ id: newId(), queue_remove: { message_id: id } });
  };

  /** Puts a queued message before another, or last. */
  readonly moveQueued = async (id: string, before?: string): Promise<void> => {
    await this.submit({ id: newId(), queue_move: before ? { message_id: id, before } : { message_id: id } });
  };
}
