import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { aBot, aSession } from "@/testing/fakeData";
import { expectAccessible, renderApp } from "@/testing/render";
import { useLayout } from "./layout";
import { parseRoute, paths } from "./router";

const sessions = [aSession({ id: "s1", title: "Letters" }), aSession({ id: "s2", title: "Invoices" })];
const start = (over = {}) => renderApp({ bots: [aBot()], sessions, path: "/bots", ...over });
const ctrl = (key: string) => fireEvent.keyDown(document.body, { key, ctrlKey: true });

describe("the frame", () => {
  it("hides and shows the sidebar by keyboard and keeps that", async () => {
    start();
    await screen.findByRole("complementary", { name: "Sidebar" });
    ctrl("b");
    await waitFor(() => expect(screen.queryByRole("complementary", { name: "Sidebar" })).toBeNull());
    expect(JSON.parse(localStorage.getItem("mobius.layout") ?? "{}").state.sidebarOpen).toBe(false);
    fireEvent.click(screen.getByRole("button", { name: "Show sidebar" }));
    await screen.findByRole("complementary", { name: "Sidebar" });
  });

  it("lets the sidebar's width be changed by keyboard, within limits", async () => {
    start();
    act(() => useLayout.getState().setSidebarWidth(272));
    const line = await screen.findByRole("separator", { name: "Width of the sidebar" });
    fireEvent.keyDown(line, { key: "ArrowRight" });
    expect(line.getAttribute("aria-valuenow")).toBe("288");
    fireEvent.keyDown(line, { key: "End" });
    fireEvent.keyDown(line, { key: "ArrowRight" });
    expect(line.getAttribute("aria-valuenow")).toBe("480");
    fireEvent.keyDown(line, { key: "Enter" });
    expect(line.getAttribute("aria-valuenow")).toBe("272");
  });

  it("shows all shortcuts on ?", async () => {
    start();
    await screen.findByRole("heading", { name: "Bots" });
    fireEvent.keyDown(document.body, { key: "?", shiftKey: true });
    const dialog = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
    within(dialog).getByText("Search");
    within(dialog).getByText("Rename");
    await expectAccessible(dialog);
  });

  it("goes back and forward through places", async () => {
    const { user } = start();
    await screen.findByRole("heading", { name: "Bots" });
    await user.click(screen.getByRole("link", { name: "Settings" }));
    await screen.findByRole("heading", { name: "Settings" });
    act(() => window.history.back());
    await screen.findByRole("heading", { name: "Bots", level: 1 });
  });

  it("speaks the chosen language", async () => {
    start({ settings: { language: "de" } });
    await screen.findByRole("button", { name: /Neuer Chat/ });
    expect(document.documentElement.lang).toBe("de");
  });
});

describe("search", () => {
  it("finds conversations through the backend, Bots and commands, and goes there", async () => {
    const { user } = start();
    await screen.findByRole("heading", { name: "Bots" });
    ctrl("k");
    const field = await screen.findByRole("combobox", { name: "Search" });
    await screen.findByRole("option", { name: /Invoices/ });
    await user.type(field, "letter");
    await waitFor(() => expect(screen.queryByRole("option", { name: /Invoices/ })).toBeNull());
    await user.keyboard("{Enter}");
    await waitFor(() => expect(window.location.hash).toBe("#/chat/s1"));
  });

  it("says when nothing is found", async () => {
    const { user } = start();
    await screen.findByRole("heading", { name: "Bots" });
    ctrl("k");
    await user.type(await screen.findByRole("combobox", { name: "Search" }), "qqq");
    await screen.findByText("Nothing is called “qqq”.");
  });
});

describe("the start", () => {
  it("says that the page was painted once there was something to see", async () => {
    const { fake } = start();
    expect(fake.calls.some((c) => c.name === "System.Painted")).toBe(false);
    await screen.findByRole("complementary", { name: "Sidebar" });
    await waitFor(() => expect(fake.calls.filter((c) => c.name === "System.Painted")).toHaveLength(1));
  });
});

