import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeBackend } from "@/testing/fakeBackend";
import { type Connection, connect } from "./index";

const listener = () => ({ onEvent: vi.fn(), onFrame: vi.fn(), onResync: vi.fn() });

describe("events of open sessions", () => {
  let fake: FakeBackend;
  let connection: Connection;
  const watched = () => fake.calls.filter((c) => c.name === "System.Watch").map((c) => c.args[1]);

  beforeEach(() => {
    fake = new FakeBackend();
    fake.install(window);
    connection = connect();
  });

  it("names no session at first, so that none is sent unasked", async () => {
    await vi.waitFor(() => expect(watched()).toEqual([[]]));
  });

  it("is ready only once the backend knows that the session is open", async () => {
    const { ready } = connection.events.subscribeSession("a", listener());
    await ready;
    expect(watched().at(-1)).toEqual(["a"]);
  });

  it("hands events and frames to the listeners of their session, in order", async () => {
    const a = listener();
    const b = listener();
    await connection.events.subscribeSession("a", a).ready;
    await connection.events.subscribeSession("b", b).ready;
    const frame = { kind: "delta" as const, turn_id: "t1", step: 0, attempt: 1 };
    fake.emit(
      { kind: "frame", session_id: "a", frame: { ...frame, n: 1 } },
      { kind: "frame", session_id: "a", frame: { ...frame, n: 2 } },
      { kind: "event", session_id: "b", event: { seq: 1, at: 0, kind: "notice" } },
    );
    expect(a.onFrame.mock.calls.map(([f]) => f.n)).toEqual([1, 2]);
    expect(b.onEvent).toHaveBeenCalledOnce();
    expect(a.onEvent).not.toHaveBeenCalled();
  });

  it("stops naming a session when its last listener has gone", async () => {
    const first = connection.events.subscribeSession("a", listener());
    const second = connection.events.subscribeSession("a", listener());
    await Promise.all([first.ready, second.ready]);
    first.close();
    second.close();
    await vi.waitFor(() => expect(watched().at(-1)).toEqual([]));
  });

  it("tries again when the backend did not take the list", async () => {
    vi.useFakeTimers();
    fake.refuse("System.Watch", { code: "gateway_stopped", message: "", fatal: false });
    const { ready } = connection.events.subscribeSession("a", listener());
    await vi.advanceTimersByTimeAsync(100);
    fake.accept("System.Watch");
    await vi.advanceTimersByTimeAsync(1500);
    await ready;
    expect(watched().at(-1)).toEqual(["a"]);
  });

  it("tells every open session to begin anew after a gap, and names them again", async () => {
    const a = listener();
    await connection.events.subscribeSession("a", a).ready;
    const before = watched().length;
    fake.emit({ kind: "resync" });
    expect(a.onResync).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(watched().length).toBeGreaterThan(before));
  });
});
