import { act, createEvent, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { navigate, paths } from "@/app/router";
import type { Block, SessionEvent } from "@/backend/types";
import { aBot, aSession, aTurn } from "@/testing/fakeData";
import { expectAccessible, type RenderOptions, renderApp } from "@/testing/render";

let count = 0;
let id = "";
beforeEach(() => {
  // Drafts live as long as the page; each test has a conversation of its own.
  count++;
  id = `chat-${count}`;
});

function start(events: SessionEvent[] = [], over: RenderOptions = {}) {
  const session = aSession({ id, title: "Letters", last_seq: events.length });
  return renderApp({
    bots: [aBot(), aBot({ id: "b2", name: "Reviewer", handle: "reviewer", builtin: false })],
    sessions: [session],
    journals: { [id]: events },
    path: `/chat/${id}`,
    pace: 100_000,
    ...over,
  });
}

const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message to Mobius" });
const submissions = (fake: ReturnType<typeof start>["fake"]) =>
  fake.calls.filter((c) => c.name === "Sessions.Submit").map((c) => c.args[0] as Record<string, unknown>);
const frames = () => act(() => new Promise((done) => setTimeout(done, 40)));

const call = (n: number): Block => ({
  kind: "tool_call",
  call_id: `c${n}`,
  name: "read_file",
  args: `{"path":"file${n}.go"}`,
});

function aToolTurn(): SessionEvent[] {
  const [begin, , end] = aTurn(1, "Look", "") as [SessionEvent, SessionEvent, SessionEvent];
  const tool = (n: number, seq: number): SessionEvent => ({
    seq,
    at: begin.at,
    kind: "tool.completed",
    turn_id: "t1",
    tool: {
      call_id: `c${n}`,
      name: "read_file",
      status: n === 2 ? "error" : "ok",
      output: `output ${n}`,
      duration_ms: 1200,
    },
  });
  return [
    begin,
    {
      seq: 2,
      at: begin.at,
      kind: "step.completed",
      turn_id: "t1",
      step: {
        index: 0,
        blocks: [{ kind: "reasoning", text: "Deep thoughts", duration_ms: 3000 }, call(1), call(2)],
        finish: "tool_calls",
      },
    },
    tool(1, 3),
    tool(2, 4),
    { ...end, seq: 5 },
  ];
}

describe("a conversation", () => {
  it("lists what was said, named for assistive software, and is accessible", async () => {
    const { container } = start([...aTurn(1, "What is it?", "It is **this**."), ...aTurn(4, "And that?", "That.")]);
    await screen.findByText("What is it?");
    const list = within(screen.getByRole("region", { name: "Messages" })).getByRole("list");
    const names = within(list)
      .getAllByRole("listitem")
      .filter((item) => item.parentElement === list)
      .map((item) => item.getAttribute("aria-label"));
    expect(names.slice(0, 3)).toEqual(["You say", "Mobius says", "Mobius has finished"]);
    await expectAccessible(container);
  });

  it("shows what the person wrote as they wrote it", async () => {
    start(aTurn(1, "$1.23 and 5% of *this* <b>\n  - no list", "Yes."));
    const text = await screen.findByText(/5% of/);
    expect(text.textContent).toBe("$1.23 and 5% of *this* <b>\n  - no list");
  });

  it("folds thoughts and calls, and makes what is inside only when it is opened", async () => {
    const { user, container } = start(aToolTurn());
    await user.click(await screen.findByRole("button", { name: /Thought for 3 sec/ }));
    screen.getByText("Deep thoughts");
    const group = screen.getByRole("button", { name: /2 steps.*1 failed/ });
    expect(container.textContent).not.toContain("file1.go");
    await user.click(group);
    expect(container.textContent).not.toContain("output 1");
    await user.click(screen.getByRole("button", { name: /Read file file1\.go/ }));
    screen.getByText("output 1");
    screen.getByText("read_file took 1.2 sec.");
    await expectAccessible(container);
  });

  it("streams an answer and keeps its elements when it ends", async () => {
    const { fake } = start();
    await field();
    await waitFor(() => expect(fake.calls.some((c) => c.name === "Sessions.Open")).toBe(true));
    await frames();
    const turn_id = "t1";
    act(() => {
      fake.turns.append(id, { kind: "turn.started", turn_id, message: { id: "m", author: "user", text: "Go" } });
      fake.turns.frame(id, {
        kind: "delta",
        turn_id,
        step: 0,
        attempt: 1,
        deltas: [{ index: 0, kind: "text", text: "Half a" }],
      });
    });
    const paragraph = await screen.findByText("Half a");
    screen.getByRole("listitem", { name: "Mobius is working" });
    act(() => {
      fake.turns.append(id, {
        kind: "step.completed",
        turn_id,
        step: { index: 0, blocks: [{ kind: "text", text: "Half a sentence." }], finish: "stop" },
      });
    });
    await screen.findByText("Half a sentence.");
    expect(paragraph.isConnected).toBe(true);
  });

  it("speaks that work began and ended, and no text of the answer", async () => {
    const { fake, container } = start();
    await field();
    await frames();
    const said: string[] = [];
    const region = [...container.querySelectorAll('[role="status"].sr-only')].at(-1) as Element;
    new MutationObserver(() => said.push(region.textContent ?? "")).observe(region, {
      childList: true,
      subtree: true,
      characterData: true,
    });
    const turn_id = "t1";
    act(() => {
      fake.turns.append(id, { kind: "turn.started", turn_id, message: { id: "m", author: "user", text: "Go" } });
    });
    await frames();
    for (let i = 0; i < 20; i++) {
      act(() => {
        fake.turns.frame(id, {
          kind: "delta",
          turn_id,
          step: 0,
          attempt: 1,
          deltas: [{ index: 0, kind: "text", text: "word " }],
        });
      });
    }
    await frames();
    act(() => {
      fake.turns.append(id, {
        kind: "turn.completed",
        turn_id,
        outcome: { status: "completed", usage: aSession().totals },
      });
    });
    await frames();
    expect([...new Set(said)]).toEqual(["Mobius is working.", "Mobius has answered."]);
    for (const live of container.querySelectorAll("[aria-live], [role=status], [role=log]")) {
      expect(live.textContent).not.toContain("word");
    }
  });

  it("explains a failed turn and offers what helps", async () => {
    const [begin, , end] = aTurn(1, "Go", "") as [SessionEvent, SessionEvent, SessionEvent];
    const error = { code: "model_not_found", message: "No model named x.", fatal: false };
    const outcome = { status: "failed" as const, usage: aSession().totals, error };
    const { user, fake } = start([begin, { ...end, seq: 2, outcome }]);
    await screen.findByText("The provider does not have this model, or the address is wrong.");
    screen.getByText("No model named x.");
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(submissions(fake)[0]).toMatchObject({ message: { text: "Go" } }));
  });

  it("marks what was stopped and offers to continue", async () => {
    const [begin, step, end] = aTurn(1, "Go", "Half") as [SessionEvent, SessionEvent, SessionEvent];
    const { user, fake } = start([
      begin,
      step,
      { ...end, outcome: { status: "aborted", reason: "restart", usage: aSession().totals } },
    ]);
    await screen.findByText("Interrupted when Mobius was closed");
    await user.click(screen.getByRole("button", { name: "Continue" }));
    await waitFor(() =>
      expect(submissions(fake)[0]).toMatchObject({ message: { text: "Please continue where you stopped." } }),
    );
  });

  it("counts down to the next attempt, with Stop beside it", async () => {
    const { fake, user } = start();
    await field();
    await frames();
    act(() => {
      fake.turns.submit({ session_id: id, id: "x", message: { text: "Go" } });
    });
    await frames();
    act(() => {
      const retry = { code: "model_rate_limited", message: "429", until: Date.now() + 12_000, attempt: 1 };
      fake.turns.frame(id, { kind: "retry", turn_id: "t1", step: 0, attempt: 1, retry });
    });
    const note = await screen.findByText(/The provider asks to slow down/);
    expect(note.textContent).toMatch(/Attempt 2 in 1[12] sec/);
    await user.click(screen.getAllByRole("button", { name: "Stop" })[0] as Element);
    await waitFor(() => expect(submissions(fake).at(-1)).toMatchObject({ interrupt: { turn_id: "t1" } }));
  });

  it("says that the folder is gone, and takes another", async () => {
    const { fake, user } = start();
    fake.install(window);
    const info = window.go?.api?.Workspace as Record<string, unknown>;
    info.Info = async (path: string) => ({ path, name: "atlas", exists: false });
    act(() => fake.saveSession({ ...fake.session(id), workspace: "/home/ada/old" }));
    await screen.findByText("The folder of this conversation is gone.");
    await user.click(screen.getByRole("button", { name: "Choose folder" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: /use/i }));
    await waitFor(() => expect(fake.calls.some((c) => c.name === "Sessions.Relink")).toBe(true));
  });

  it("says why it cannot be opened", async () => {
    const view = start();
    view.unmount();
    const { fake } = start([], { path: "/bots" });
    fake.refuse("Sessions.Open", { code: "unknown_session", message: "gone", fatal: false });
    act(() => navigate(paths.chat(id)));
    await screen.findByText("This conversation does not exist any more.");
  });
});

