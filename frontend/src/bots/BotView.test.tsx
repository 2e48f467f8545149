import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { BotUpdate } from "@/backend/types";
import type { FakeBackend } from "@/testing/fakeBackend";
import { aBot, aSession } from "@/testing/fakeData";
import { expectAccessible, renderApp } from "@/testing/render";
import { keepDraft } from "./useBotDraft";

const reviewer = aBot({ id: "b2", name: "Reviewer", handle: "reviewer", description: "Reads.", builtin: false });

const start = (over = {}) => {
  keepDraft(reviewer, {});
  return renderApp({ bots: [aBot(), reviewer], path: "/bots/b2", ...over });
};
const field = (name: string) => screen.findByRole("textbox", { name: new RegExp(`^${name}`) });
const type = async (name: string, value: string) => fireEvent.change(await field(name), { target: { value } });
const updates = (fake: FakeBackend) =>
  fake.calls.filter((c) => c.name === "Bots.Update").map((c) => c.args[0] as BotUpdate);
const stored = (fake: FakeBackend) => fake.bots.find((b) => b.id === "b2");
const save = async () => fireEvent.click(await screen.findByRole("button", { name: "Save" }));

describe("a Bot's profile", () => {
  it("writes only the changed field", async () => {
    const { fake } = start();
    await type("Name", "Critic");
    await save();
    await waitFor(() => expect(stored(fake)?.name).toBe("Critic"));
    expect(updates(fake)).toEqual([{ id: "b2", expected_revision: 1, name: "Critic" }]);
    await waitFor(() => expect(screen.queryByText("Unsaved changes")).toBeNull());
  });

  it("keeps what the form does not show when the configuration is written", async () => {
    const { fake } = start();
    await type("System prompt", "Be brief.");
    await save();
    await waitFor(() => expect(stored(fake)?.config.config.system_prompt).toBe("Be brief."));
    expect(updates(fake)[0]?.config).toEqual({ ...reviewer.config.config, system_prompt: "Be brief." });
  });

  it("does not save what cannot be right, and says so at the field", async () => {
    start();
    await type("Name", " ");
    await screen.findByText("A Bot needs a name.");
    expect((await screen.findByRole("button", { name: "Save" })).hasAttribute("disabled")).toBe(true);
  });

  it("keeps what is typed while it is saved, and its own acknowledgement is no conflict", async () => {
    const { fake } = start();
    await type("Name", "Critic");
    const answer = fake.hold("Bots.Update");
    await save();
    await type("Description", "Reads twice.");
    answer();
    await waitFor(() => expect(stored(fake)?.name).toBe("Critic"));
    await waitFor(async () =>
      expect((await screen.findByRole("button", { name: "Save" })).hasAttribute("disabled")).toBe(false),
    );
    expect(screen.queryByText("This Bot was changed somewhere else.")).toBeNull();
    expect(((await field("Description")) as HTMLTextAreaElement).value).toBe("Reads twice.");
    await save();
    await waitFor(() => expect(stored(fake)?.description).toBe("Reads twice."));
    expect(updates(fake).map((u) => u.expected_revision)).toEqual([1, 2]);
  });

  it("takes over another window's change while nothing is unsaved", async () => {
    const { fake } = start();
    await field("Name");
    act(() => void fake.updateBot({ id: "b2", expected_revision: 1, name: "Elsewhere" }));
    await waitFor(async () => expect(((await field("Name")) as HTMLInputElement).value).toBe("Elsewhere"));
  });

  it("shows both versions when another window was first, and saves the chosen fields", async () => {
    const { fake, user } = start();
    await type("Name", "Mine");
    act(() => void fake.updateBot({ id: "b2", expected_revision: 1, name: "Theirs", description: "Changed." }));
    await screen.findByText("This Bot was changed somewhere else.");
    await save();
    const dialog = await screen.findByRole("dialog", { name: "Theirs was changed somewhere else" });
    expect(stored(fake)?.name).toBe("Theirs");
    expect((screen.getByRole("radio", { name: "Yours Mine" }) as HTMLInputElement).checked).toBe(true);
    expect((screen.getByRole("radio", { name: "Stored Changed." }) as HTMLInputElement).checked).toBe(true);
    await expectAccessible(dialog);
    await user.click(screen.getByRole("button", { name: "Save my choice" }));
    await waitFor(() => expect(stored(fake)).toMatchObject({ name: "Mine", description: "Changed." }));
    expect(updates(fake).at(-1)).toEqual({ id: "b2", expected_revision: 2, name: "Mine" });
  });

  it("gives the stored version back when that is chosen", async () => {
    const { fake, user } = start();
    await type("Name", "Mine");
    act(() => void fake.updateBot({ id: "b2", expected_revision: 1, name: "Theirs" }));
    await save();
    await user.click(await screen.findByRole("button", { name: "Keep what is stored" }));
    await waitFor(async () => expect(((await field("Name")) as HTMLInputElement).value).toBe("Theirs"));
    expect(stored(fake)?.config.revision).toBe(2);
  });

  it("keeps unsaved changes while one goes elsewhere", async () => {
    const { user } = start();
    await type("Name", "Critic");
    await user.click(screen.getByRole("link", { name: "Bots" }));
    await screen.findByText("Unsaved");
    await user.click(screen.getAllByRole("link", { name: /Reviewer/ }).at(-1) as HTMLElement);
    expect(((await field("Name")) as HTMLInputElement).value).toBe("Critic");
  });

  it("explains a refusal and keeps the changes", async () => {
    const { fake } = start();
    fake.refuse("Bots.Update", { code: "agent_busy", message: "Reviewer is working in a conversation.", fatal: false });
    await type("Name", "Critic");
    await save();
    await screen.findByText("Reviewer is working in a conversation.");
    expect(((await field("Name")) as HTMLInputElement).value).toBe("Critic");
  });

  it("can be used with assistive software", async () => {
    start();
    await field("Name");
    await screen.findByText("32K context");
    await expectAccessible();
  });
});

