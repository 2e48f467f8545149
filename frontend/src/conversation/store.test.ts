import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RejectionError, type SessionListener } from "@/backend";
import type { Accepted, OpenRequest, OpenSession, Submission } from "@/backend/types";
import { Journal } from "./builders";
import { ConversationStore } from "./store";

const rejection = (code: string, fatal = false) => new RejectionError({ code, message: code, fatal });

/** The two calls that a store makes, each answered by hand. */
function harness() {
  const opens: { request: OpenRequest; answer(open: OpenSession): void; fail(reason: unknown): void }[] = [];
  const submits: Submission[] = [];
  const refusals: unknown[] = [];
  let listener: SessionListener | undefined;
  const api = {
    Sessions: {
      Open: (request: OpenRequest) =>
        new Promise((answer, fail) => opens.push({ request, answer: answer as never, fail })),
      Submit: async (submission: Submission): Promise<Accepted> => {
        submits.push(submission);
        const refusal = refusals.shift();
        if (refusal) throw refusal;
        return { submission_id: submission.id };
      },
    },
  };
  window.go = { api } as never;
  const store = new ConversationStore("s", (_id, heard) => {
    listener = heard;
    return { ready: Promise.resolve(), close: () => undefined };
  });
  store.start();
  const hear = (...arrivals: Journal["envelopes"]) => {
    for (const arrival of arrivals)
      "event" in arrival ? listener?.onEvent(arrival.event) : listener?.onFrame(arrival.frame);
  };
  return { store, opens, submits, refusals, hear, resync: () => listener?.onResync() };
}

const tick = () => vi.advanceTimersByTimeAsync(20);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  delete window.go;
  localStorage.clear();
});

const textOf = (store: ConversationStore) => store.get().conversation?.live?.blocks[0]?.text;

describe("the store of a conversation", () => {
  it("shows nothing until the session is open, then everything that came meanwhile at once", async () => {
    const { store, opens, hear } = harness();
    await tick();
    const journal = new Journal();
    const open = journal.open();
    journal.start("x").delta(0, "ab").delta(0, "cd");
    hear(...journal.envelopes);
    await tick();
    expect(store.get().conversation).toBeNull();
    const seen: unknown[] = [];
    store.subscribe(() => seen.push(textOf(store)));
    opens[0]?.answer(open);
    await tick();
    expect(seen).toEqual(["abcd"]);
    store.close();
  });

  it("tells of many pieces once for a frame of the screen", async () => {
    const { store, opens, hear } = harness();
    await tick();
    const journal = new Journal().start("x");
    opens[0]?.answer(journal.open());
    await tick();
    let told = 0;
    store.subscribe(() => told++);
    for (let i = 0; i < 500; i++) journal.delta(0, "a");
    hear(...journal.envelopes.slice(1));
    expect(told).toBe(0);
    await tick();
    expect(told).toBe(1);
    expect(textOf(store)).toHaveLength(500);
    store.close();
  });

  it("opens again from its cursor after a gap, and misses nothing", async () => {
    const { store, opens, hear } = harness();
    await tick();
    const journal = new Journal().start("x");
    opens[0]?.answer(journal.open());
    await tick();
    journal.delta(0, "a").delta(0, "b").delta(0, "c");
    const [, first, , third] = journal.envelopes;
    hear(first as never, third as never);
    await vi.advanceTimersByTimeAsync(400);
    expect(textOf(store)).toBe("a");
    expect(opens[1]?.request).toEqual({ id: "s", after: 1 });
    const snapshot = journal.open(1);
    journal.delta(0, "d");
    hear(journal.envelopes.at(-1) as never);
    opens[1]?.answer(snapshot);
    await tick();
    expect(textOf(store)).toBe("abcd");
    store.close();
  });

  it("opens anew when the cursor is too old, and drops a reply that was overtaken", async () => {
    const { store, opens, resync } = harness();
    await tick();
    const journal = new Journal().start("x").end();
    opens[0]?.answer(journal.open());
    await tick();
    resync();
    await tick();
    opens[1]?.fail(rejection("replay_unavailable"));
    await tick();
    expect(opens[2]?.request).toEqual({ id: "s", turns: 30 });
    resync();
    await tick();
    const late = opens[2];
    opens[3]?.answer(new Journal().start("x").end().start("y").end().open(2));
    await tick();
    expect(store.get().conversation?.lastSeq).toBe(4);
    late?.answer(journal.open());
    await tick();
    expect(store.get().conversation?.lastSeq).toBe(4);
    store.close();
  });

  it("shows nothing of a reply after it was closed", async () => {
    const { store, opens } = harness();
    await tick();
    store.close();
    opens[0]?.answer(new Journal().start("x").open());
    await tick();
    expect(store.get().conversation).toBeNull();
  });

  it("says why it cannot be opened, and waits for what passes", async () => {
    const gone = harness();
    await tick();
    gone.opens[0]?.fail(rejection("unknown_session"));
    await tick();
    expect(gone.store.get()).toMatchObject({ status: "failed", error: { code: "unknown_session" } });
    gone.store.close();
    const busy = harness();
    await tick();
    busy.opens[0]?.fail(rejection("gateway_busy"));
    await vi.advanceTimersByTimeAsync(500);
    expect(busy.store.get().status).toBe("opening");
    busy.opens[1]?.answer(new Journal().open());
    await tick();
    expect(busy.store.get().status).toBe("ready");
    busy.store.close();
  });
});

