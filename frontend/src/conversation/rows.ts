import type { Block, Message, Notice, RetryNotice, ToolResult } from "@/backend/types";
import { type Chunk, MarkdownDocument } from "@/markdown/document";
import type { Conversation, LiveBlock, Turn } from "./state";
import type { Pending } from "./store";

/** One tool call with what became of it. */
export interface Call {
  id: string;
  name: string;
  args: string;
  result?: ToolResult;
  /** It is being carried out, since then. */
  since?: number;
  /** Its arguments still arrive. */
  writing?: boolean;
}

/** One line of the list. A row that says the same as before is the same object. */
export type Row =
  | {
      kind: "message";
      key: string;
      message: Message;
      at: number;
      steered: boolean;
      pending?: Pending;
    }
  | { kind: "answer"; key: string; chunk: Chunk; lead: boolean }
  | {
      kind: "reasoning";
      key: string;
      text: string;
      lead: boolean;
      duration?: number;
      /** It still grows, since then. */
      since?: number;
    }
  | { kind: "tools"; key: string; calls: readonly Call[]; lead: boolean }
  | { kind: "end"; key: string; turn: Turn; retry?: RetryNotice; lead: boolean; last: boolean }
  | { kind: "notice"; key: string; notice: Notice; at: number };

export const messageKey = (message: Message, seq: number): string => (message.id ? `m:${message.id}` : `m:${seq}`);

function sameCalls(a: readonly Call[], b: readonly Call[]): boolean {
  return (
    a.length === b.length &&
    a.every((call, i) => {
      const other = b[i];
      return (
        call.id === other?.id &&
        call.args === other.args &&
        call.result === other.result &&
        call.since === other.since &&
        call.writing === other.writing
      );
    })
  );
}

function same(a: Row, b: Row): boolean {
  const fields = Object.keys({ ...a, ...b }) as (keyof Row)[];
  return fields.every((field) => {
    const x = a[field] as unknown;
    const y = b[field] as unknown;
    return x === y || (Array.isArray(x) && Array.isArray(y) && sameCalls(x, y));
  });
}

/** Builds the rows of one conversation, again and again at the cost of what has changed. */
export class RowBuilder {
  /** Rows of turns that are over. */
  private over = new WeakMap<Turn, readonly Row[]>();
  /** Documents of the texts of the running turn, by the key of their rows. */
  private documents = new Map<string, MarkdownDocument>();
  private kept = new Map<string, Row>();
  private base: { turns: readonly Turn[]; rows: readonly Row[] } | undefined;

  rows(conversation: Conversation, pending: readonly Pending[]): readonly Row[] {
    const { turns } = conversation;
    const last = turns.at(-1);
    const rows = [...this.rowsBefore(turns)];
    if (last) rows.push(...this.newest(last, conversation));
    for (const message of pending) {
      // One that waits for the turn to end stands with the queue.
      if (message.delivery && !message.unsure) continue;
      rows.push(
        this.keep({
          kind: "message",
          key: `m:${message.id}`,
          message: { id: message.id, text: message.text },
          at: message.at,
          steered: false,
          pending: message,
        }),
      );
    }
    return rows;
  }

  private rowsBefore(turns: readonly Turn[]): readonly Row[] {
    const before = turns.length - 1;
    const known = this.base;
    if (known?.turns === turns) return known.rows;
    const unchanged =
      known && known.turns.length === turns.length && known.turns.every((turn, i) => i === before || turn === turns[i]);
    if (known && unchanged) {
      this.base = { turns, rows: known.rows };
      return known.rows;
    }
    const rows: Row[] = [];
    for (let i = 0; i < before; i++) rows.push(...this.finished(turns[i] as Turn, false));
    this.base = { turns, rows };
    return rows;
  }

  private finished(turn: Turn, last: boolean): readonly Row[] {
    if (last) return this.build(turn, null, true);
    let rows = this.over.get(turn);
    if (!rows) {
      rows = this.build(turn, null, false);
      this.over.set(turn, rows);
      for (const row of rows) this.release(row.key);
    }
    return rows;
  }

  /** A row of a turn that is over is remembered with it, and nowhere else. */
  private release(key: string): void {
    this.kept.delete(key);
    this.documents.delete(key);
    this.documents.delete(key.replace(/\/\d+$/, ""));
  }

  private newest(turn: Turn, conversation: Conversation): readonly Row[] {
    const { live } = conversation;
    return this.build(turn, live?.turnId === turn.id ? live : null, true);
  }

