import { describe, expect, it } from "vitest";
import type { OpenSession } from "@/backend/types";
import { NOW } from "@/testing/fakeData";
import { Journal } from "./builders";
import { applyEvent, applyFrame, type Conversation, opened, prepended, reopened, runningTurn, trimmed } from "./state";

const apply = (state: Conversation, arrivals: Journal["envelopes"]): Conversation =>
  arrivals.reduce((s, a) => ("event" in a ? applyEvent(s, a.event) : applyFrame(s, a.frame, NOW)), state);

/** What is shown. The record of the session is the catalog's to keep. */
const shown = (state: Conversation | null) => state && { ...state, session: null };

const call = { kind: "tool_call" as const, call_id: "c1", name: "read_file", args: '{"path":"a"}' };

/** A session in which everything happens once, with what opening it would have answered after each arrival. */
function lively(): { journal: Journal; snapshots: OpenSession[] } {
  const journal = new Journal();
  const snapshots = [journal.open()];
  const steps: ((j: Journal) => Journal)[] = [
    (j) => j.start("hello"),
    (j) => j.delta(0, "hm", "reasoning"),
    (j) => j.delta(1, "I loo"),
    (j) => j.retry(),
    (j) => j.attempt(),
    (j) => j.delta(0, "Let me"),
    (j) => j.queued("later", "q1"),
    (j) => j.delta(0, " see"),
    (j) => j.delta(1, '{"path":"a"}', "tool_call", { call_id: "c1", name: "read_file" }),
    (j) => j.step([{ kind: "text", text: "Let me see" }, call], "tool_calls"),
    (j) => j.tool(call),
    (j) => j.queued("mind the tests", "q2", "steer"),
    (j) => j.result("c1"),
    (j) => j.steered("q2"),
    (j) => j.next().delta(0, "It says"),
    (j) => j.delta(0, " out."),
    (j) => j.step([{ kind: "text", text: "It says out." }]),
    (j) => j.end(),
    (j) => j.start("later", "q1"),
    (j) => j.delta(0, "Now the"),
    (j) => j.delta(0, " second"),
    (j) => j.step([{ kind: "text", text: "Now the sec" }], "interrupted"),
    (j) => j.end("aborted", { reason: "interrupted" }),
    (j) => j.start("third"),
    (j) => j.delta(0, "Third"),
  ];
  for (const step of steps) {
    step(journal);
    snapshots.push(journal.open());
  }
  return { journal, snapshots };
}

