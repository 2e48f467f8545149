import type { Block, Frame, Live, OpenSession, Outcome, SessionEvent, Step, ToolResult } from "@/backend/types";
import { aSession, NOW, noUsage } from "@/testing/fakeData";

/** Builders for tests: a journal and its frames, numbered as the engine numbers them. */
export class Journal {
  readonly events: SessionEvent[] = [];
  readonly envelopes: ({ event: SessionEvent } | { frame: Frame })[] = [];
  n = 0;
  private live: Live | null = null;
  private turnId = "";
  private readonly queue: OpenSession["queue"] = [];
  private totals = noUsage;

  private add(event: Omit<SessionEvent, "seq" | "at">): SessionEvent {
    const seq = this.events.length + 1;
    const full: SessionEvent = { seq, at: NOW + seq * 1000, turn_id: this.turnId, ...event };
    this.events.push(full);
    this.envelopes.push({ event: full });
    return full;
  }

  start(text: string, id = `m${this.events.length + 1}`): this {
    this.turnId = `t${this.events.length + 1}`;
    const waits = this.queue.findIndex((q) => q.id === id);
    if (waits >= 0) this.queue.splice(waits, 1);
    this.live = { turn_id: this.turnId, step: 0, attempt: 1, n: this.n, blocks: [], running: [] };
    this.add({ kind: "turn.started", message: { id, author: "user", text } });
    return this;
  }

  queued(text: string, id: string, requested_delivery = "queue"): this {
    const message = { id, author: "user", text, requested_delivery };
    const { at } = this.add({ kind: "message.queued", message });
    this.queue.push({ id, message, at });
    return this;
  }

  steered(id: string): this {
    const at = this.queue.findIndex((q) => q.id === id);
    const [taken] = this.queue.splice(at, 1);
    this.add({ kind: "message.steered", message: taken?.message });
    return this;
  }

  private frame(frame: Omit<Frame, "n" | "turn_id" | "step" | "attempt">): void {
    this.n++;
    const { live } = this;
    if (!live) throw new Error("No turn runs.");
    live.n = this.n;
    const full: Frame = { n: this.n, turn_id: live.turn_id, step: live.step, attempt: live.attempt, ...frame };
    this.envelopes.push({ frame: full });
  }

  delta(index: number, text: string, kind: Block["kind"] = "text", call?: { call_id: string; name: string }): this {
    const { live } = this;
    if (!live) throw new Error("No turn runs.");
    const first = index >= live.blocks.length;
    if (first) live.blocks.push({ kind, ...call });
    const block = live.blocks[index] as Block;
    if (kind === "tool_call") block.args = (block.args ?? "") + text;
    else block.text = (block.text ?? "") + text;
    live.retry = undefined;
    this.frame({ kind: "delta", deltas: [{ index, ...(first ? { kind, ...call } : {}), text }] });
    return this;
  }

  retry(): this {
    const notice = { code: "model_overloaded", message: "529", until: NOW + 9000, attempt: this.live?.attempt ?? 1 };
    if (this.live) this.live.retry = notice;
    this.frame({ kind: "retry", retry: notice });
    return this;
  }

  attempt(): this {
    if (this.live)
      Object.assign(this.live, { attempt: this.live.attempt + 1, blocks: [], running: [], retry: undefined });
    this.frame({ kind: "attempt" });
    return this;
  }

  step(blocks: Block[], finish = "stop"): this {
    const { live } = this;
    const usage = { ...noUsage, input: 10, output: 5, context: 15 };
    const step: Step = { index: live?.step ?? 0, attempt: live?.attempt, model: "demo", blocks, finish, usage };
    this.totals = {
      ...this.totals,
      input: this.totals.input + 10,
      output: this.totals.output + 5,
      context: 15,
      reasoning: 0,
    };
    if (live) Object.assign(live, { blocks: [], retry: undefined });
    this.add({ kind: "step.completed", step });
    return this;
  }

  /** The next request of the turn begins. */
  next(): this {
    if (this.live) Object.assign(this.live, { step: this.live.step + 1, attempt: 1, blocks: [], running: [] });
    return this;
  }

  tool(call: Block): this {
    this.live?.running?.push(call);
    this.frame({ kind: "tool", tool: call });
    return this;
  }

  result(call_id: string, over: Partial<ToolResult> = {}): this {
    if (this.live) this.live.running = this.live.running?.filter((c) => c.call_id !== call_id);
    this.add({ kind: "tool.completed", tool: { call_id, name: "read_file", status: "ok", output: "out", ...over } });
    return this;
  }

  end(status: Outcome["status"] = "completed", over: object = {}): this {
    this.live = null;
    this.add({ kind: "turn.completed", outcome: { status, usage: noUsage, ...over } });
    return this;
  }

  /** What opening the session answers right now. */
  open(after?: number): OpenSession {
    const last_seq = this.events.length;
    return structuredClone({
      session: aSession({ id: "s", last_seq, totals: this.totals }),
      queue: this.queue,
      live: this.live ?? undefined,
      page: { events: this.events.filter((e) => e.seq > (after ?? 0)), before: 0, last_seq },
    });
  }
}