  private keep<R extends Row>(row: R): R {
    const before = this.kept.get(row.key);
    if (before && same(before, row)) return before as R;
    this.kept.set(row.key, row);
    return row;
  }

  private build(turn: Turn, live: Conversation["live"], last: boolean): readonly Row[] {
    const rows = new TurnRows(turn, this.documents, this.kept, (row) => this.keep(row));
    const running = live?.running ?? [];
    for (const entry of turn.entries) {
      if (entry.kind === "message") {
        const { message, at, steered, seq } = entry;
        rows.message({ kind: "message", key: messageKey(message, seq), message, at, steered });
      } else if (entry.kind === "notice") {
        rows.add({ kind: "notice", key: `n:${entry.seq}`, notice: entry.notice, at: entry.at });
      } else {
        entry.step.blocks.forEach((block, i) => {
          rows.block(block, `${turn.id}:${entry.step.index}:${i}`, running, false);
        });
      }
    }
    if (live) {
      live.blocks.forEach((block, i) => {
        rows.block(block, `${turn.id}:${live.step}:${i}`, running, i === live.blocks.length - 1 && !live.retry);
      });
    }
    if (!turn.loose) rows.end(live?.retry, last);
    return rows.done();
  }
}

/** The rows of one turn while they are put together. */
class TurnRows {
  private rows: Row[] = [];
  private group: { key: string; calls: Call[]; at: number; lead: boolean } | null = null;
  /** The Bot's name stands above the first thing that it says or does. */
  private lead = true;

  constructor(
    private readonly turn: Turn,
    private readonly documents: Map<string, MarkdownDocument>,
    private readonly kept: ReadonlyMap<string, Row>,
    private readonly keep: <R extends Row>(row: R) => R,
  ) {}

  add(row: Row): void {
    this.group = null;
    this.rows.push(this.keep(row));
  }

  message(row: Extract<Row, { kind: "message" }>): void {
    this.add(row);
    this.lead = true;
  }

  private takeLead(): boolean {
    const { lead } = this;
    this.lead = false;
    return lead;
  }

  block(block: Block | LiveBlock, key: string, running: readonly LiveBlock[], growing: boolean): void {
    if (block.kind === "tool_call") this.call(block, key, running, growing);
    else if (!block.text?.trim()) return;
    else if (block.kind === "reasoning") {
      this.add({
        kind: "reasoning",
        key,
        text: block.text,
        lead: this.takeLead(),
        duration: block.duration_ms,
        since: growing && "since" in block ? block.since : undefined,
      });
    } else this.text(block.text, key, growing);
  }

  private text(text: string, key: string, growing: boolean): void {
    let document = this.documents.get(key);
    if (!document) {
      document = new MarkdownDocument();
      this.documents.set(key, document);
    }
    if (growing) document.grow(text);
    else document.finish(text);
    this.group = null;
    for (const chunk of document.chunks) this.rows.push(this.answer(`${key}/${chunk.index}`, chunk, this.takeLead()));
  }

  /** A chunk that is over has its row already; a long answer would feel the comparison otherwise. */
  private answer(key: string, chunk: Chunk, lead: boolean): Row {
    const before = this.kept.get(key);
    if (before?.kind === "answer" && before.chunk === chunk && before.lead === lead) return before;
    return this.keep({ kind: "answer", key, chunk, lead });
  }

  private call(block: Block, key: string, running: readonly LiveBlock[], writing: boolean): void {
    const id = block.call_id ?? key;
    const result = this.turn.results.get(id);
    const since = result ? undefined : running.find((call) => call.call_id === id)?.since;
    const call: Call = {
      id,
      name: block.name ?? "",
      args: block.args ?? "",
      result,
      since,
      writing: writing || undefined,
    };
    if (this.group) this.group.calls.push(call);
    else {
      this.group = { key: `${key}+`, calls: [call], at: this.rows.length, lead: this.takeLead() };
      this.rows.push({ kind: "tools", key: this.group.key, calls: [], lead: this.group.lead });
    }
    const { at, calls, lead } = this.group;
    this.rows[at] = { kind: "tools", key: this.group.key, calls, lead };
  }

  end(retry: RetryNotice | undefined, last: boolean): void {
    this.add({ kind: "end", key: `${this.turn.id}:end`, turn: this.turn, retry, lead: this.takeLead(), last });
  }

  done(): readonly Row[] {
    return this.rows.map((row) => (row.kind === "tools" ? this.keep(row) : row));
  }
}
