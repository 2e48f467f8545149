import type {
  Block,
  EventPage,
  Frame,
  Live,
  Message,
  Notice,
  OpenSession,
  Outcome,
  QueuedMessage,
  RetryNotice,
  Session,
  SessionEvent,
  Step,
  ToolResult,
  Usage,
} from "@/backend/types";

/** Something that stands in a turn, in the order in which it was journaled. */
export type Entry =
  | { kind: "message"; seq: number; at: number; message: Message; steered: boolean }
  | { kind: "step"; seq: number; at: number; step: Step }
  | { kind: "notice"; seq: number; at: number; notice: Notice };

export interface Turn {
  id: string;
  seq: number;
  at: number;
  entries: readonly Entry[];
  /** Answers to tool calls, by the id of the call. */
  results: ReadonlyMap<string, ToolResult>;
  outcome?: Outcome;
  endedAt?: number;
  /** Holds only what came between turns. */
  loose?: boolean;
}

export interface LiveBlock extends Block {
  /** When its first piece was seen, UTC milliseconds. */
  since: number;
}

/** What the running step has streamed since its last journaled event. */
export interface LiveStep {
  turnId: string;
  step: number;
  attempt: number;
  blocks: readonly LiveBlock[];
  /** Calls that are being carried out, with when that was first seen. */
  running: readonly LiveBlock[];
  retry?: RetryNotice;
}

export interface Conversation {
  session: Session;
  turns: readonly Turn[];
  queue: readonly QueuedMessage[];
  live: LiveStep | null;
  /** Sequence of the newest event in here. */
  lastSeq: number;
  /** Number of the newest frame of the running turn in here; null takes any as the first. */
  frame: number | null;
  /** Cursor of the page of older turns, 0 when there is none. */
  before: number;
  totals: Usage;
  /** Something is missing: the session must be opened again. Nothing is applied until then. */
  gap: boolean;
}

const NOTHING: ReadonlyMap<string, ToolResult> = new Map();

/** The turn that runs, if one does. */
export function runningTurn(state: Pick<Conversation, "turns">): Turn | null {
  const last = state.turns.findLast((turn) => !turn.loose);
  return last && !last.outcome ? last : null;
}

export function addUsage(a: Usage, b: Usage | undefined): Usage {
  if (!b) return a;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
    reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0),
    cost_micros: a.cost_micros + b.cost_micros,
    context: b.context || a.context,
  };
}

function startTurn(turns: readonly Turn[], event: SessionEvent): readonly Turn[] {
  const id = event.turn_id ?? `t${event.seq}`;
  const entries: Entry[] = event.message
    ? [{ kind: "message", seq: event.seq, at: event.at, message: event.message, steered: false }]
    : [];
  return [...turns, { id, seq: event.seq, at: event.at, entries, results: NOTHING }];
}

function changeTurn(turns: readonly Turn[], event: SessionEvent, change: (turn: Turn) => Turn): readonly Turn[] {
  const at = turns.findLastIndex((turn) => turn.id === event.turn_id);
  const turn = turns[at];
  if (turn) return turns.with(at, change(turn));
  // The journal never does this; a part of a turn is still better shown than dropped.
  const made: Turn = { id: event.turn_id ?? "", seq: event.seq, at: event.at, entries: [], results: NOTHING };
  return [...turns, change(made)];
}

const withEntry =
  (entry: Entry) =>
  (turn: Turn): Turn => ({ ...turn, entries: [...turn.entries, entry] });