describe("the composer", () => {
  it("sends with Enter, shows the message at once and empties itself", async () => {
    const { user, fake } = start();
    const text = await field();
    await user.type(text, "Hello there{Enter}");
    expect(text.value).toBe("");
    await screen.findByText("Hello there");
    await waitFor(() => expect(submissions(fake)).toHaveLength(1));
    expect(screen.getAllByText("Hello there")).toHaveLength(1);
  });

  it("never sends with the Enter of an input method, and does with the next", async () => {
    const { fake } = start();
    const text = await field();
    fireEvent.compositionStart(text);
    fireEvent.change(text, { target: { value: "かな" } });
    fireEvent.compositionEnd(text);
    const ime = createEvent.keyDown(text, { key: "Enter", keyCode: 229 });
    fireEvent(text, ime);
    expect(ime.defaultPrevented).toBe(false);
    await frames();
    expect(submissions(fake)).toHaveLength(0);
    fireEvent.keyDown(text, { key: "Enter", keyCode: 13 });
    await waitFor(() => expect(submissions(fake)[0]).toMatchObject({ message: { text: "かな" } }));
  });

  it("gives the text back when it was refused", async () => {
    const { user, fake } = start();
    fake.refuse("Sessions.Submit", { code: "storage_full", message: "No space left.", fatal: false });
    const text = await field();
    await user.type(text, "Important{Enter}");
    await screen.findByText("The disk is full.");
    expect(text.value).toBe("Important");
    expect(screen.queryByRole("listitem", { name: "You say" })).toBeNull();
  });

  it("offers Steer now or Queue while a turn runs, and Stop", async () => {
    const { user, fake } = start();
    const text = await field();
    await user.type(text, "First{Enter}");
    await screen.findByRole("button", { name: "Stop" });
    await user.type(text, "Second{Enter}");
    await waitFor(() => expect(submissions(fake)[1]).toMatchObject({ message: { requested_delivery: "steer" } }));
    await user.type(text, "Third{Control>}{Enter}{/Control}");
    await waitFor(() => expect(submissions(fake)[2]).toMatchObject({ message: { requested_delivery: "queue" } }));
    const queue = await screen.findByRole("region", { name: "Waiting messages" });
    within(queue).getByText("Third");
    await user.type(text, "Fourth");
    await user.click(screen.getByRole("button", { name: "How to send" }));
    await user.click(await screen.findByRole("menuitem", { name: /Queue/ }));
    await waitFor(() =>
      expect(submissions(fake)[3]).toMatchObject({ message: { text: "Fourth", requested_delivery: "queue" } }),
    );
    await user.click(screen.getByRole("button", { name: "Stop" }));
    await waitFor(() => expect(submissions(fake)[4]).toMatchObject({ interrupt: { turn_id: "t1" } }));
  });

  it("stops when Escape is pressed twice, not once", async () => {
    const { user, fake } = start();
    const text = await field();
    await user.type(text, "First{Enter}");
    await screen.findByRole("button", { name: "Stop" });
    await user.keyboard("{Escape}");
    await screen.findByText("Press Escape again to stop.");
    expect(submissions(fake)).toHaveLength(1);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(submissions(fake)[1]).toMatchObject({ interrupt: { turn_id: "t1" } }));
  });

  it("edits, moves and removes what waits, by keyboard too", async () => {
    const { user, fake, container } = start();
    const text = await field();
    await user.type(text, "Now{Enter}");
    await screen.findByRole("button", { name: "Stop" });
    for (const word of ["One", "Two"]) await user.type(text, `${word}{Control>}{Enter}{/Control}`);
    const queue = await screen.findByRole("region", { name: "Waiting messages" });
    await within(queue).findByText("Two");
    await expectAccessible(container);
    await user.click(within(queue).getAllByRole("button", { name: "Move up" })[1] as Element);
    await waitFor(() =>
      expect(
        within(queue)
          .getAllByRole("listitem")
          .map((li) => li.textContent),
      ).toEqual(["NextTwo", "NextOne"]),
    );
    await user.click(text);
    await user.keyboard("{ArrowUp}");
    expect(text.value).toBe("One");
    await user.keyboard(" more{Enter}");
    await within(queue).findByText("One more");
    expect(text.value).toBe("");
    await user.click(within(queue).getAllByRole("button", { name: "Remove" })[0] as Element);
    await waitFor(() => expect(within(queue).queryByText("Two")).toBeNull());
    expect(submissions(fake).filter((s) => s.queue_edit)).toHaveLength(1);
  });

  it("completes files and Bots after @ and runs commands after /", async () => {
    const { user, fake } = start();
    const text = await field();
    await user.type(text, "see @parser");
    const options = await screen.findAllByRole("option");
    expect(options[0]?.textContent).toBe("parser.gointernal");
    expect(text.getAttribute("aria-activedescendant")).toBe(options[0]?.id);
    await user.keyboard("{ArrowDown}{Enter}");
    expect(text.value).toBe("see @internal/parser_test.go ");
    await user.clear(text);
    await user.type(text, "/ren");
    await screen.findByRole("option", { name: /rename/ });
    await user.keyboard("{Enter}");
    expect(text.value).toBe("/rename ");
    await user.keyboard("Better name{Enter}");
    await waitFor(() => expect(fake.session(id).title).toBe("Better name"));
    expect(text.value).toBe("");
    expect(submissions(fake)).toHaveLength(0);
  });

  it("keeps what is written for each conversation", async () => {
    const { user } = start();
    await user.type(await field(), "unsent");
    act(() => navigate(paths.bots));
    await screen.findByRole("heading", { name: "Bots", level: 1 });
    act(() => navigate(paths.chat(id)));
    await waitFor(async () => expect((await field()).value).toBe("unsent"));
  });

  it("makes a chip of a very long paste and sends it as text", async () => {
    const { user, fake } = start();
    const text = await field();
    await user.type(text, "Look:");
    const long = "line of a log\n".repeat(5000);
    fireEvent.paste(text, { clipboardData: { getData: () => long } });
    const chips = await screen.findByRole("list", { name: "Pasted texts" });
    within(chips).getByText("line of a log");
    expect(text.value).toBe("Look:");
    await user.click(screen.getByRole("button", { name: "Send" }));
    await waitFor(() => expect(submissions(fake)[0]).toMatchObject({ message: { text: `Look:\n\n${long}` } }));
    expect(screen.queryByRole("list", { name: "Pasted texts" })).toBeNull();
  });

  it("refuses a message over the limit and keeps it", async () => {
    const { user, fake } = start();
    const text = await field();
    fireEvent.paste(text, { clipboardData: { getData: () => "ä".repeat(600_000) } });
    await user.click(screen.getByRole("button", { name: "Send" }));
    await screen.findByText("This message is longer than 1 MB.");
    expect(submissions(fake)).toHaveLength(0);
    screen.getByRole("list", { name: "Pasted texts" });
  });
});

describe("a message's menu", () => {
  it("copies, quotes, asks again and shows the source", async () => {
    const { user, fake } = start(aTurn(1, "What is it?", "It is **this**."));
    const copied = vi.spyOn(navigator.clipboard, "writeText");
    await user.click(await screen.findByRole("button", { name: "Copy answer" }));
    expect(copied).toHaveBeenLastCalledWith("It is **this**.");
    const open = () => user.click(screen.getByRole("button", { name: "More for this answer" }));
    await open();
    await user.click(await screen.findByRole("menuitem", { name: "Quote" }));
    expect((await field()).value).toBe("> It is **this**.\n\n");
    await open();
    await user.click(await screen.findByRole("menuitem", { name: "Show source" }));
    const dialog = await screen.findByRole("dialog", { name: "Source of the answer" });
    within(dialog).getByText("It is **this**.");
    await user.click(within(dialog).getAllByRole("button", { name: "Close" })[0] as Element);
    await user.click(screen.getByRole("button", { name: "Ask again" }));
    await waitFor(() => expect(submissions(fake)[0]).toMatchObject({ message: { text: "What is it?" } }));
  });
});