describe("sending", () => {
  async function ready() {
    const all = harness();
    await tick();
    all.opens[0]?.answer(new Journal().open());
    await tick();
    return all;
  }

  it("shows the message at once and lets go of it when it comes back from the journal", async () => {
    const { store, submits, hear } = await ready();
    const sent = store.send("hello");
    expect(store.get().pending.map((p) => p.text)).toEqual(["hello"]);
    await sent;
    hear(...new Journal().start("hello", submits[0]?.id).envelopes);
    await tick();
    expect(store.get().pending).toEqual([]);
    expect(store.get().conversation?.turns).toHaveLength(1);
    store.close();
  });

  it("tries again with the same id while the gateway is busy", async () => {
    const { store, submits, refusals } = await ready();
    refusals.push(rejection("gateway_busy"), rejection("gateway_busy"));
    const sent = store.send("hello");
    await vi.advanceTimersByTimeAsync(2000);
    await sent;
    expect(submits).toHaveLength(3);
    expect(new Set(submits.map((s) => s.id)).size).toBe(1);
    store.close();
  });

  it("rejects a refused message and shows it no longer, so that its text can come back", async () => {
    const { store, refusals } = await ready();
    refusals.push(rejection("queue_full"));
    await expect(store.send("hello")).rejects.toMatchObject({ code: "queue_full" });
    expect(store.get().pending).toEqual([]);
    store.close();
  });

  it("keeps a message of which nobody knows whether it arrived, and sends it again under its id", async () => {
    const { store, submits, refusals, hear } = await ready();
    refusals.push(rejection("unreachable"));
    await store.send("hello");
    const [pending] = store.get().pending;
    expect(pending?.unsure?.code).toBe("unreachable");
    if (pending) await store.sendAgain(pending);
    expect(submits.map((s) => s.id)).toEqual([pending?.id, pending?.id]);
    hear(...new Journal().start("hello", pending?.id).envelopes);
    await tick();
    expect(store.get().pending).toEqual([]);
    store.close();
  });

  it("keeps a message that nobody confirmed when its view is left, until it is in the conversation", async () => {
    const first = harness();
    first.refusals.push(rejection("unreachable"));
    await first.store.send("precious");
    const id = first.store.get().pending[0]?.id;
    first.store.close();
    const again = harness();
    expect(again.store.get().pending).toMatchObject([{ id, text: "precious" }]);
    again.store.forget(id ?? "");
    expect(harness().store.get().pending).toEqual([]);
  });

  it("opens a session that was closed in the background, then sends", async () => {
    const { store, opens, submits, refusals } = await ready();
    refusals.push(rejection("gateway_stopped", true));
    const sent = store.send("hello");
    await tick();
    opens[1]?.answer(new Journal().open());
    await tick();
    await sent;
    expect(submits).toHaveLength(2);
    store.close();
  });

  it("names the running turn when it stops, until that turn has ended", async () => {
    const { store, submits, hear } = await ready();
    const journal = new Journal().start("x");
    hear(...journal.envelopes);
    await tick();
    await store.stop();
    expect(submits[0]?.interrupt).toEqual({ turn_id: "t1" });
    expect(store.get().stopping).toBe("t1");
    journal.end("aborted", { reason: "interrupted" });
    hear(journal.envelopes.at(-1) as never);
    await tick();
    expect(store.get().stopping).toBeNull();
    store.close();
  });
});