/** The turns after one more event. */
function foldTurns(turns: readonly Turn[], event: SessionEvent): readonly Turn[] {
  const { seq, at, message, step, tool, outcome, notice } = event;
  switch (event.kind) {
    case "turn.started":
      return startTurn(turns, event);
    case "message.steered":
      if (!message) return turns;
      return changeTurn(turns, event, withEntry({ kind: "message", seq, at, message, steered: true }));
    case "step.completed":
      if (!step) return turns;
      return changeTurn(
        turns,
        event,
        withEntry({ kind: "step", seq, at, step: { ...step, blocks: step.blocks ?? [] } }),
      );
    case "tool.completed":
      if (!tool) return turns;
      return changeTurn(turns, event, (turn) => ({ ...turn, results: new Map(turn.results).set(tool.call_id, tool) }));
    case "turn.completed":
      return changeTurn(turns, event, (turn) => ({ ...turn, outcome, endedAt: at }));
    case "notice": {
      if (!notice) return turns;
      const entry: Entry = { kind: "notice", seq, at, notice };
      if (turns.some((turn) => turn.id === event.turn_id)) return changeTurn(turns, event, withEntry(entry));
      return [...turns, { id: `n${seq}`, seq, at, entries: [entry], results: NOTHING, loose: true }];
    }
    default:
      return turns;
  }
}

function foldQueue(queue: readonly QueuedMessage[], event: SessionEvent): readonly QueuedMessage[] {
  const { message } = event;
  switch (event.kind) {
    case "queue.changed":
      return event.queue ?? [];
    case "message.queued":
      if (!message?.id || queue.some((queued) => queued.id === message.id)) return queue;
      return [...queue, { id: message.id, message, at: event.at }];
    case "turn.started":
    case "message.steered":
      return queue.some((queued) => queued.id === message?.id) ? queue.filter((q) => q.id !== message?.id) : queue;
    default:
      return queue;
  }
}

function lastStep(turn: Turn): number {
  const entry = turn.entries.findLast((e) => e.kind === "step");
  return entry?.kind === "step" ? entry.step.index : -1;
}

function foldLive(live: LiveStep | null, event: SessionEvent): LiveStep | null {
  switch (event.kind) {
    case "turn.started":
    case "turn.completed":
      return null;
    case "step.completed":
      if (!live || live.turnId !== event.turn_id || live.step > (event.step?.index ?? 0)) return live;
      return { ...live, step: event.step?.index ?? 0, blocks: [], running: [], retry: undefined };
    case "tool.completed":
      if (!live?.running.some((call) => call.call_id === event.tool?.call_id)) return live;
      return { ...live, running: live.running.filter((call) => call.call_id !== event.tool?.call_id) };
    default:
      return live;
  }
}

/** Takes one journaled event. One that is known already changes nothing; a missing one is a gap. */
export function applyEvent(state: Conversation, event: SessionEvent): Conversation {
  if (state.gap || event.seq <= state.lastSeq) return state;
  if (event.seq > state.lastSeq + 1) return { ...state, gap: true };
  return {
    ...state,
    turns: foldTurns(state.turns, event),
    queue: foldQueue(state.queue, event),
    live: foldLive(state.live, event),
    lastSeq: event.seq,
    // Frames are counted over the time that a session is loaded, which may have begun anew with this turn.
    frame: event.kind === "turn.started" ? null : state.frame,
    totals: event.kind === "step.completed" ? addUsage(state.totals, event.step?.usage) : state.totals,
  };
}

/** Takes one live piece of the running turn. Those of another turn, of a former attempt or seen already change nothing. */
export function applyFrame(state: Conversation, frame: Frame, now: number): Conversation {
  if (state.gap) return state;
  const turn = runningTurn(state);
  if (turn?.id !== frame.turn_id) {
    // A turn is named by the sequence of its first event: one of a turn to come means that this event was missed.
    return Number(frame.turn_id.slice(1)) > state.lastSeq ? { ...state, gap: true } : state;
  }
  if (state.frame !== null) {
    if (frame.n <= state.frame) return state;
    if (frame.n > state.frame + 1) return { ...state, gap: true };
  }
  return { ...state, frame: frame.n, live: foldFrame(state.live, turn, frame, now) };
}