describe("a page in a browser", () => {
  it("says that the server is gone only when it does not come back soon", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { fake } = start();
    await screen.findByRole("heading", { name: "Bots" });
    act(() => fake.connection(false));
    act(() => vi.advanceTimersByTime(1000));
    expect(screen.queryByText(/connection to Mobius is lost/)).toBeNull();
    act(() => vi.advanceTimersByTime(1000));
    screen.getByText(/connection to Mobius is lost/);
    act(() => fake.connection(true));
    expect(screen.queryByText(/connection to Mobius is lost/)).toBeNull();
  });

  it("reads again what it may have missed before the feed was open", async () => {
    const { fake } = start();
    await screen.findByRole("heading", { name: "Bots" });
    fake.bots = [aBot({ name: "Changed meanwhile" })];
    act(() => fake.connection(true));
    await screen.findByText("Changed meanwhile");
  });
});

describe("external links", () => {
  it("show their address before they are opened", async () => {
    const { fake, user } = start();
    const { openExternalLink } = await import("./guards");
    await screen.findByRole("heading", { name: "Bots" });
    const open = vi.fn();
    if (window.runtime) window.runtime.BrowserOpenURL = open;
    act(() => openExternalLink("https://example.org/page"));
    await screen.findByText("https://example.org/page");
    expect(open).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Open" }));
    await waitFor(() => expect(open).toHaveBeenCalledWith("https://example.org/page"));
    expect(fake).toBeDefined();
  });
});

describe("places", () => {
  it.each([
    ["/new", { name: "new", bot: undefined }],
    ["/new?bot=a%20b", { name: "new", bot: "a b" }],
    ["/chat/x", { name: "chat", id: "x" }],
    ["/bots/new", { name: "bot-new" }],
    ["/bots/b2", { name: "bot", id: "b2" }],
    ["/settings", { name: "settings", section: "appearance" }],
    ["/nowhere", { name: "new", bot: undefined }],
  ])("%s", (path, route) => expect(parseRoute(path)).toEqual(route));

  it("survive ids with odd characters", () => {
    expect(parseRoute(paths.chat("a/b?c"))).toEqual({ name: "chat", id: "a/b?c" });
  });
});

describe("a backend that is not ready", () => {
  it("is asked again while it starts", async () => {
    const starting = { code: "gateway_stopped", message: "Mobius is starting.", fatal: false };
    const { fake } = start({ refusals: { "Settings.Get": starting } });
    await waitFor(() => expect(fake.calls.filter((c) => c.name === "Settings.Get").length).toBeGreaterThan(1));
    fake.accept("Settings.Get");
    await screen.findByRole("heading", { name: "Bots" });
  });

  it("opens the rescue screen when its data is damaged, and goes on after a rescue", async () => {
    const reason = { code: "storage_damaged", message: "The image is malformed.", fatal: false };
    const backups = [{ path: "/b/1", reason: "daily", at: Date.now(), bytes: 5_000_000 }];
    const { user } = start({ rescue: { needed: true, reason, backups } });
    await screen.findByRole("heading", { name: "The data could not be read." });
    screen.getByText("The image is malformed.");
    await user.click(await screen.findByRole("button", { name: "Salvage" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Salvage" }));
    await screen.findByText("4,812 records were saved; 3 places were unreadable.");
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Continue" }));
    await screen.findByRole("heading", { name: "Bots" });
  });

  it("says what to do about data of a newer version, and offers no way to lose it", async () => {
    const reason = { code: "state_newer", message: "Schema 9, this version knows 4.", fatal: false };
    start({ rescue: { needed: true, reason, backups: [] } });
    await screen.findByRole("heading", { name: "The data was made by a newer version of Mobius." });
    await screen.findByText("Install the newer version; nothing was changed.");
    expect(screen.queryByRole("button", { name: "Start fresh" })).toBeNull();
  });
});
