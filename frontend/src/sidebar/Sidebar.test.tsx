import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { aBot, aSession, noUsage } from "@/testing/fakeData";
import { expectAccessible, renderApp } from "@/testing/render";
import { daysBetween, groupByDay } from "./groups";

const reviewer = aBot({ id: "b2", name: "Reviewer", builtin: false, tint: "purple" });
const NOW = Date.now();
const DAY = 86_400_000;
const sessions = [
  aSession({ id: "s1", title: "First chat", updated_at: NOW }),
  aSession({ id: "s2", title: "Second chat", updated_at: NOW - DAY, bot_id: "b2" }),
  aSession({ id: "s3", title: "Pinned chat", updated_at: NOW - 9 * DAY, pinned: true }),
];
const start = (over = {}) => renderApp({ bots: [aBot(), reviewer], sessions, path: "/bots", ...over });
const list = async () => within(await screen.findByRole("region", { name: "Conversations" }));
const row = async (title: string) => (await list()).findByRole("link", { name: new RegExp(title) });

describe("the list of conversations", () => {
  it("shows pinned ones first, then the others by day", async () => {
    start();
    await row("First chat");
    const texts = (await list()).getAllByRole("listitem").map((item) => item.textContent);
    expect(texts).toEqual(["Pinned", "Pinned chat", "Today", "First chat", "Yesterday", "Second chat"]);
  });

  it("shows a change of another window at once", async () => {
    const { fake } = start();
    await row("First chat");
    act(() => void fake.saveSession({ ...fake.session("s1"), title: "Renamed elsewhere" }));
    await row("Renamed elsewhere");
  });

  it("renames in place, and Enter of an input method does not end it", async () => {
    const { fake, user } = start();
    (await row("First chat")).focus();
    await user.keyboard("{F2}");
    const field = await screen.findByRole("textbox", { name: "Title of the conversation" });
    fireEvent.change(field, { target: { value: "日本" } });
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    expect(fake.calls.some((c) => c.name === "Sessions.Rename")).toBe(false);
    fireEvent.keyDown(field, { key: "Enter" });
    await row("日本");
    expect(fake.session("s1").title).toBe("日本");
  });

  it("leaves the title alone after Escape", async () => {
    const { fake, user } = start();
    (await row("First chat")).focus();
    await user.keyboard("{F2}");
    const field = await screen.findByRole("textbox", { name: "Title of the conversation" });
    fireEvent.change(field, { target: { value: "Other" } });
    fireEvent.keyDown(field, { key: "Escape" });
    await row("First chat");
    expect(fake.calls.some((c) => c.name === "Sessions.Rename")).toBe(false);
  });

  it("shows the old title again when the new one is refused", async () => {
    const { fake, user } = start();
    fake.refuse("Sessions.Rename", { code: "gateway_busy", message: "", fatal: false });
    (await row("First chat")).focus();
    await user.keyboard("{F2}");
    const field = await screen.findByRole("textbox", { name: "Title of the conversation" });
    fireEvent.change(field, { target: { value: "Other" } });
    fireEvent.keyDown(field, { key: "Enter" });
    await screen.findByText("Another change is being made right now.");
    await row("First chat");
  });

  it("deletes with the keyboard, and Undo brings it back", async () => {
    const { fake, user } = start();
    (await row("First chat")).focus();
    await user.keyboard("{Delete}");
    await waitFor(() => expect(screen.queryByRole("link", { name: /First chat/ })).toBeNull());
    expect(fake.session("s1").deleted_at).toBeTruthy();
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await row("First chat");
  });

  it("says why a working conversation cannot be deleted", async () => {
    const { user } = start({
      sessions: [aSession({ id: "s1", title: "Busy chat", activity: "running", updated_at: NOW })],
    });
    (await row("Busy chat")).focus();
    await user.keyboard("{Delete}");
    await screen.findByText("A Bot is working here right now.");
    await row("Busy chat");
  });

  it("goes through the rows with the arrow keys, with one stop for Tab", async () => {
    const { user } = start();
    (await row("Pinned chat")).focus();
    await user.keyboard("{ArrowDown}");
    await waitFor(async () => expect(document.activeElement).toBe(await row("First chat")));
    await user.keyboard("{End}");
    await waitFor(async () => expect(document.activeElement).toBe(await row("Second chat")));
    const stops = (await list()).getAllByRole("link").filter((link) => link.tabIndex === 0);
    expect(stops).toHaveLength(1);
  });

  it("pins from the menu", async () => {
    const { fake, user } = start();
    await row("First chat");
    await user.click(screen.getByRole("button", { name: "Actions for First chat" }));
    await user.click(await screen.findByRole("menuitem", { name: "Pin" }));
    await waitFor(() => expect(fake.session("s1").pinned).toBe(true));
  });

  it("filters by Bot and shows all again", async () => {
    const { user } = start();
    await row("First chat");
    await user.click(screen.getByRole("button", { name: "Filter conversations" }));
    await user.click(await screen.findByRole("menuitemradio", { name: "Reviewer" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: /First chat/ })).toBeNull());
    await row("Second chat");
    await user.click(screen.getByRole("button", { name: "Remove the filter Reviewer" }));
    await row("First chat");
  });

  it("draws only what is visible of 5,000 conversations and reads pages as needed", async () => {
    const many = Array.from({ length: 5000 }, (_, i) =>
      aSession({ id: `m${i}`, title: `Chat ${i}`, updated_at: NOW - i * 1000, totals: noUsage }),
    );
    const { fake } = start({ sessions: many });
    await row("Chat 0");
    expect((await list()).getAllByRole("listitem").length).toBeLessThan(80);
    const reads = fake.calls.filter((c) => c.name === "Sessions.List");
    expect(reads.length).toBeLessThan(4);
  });

  it("can be used with assistive software", async () => {
    start();
    await row("First chat");
    await expectAccessible();
  });
});

describe("days", () => {
  it("count as one across a change of the clock", () => {
    expect(daysBetween(0, 23 * 3_600_000)).toBe(1);
    expect(daysBetween(0, 25 * 3_600_000)).toBe(1);
    expect(daysBetween(0, 6 * DAY + 3_600_000)).toBe(6);
  });

  it("have one heading each", () => {
    const at = new Date(2026, 4, 3, 12).getTime();
    const lines = groupByDay([at, at - 60_000, at - DAY].map((updated_at, i) => aSession({ id: `${i}`, updated_at })));
    expect(lines.map((l) => l.kind)).toEqual(["heading", "chat", "chat", "heading", "chat"]);
  });
});