function foldFrame(live: LiveStep | null, turn: Turn, frame: Frame, now: number): LiveStep | null {
  const over = frame.step <= lastStep(turn);
  if (over && frame.kind !== "tool") return live;
  const { turn_id, step, attempt } = frame;
  if (live && (step < live.step || (step === live.step && attempt < live.attempt))) return live;
  const same = live && live.turnId === turn_id && live.step === step && live.attempt === attempt;
  const base: LiveStep = same ? live : { turnId: turn_id, step, attempt, blocks: [], running: [] };
  switch (frame.kind) {
    case "attempt":
      return { ...base, blocks: [], running: [], retry: undefined };
    case "retry":
      return { ...base, retry: frame.retry };
    case "tool": {
      const call = frame.tool;
      const known =
        !call || turn.results.has(call.call_id ?? "") || base.running.some((c) => c.call_id === call.call_id);
      return known ? base : { ...base, running: [...base.running, { ...call, since: now }] };
    }
    default: {
      const blocks = [...base.blocks];
      for (const delta of frame.deltas ?? []) {
        while (blocks.length <= delta.index) {
          blocks.push({ kind: delta.kind ?? "text", call_id: delta.call_id, name: delta.name, since: now });
        }
        const block = blocks[delta.index] as LiveBlock;
        const field = block.kind === "tool_call" ? "args" : "text";
        blocks[delta.index] = { ...block, [field]: (block[field] ?? "") + (delta.text ?? "") };
      }
      return { ...base, blocks, retry: undefined };
    }
  }
}

function liveOf(live: Live | undefined | null, now: number): LiveStep | null {
  if (!live) return null;
  const since = (block: Block): LiveBlock => ({ ...block, since: now });
  return {
    turnId: live.turn_id,
    step: live.step,
    attempt: live.attempt,
    blocks: (live.blocks ?? []).map(since),
    running: (live.running ?? []).map(since),
    retry: live.retry ?? undefined,
  };
}

const turnsOf = (page: EventPage): readonly Turn[] => page.events.reduce(foldTurns, [] as readonly Turn[]);

function snapshotOf(open: OpenSession, now: number) {
  return {
    session: open.session,
    queue: open.queue,
    live: liveOf(open.live, now),
    frame: open.live?.n ?? null,
    totals: open.session.totals,
    gap: false,
  };
}

/** The conversation as it was opened. */
export function opened(open: OpenSession, now: number): Conversation {
  return {
    ...snapshotOf(open, now),
    turns: turnsOf(open.page),
    lastSeq: open.page.last_seq,
    before: open.page.before,
  };
}

/** The same conversation after it was opened again with its last sequence as the cursor; null if that does not fit. */
export function reopened(state: Conversation, open: OpenSession, now: number): Conversation | null {
  let next: Conversation = { ...state, gap: false };
  for (const event of open.page.events) next = applyEvent(next, event);
  if (next.gap || next.lastSeq !== open.page.last_seq) return null;
  return { ...next, ...snapshotOf(open, now) };
}

/** Puts an older page in front. A page that was asked for with another cursor is dropped. */
export function prepended(state: Conversation, page: EventPage, cursor: number): Conversation {
  if (cursor !== state.before || cursor === 0) return state;
  return { ...state, turns: [...turnsOf(page), ...state.turns], before: page.before };
}

/** Lets go of the oldest turns beyond a number; they can be read again. */
export function trimmed(state: Conversation, keep: number): Conversation {
  const turns = state.turns.slice(-keep);
  const first = turns[0];
  if (!first || turns.length === state.turns.length) return state;
  return { ...state, turns, before: first.seq };
}

/** Whether a message has arrived in the conversation: it stands in a turn or waits. */
export function hasMessage(state: Conversation, id: string): boolean {
  if (state.queue.some((queued) => queued.id === id)) return true;
  for (let at = state.turns.length - 1; at >= 0; at--) {
    const entries = state.turns[at]?.entries ?? [];
    if (entries.some((entry) => entry.kind === "message" && entry.message.id === id)) return true;
  }
  return false;
}
