import { describe, expect, it } from "vitest";
import { NOW } from "@/testing/fakeData";
import { Journal } from "./builders";
import { RowBuilder } from "./rows";
import { applyEvent, applyFrame, type Conversation, opened } from "./state";

const call = (id: string) => ({ kind: "tool_call" as const, call_id: id, name: "read_file", args: "{}" });

/** Follows a journal as it happens and gives the rows after each arrival. */
function watch(journal: Journal) {
  const builder = new RowBuilder();
  let state: Conversation = opened(new Journal().open(), NOW);
  return journal.envelopes.map((arrival) => {
    state = "event" in arrival ? applyEvent(state, arrival.event) : applyFrame(state, arrival.frame, NOW);
    return builder.rows(state, []);
  });
}

const keys = (rows: readonly { key: string }[] | undefined) => rows?.map((row) => row.key);

describe("rows", () => {
  it("replaces what was streamed by the record without a new row", () => {
    const text = `One.\n\n${"Two words. ".repeat(300)}\n\n- a\n- b`;
    const journal = new Journal().start("x");
    for (let i = 0; i < text.length; i += 50) journal.delta(0, text.slice(i, i + 50));
    journal.step([{ kind: "text", text }]).end();
    const seen = watch(journal);
    const streamed = seen.at(-3);
    const recorded = seen.at(-2);
    expect(keys(recorded)).toEqual(keys(streamed));
    // Chunks that were over are the very same objects, so nothing of them is drawn again.
    expect(recorded?.[1]).toBe(streamed?.[1]);
    expect(keys(seen.at(-1))).toEqual(keys(streamed));
  });

  it("leaves rows before the one that grows as they are", () => {
    const journal = new Journal().start("x");
    for (let i = 0; i < 400; i++) journal.delta(0, `Sentence number ${i} of a longer answer.${i % 8 ? " " : "\n\n"}`);
    const seen = watch(journal);
    const before = seen.at(-2) ?? [];
    const after = seen.at(-1) ?? [];
    expect(after.length).toBeGreaterThan(5);
    const changed = after.filter((row, i) => row !== before[i]);
    expect(changed.length).toBeLessThanOrEqual(1);
  });

  it("folds consecutive calls, those of the next request too, and ends the group at words", () => {
    const journal = new Journal()
      .start("x")
      .step([call("c1"), call("c2")], "tool_calls")
      .result("c1")
      .result("c2", { status: "error" })
      .next()
      .step([call("c3")], "tool_calls")
      .result("c3")
      .next()
      .step([{ kind: "text", text: "so" }, call("c4")], "tool_calls")
      .tool(call("c4"));
    const rows = watch(journal).at(-1) ?? [];
    const groups = rows.flatMap((row) =>
      row.kind === "tools" ? [row.calls.map((c) => [c.id, c.result?.status, c.since])] : [],
    );
    expect(groups).toEqual([
      [
        ["c1", "ok", undefined],
        ["c2", "error", undefined],
        ["c3", "ok", undefined],
      ],
      [["c4", undefined, NOW]],
    ]);
    expect(rows.map((row) => ("lead" in row ? row.lead : null))).toEqual([null, true, false, false, false]);
  });

  it("shows a sent message at once, under the key that it keeps", () => {
    const builder = new RowBuilder();
    const state = opened(new Journal().open(), NOW);
    const sent = builder.rows(state, [{ id: "m1", text: "hello", at: NOW }]);
    const arrived = applyEvent(state, new Journal().start("hello").events[0] as never);
    expect(keys(sent)).toEqual(["m:m1"]);
    expect(keys(builder.rows(arrived, []))).toEqual(["m:m1", "t1:end"]);
  });

  it("shows a steered message between what was said before and after it", () => {
    const journal = new Journal()
      .start("x")
      .step([{ kind: "text", text: "a" }])
      .queued("mind this", "q1", "steer")
      .steered("q1")
      .next()
      .step([{ kind: "text", text: "b" }])
      .end();
    const rows = watch(journal).at(-1) ?? [];
    expect(rows.map((row) => row.kind)).toEqual(["message", "answer", "message", "answer", "end"]);
  });
});
