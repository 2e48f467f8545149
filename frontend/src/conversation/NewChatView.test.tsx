import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { aBot, aSession } from "@/testing/fakeData";
import { expectAccessible, type RenderOptions, renderApp } from "@/testing/render";
import { draftOf, EMPTY } from "./drafts";

beforeEach(() => draftOf("new").set(EMPTY));

const bots = [aBot(), aBot({ id: "b2", name: "Reviewer", handle: "reviewer", builtin: false, tint: "purple" })];
const start = (over: RenderOptions = {}) =>
  renderApp({
    bots,
    sessions: [aSession({ id: "s1", workspace: "/home/ada/letters" })],
    path: "/new",
    pace: 100_000,
    ...over,
  });
const field = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: /^Message to/ });

describe("a new chat", () => {
  it("greets, and is accessible", async () => {
    const { container } = start();
    await screen.findByRole("heading", { name: "What shall we do?" });
    await field();
    await expectAccessible(container);
  });

  it("makes the conversation with the first message and goes there", async () => {
    const { user, fake } = start();
    await user.type(await field(), "Hello{Enter}");
    await screen.findByRole("region", { name: "Messages" });
    const names = fake.calls.map((c) => c.name).filter((n) => /Create|Submit/.test(n));
    expect(names).toEqual(["Sessions.Create", "Sessions.Submit"]);
    await screen.findByRole("listitem", { name: "You say" });
  });

  it("keeps the text when it fails, and makes no second conversation when it is tried again", async () => {
    const { user, fake } = start();
    fake.refuse("Sessions.Submit", { code: "storage_full", message: "full", fatal: false });
    const text = await field();
    await user.type(text, "Precious{Enter}");
    await screen.findByText("The disk is full.");
    expect(text.value).toBe("Precious");
    fake.accept("Sessions.Submit");
    await user.type(text, "{Enter}");
    await screen.findByRole("region", { name: "Messages" });
    const calls = fake.calls.filter((c) => c.name === "Sessions.Create");
    const sent = fake.calls.filter((c) => c.name === "Sessions.Submit").map((c) => (c.args[0] as { id: string }).id);
    expect(calls).toHaveLength(1);
    expect(new Set(sent).size).toBe(1);
  });

  it("sends one of three things to try by a click", async () => {
    const { user, fake } = start();
    const ideas = await screen.findByRole("list", { name: "Things to try" });
    expect(ideas.children).toHaveLength(3);
    await user.click(screen.getByRole("button", { name: /Read README/ }));
    await waitFor(() =>
      expect(fake.calls.find((c) => c.name === "Sessions.Submit")?.args[0]).toMatchObject({
        message: { text: "Read README.md" },
      }),
    );
  });

  it("takes another Bot and another folder", async () => {
    const { user, fake } = start();
    await user.click(await screen.findByRole("button", { name: "Bot: Mobius" }));
    await user.click(await screen.findByRole("menuitemradio", { name: "Reviewer" }));
    await screen.findByRole("heading", { name: "What shall Reviewer do?" });
    await user.click(screen.getByRole("button", { name: /^Folder:/ }));
    await user.click(await screen.findByRole("menuitemradio", { name: /letters/ }));
    await user.type(await field(), "Go{Enter}");
    await waitFor(() =>
      expect(fake.calls.find((c) => c.name === "Sessions.Create")?.args[0]).toEqual({
        bot_id: "b2",
        workspace: "/home/ada/letters",
      }),
    );
  });

  it("begins with the Bot that was asked for", async () => {
    start({ path: "/new?bot=b2" });
    await screen.findByRole("heading", { name: "What shall Reviewer do?" });
  });
});