describe("the state of a conversation", () => {
  it("is the same, whenever the session was opened and however often anything arrives", () => {
    const { journal, snapshots } = lively();
    const all = journal.envelopes;
    const wanted = shown(opened(journal.open(), NOW));
    snapshots.forEach((snapshot, at) => {
      const start = opened(snapshot, NOW);
      for (const from of [0, Math.max(0, at - 3), at]) {
        expect(shown(apply(start, all.slice(from))), `opened after ${at}, heard from ${from}`).toEqual(wanted);
        const doubled = all.slice(from).flatMap((arrival) => [arrival, arrival]);
        expect(shown(apply(start, doubled)), `doubled, opened after ${at}`).toEqual(wanted);
        const again = [...all.slice(from), ...all.slice(Math.max(0, from - 5))];
        expect(shown(apply(start, again)), `repeated, opened after ${at}`).toEqual(wanted);
      }
    });
  });

  it("is the same after any number of times that it was opened again from its cursor", () => {
    const { journal, snapshots } = lively();
    const wanted = shown(opened(journal.open(), NOW));
    for (let first = 0; first < snapshots.length; first += 3) {
      for (let second = first; second < snapshots.length; second += 4) {
        const state = apply(opened(snapshots[first] as OpenSession, NOW), journal.envelopes.slice(first, second));
        const reply = structuredClone(snapshots[second] as OpenSession);
        reply.page.events = reply.page.events.filter((e) => e.seq > state.lastSeq);
        const again = reopened(state, reply, NOW);
        expect(again && shown(apply(again, journal.envelopes.slice(second))), `${first} then ${second}`).toEqual(
          wanted,
        );
      }
    }
  });

  it("notices every single missing event, and a missing frame before the next thing of that step", () => {
    const { journal } = lively();
    const all = journal.envelopes;
    for (let missing = 0; missing < all.length - 1; missing++) {
      const lost = all[missing];
      const state = apply(opened(new Journal().open(), NOW), all.toSpliced(missing, 1));
      if (lost && "event" in lost) expect(state.gap, `without event ${lost.event.seq}`).toBe(true);
    }
    const frames = new Journal().start("x").delta(0, "a").delta(0, "b").delta(0, "c");
    const [started, , second] = frames.envelopes;
    const from = opened(new Journal().open(), NOW);
    const withFirst = apply(from, [started, frames.envelopes[1], frames.envelopes[3]] as Journal["envelopes"]);
    expect(withFirst.gap).toBe(true);
    expect(second).toBeDefined();
  });

  it("keeps attempts apart: a new one voids what the one before had streamed", () => {
    const journal = new Journal().start("x").delta(0, "half an ans").retry();
    const start = opened(new Journal().open(), NOW);
    const waiting = apply(start, journal.envelopes);
    expect(waiting.live?.retry?.code).toBe("model_overloaded");
    expect(waiting.live?.blocks[0]?.text).toBe("half an ans");
    journal.attempt();
    expect(apply(start, journal.envelopes).live?.blocks).toEqual([]);
    const late = journal.envelopes[1];
    journal.delta(0, "whole");
    const state = apply(start, journal.envelopes);
    const again = late && "frame" in late ? applyFrame(state, { ...late.frame, n: journal.n + 1 }, NOW) : state;
    expect(again.live?.blocks.map((b) => b.text)).toEqual(["whole"]);
  });

  it("takes frames that are counted anew after the session was loaded again", () => {
    const journal = new Journal()
      .start("x")
      .delta(0, "abc")
      .step([{ kind: "text", text: "abc" }])
      .end();
    const state = opened(journal.open(), NOW);
    journal.n = 0;
    journal.start("y").delta(0, "new");
    const next = apply(state, journal.envelopes.slice(-2));
    expect(next.gap).toBe(false);
    expect(next.live?.blocks[0]?.text).toBe("new");
  });

  it("applies nothing after a gap, and says when a cursor does not fit", () => {
    const journal = new Journal().start("x").end().start("y").end();
    const broken = applyEvent(opened(new Journal().open(), NOW), journal.events[2] as never);
    expect(broken.gap).toBe(true);
    expect(apply(broken, journal.envelopes)).toBe(broken);
    const reply = journal.open();
    reply.page.events = reply.page.events.slice(2);
    expect(reopened({ ...broken, gap: false }, reply, NOW)).toBeNull();
  });

  it("puts older pages in front once, and drops those of another cursor", () => {
    const journal = new Journal().start("a").end().start("b").end();
    const newest = { ...journal.open(), page: { events: journal.events.slice(2), before: 3, last_seq: 4 } };
    const state = opened(newest, NOW);
    const older = { events: journal.events.slice(0, 2), before: 0, last_seq: 4 };
    const whole = prepended(state, older, 3);
    expect(whole.turns.map((turn) => turn.id)).toEqual(["t1", "t3"]);
    expect(whole.before).toBe(0);
    expect(prepended(whole, older, 3)).toBe(whole);
    expect(prepended(state, older, 99)).toBe(state);
    const short = trimmed(whole, 1);
    expect(short.turns.map((turn) => turn.id)).toEqual(["t3"]);
    expect(prepended(short, older, short.before).turns).toEqual(whole.turns);
  });

  it("knows the running turn, and takes messages out of the queue when they begin or steer", () => {
    const journal = new Journal().start("a").queued("b", "q1").queued("c", "q2", "steer");
    let state = opened(journal.open(), NOW);
    expect(runningTurn(state)?.id).toBe("t1");
    expect(state.queue.map((q) => q.id)).toEqual(["q1", "q2"]);
    journal.steered("q2").end().start("b", "q1");
    state = apply(state, journal.envelopes.slice(3));
    expect(state.queue).toEqual([]);
    expect(state.turns.flatMap((t) => t.entries).map((e) => e.kind === "message" && e.message.text)).toEqual([
      "a",
      "c",
      "b",
    ]);
  });
});