describe("deleting a Bot", () => {
  const owned = [aSession({ id: "s1", bot_id: "b2" }), aSession({ id: "s2", bot_id: "b2", deleted_at: 5 })];

  it("is not offered for the built-in one", async () => {
    start({ path: `/bots/${aBot().id}` });
    await field("Name");
    expect(screen.queryByText("Delete this Bot…")).toBeNull();
  });

  it("shows what goes with counts and asks for the name when it owns conversations", async () => {
    const { fake, user } = start({ sessions: owned });
    await user.click(await screen.findByRole("button", { name: "Delete this Bot…" }));
    await screen.findByText("1 conversation with its history");
    screen.getByText("1 more in the trash");
    const button = screen.getByRole("button", { name: "Delete for good" });
    expect(button.hasAttribute("disabled")).toBe(true);
    await user.type(screen.getByRole("textbox", { name: "Type Reviewer to confirm" }), "Reviewer");
    await user.click(button);
    await waitFor(() => expect(stored(fake)).toBeUndefined());
    await screen.findByText("Reviewer was deleted with 2 conversations.");
    expect(window.location.hash).toBe("#/bots");
  });

  it("asks for no name when it owns nothing", async () => {
    const { fake, user } = start();
    await user.click(await screen.findByRole("button", { name: "Delete this Bot…" }));
    await screen.findByText("No conversations");
    await user.click(screen.getByRole("button", { name: "Delete for good" }));
    await waitFor(() => expect(stored(fake)).toBeUndefined());
  });
});

describe("a new Bot", () => {
  it("starts from the defaults, takes the first free tint, and keeps what is typed while it is made", async () => {
    const { fake } = start({ path: "/bots/new" });
    await type("Name", "Scribe");
    await type("Description", "Writes.");
    const answer = fake.hold("Bots.Create");
    fireEvent.click(screen.getByRole("button", { name: "Create Bot" }));
    await type("Description", "Writes letters.");
    answer();
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/bots\/0199/));
    const made = fake.bots.find((b) => b.name === "Scribe");
    expect(made).toMatchObject({ description: "Writes.", tint: "teal" });
    await screen.findByText("Unsaved changes");
    expect(((await field("Description")) as HTMLTextAreaElement).value).toBe("Writes letters.");
  });

  it("says what is missing only after one tried", async () => {
    const { fake } = start({ path: "/bots/new" });
    await field("Name");
    expect(screen.queryByText("A Bot needs a name.")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Create Bot" }));
    await screen.findByText("A Bot needs a name.");
    expect(fake.calls.some((c) => c.name === "Bots.Create")).toBe(false);
  });
});
