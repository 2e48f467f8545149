import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { FakeBackend } from "@/testing/fakeBackend";
import { someDetected } from "@/testing/fakeData";
import { expectAccessible, renderApp } from "@/testing/render";

const start = (over = {}) =>
  renderApp({ settings: { setup_done: false }, detected: someDetected, path: "/bots", ...over });
const button = (name: RegExp | string) => screen.findByRole("button", { name });
const botModel = (fake: FakeBackend) => fake.bots[0]?.config.config.provider;

describe("the first start", () => {
  it("comes by itself until it is done", async () => {
    start();
    await screen.findByRole("heading", { name: "Welcome. What should Mobius think with?" });
  });

  it("adopts a key from the environment and ends in a new chat with a fitting model", async () => {
    const { fake, user } = start();
    await user.click(await button(/Use Anthropic/));
    await screen.findByRole("heading", { name: "Anthropic is connected" });
    await screen.findByText("Claude Sonnet");
    await user.click(await button("Start talking"));
    await waitFor(() => expect(fake.settings.setup_done).toBe(true));
    expect(botModel(fake)).toMatchObject({ instance: "anthropic", model: "claude-sonnet" });
    expect(fake.defaults.config.provider).toMatchObject({ instance: "anthropic", model: "claude-sonnet" });
    await waitFor(() => expect(window.location.hash).toBe("#/new"));
  });

  it("tests a pasted key before it is stored, and says what is wrong", async () => {
    const { fake, user } = start({ detected: [] });
    await user.click(await button(/Choose a provider and paste a key/));
    await user.click(await button("OpenAI"));
    await user.type(screen.getByLabelText("Key"), "sk-wrong");
    await user.click(await button("Connect"));
    await screen.findByText("The provider did not accept the key.");
    expect(fake.calls.some((c) => c.name === "Providers.Save")).toBe(false);
    await user.clear(screen.getByLabelText("Key"));
    await user.type(screen.getByLabelText("Key"), "sk-right");
    await user.click(await button("Connect"));
    await screen.findByRole("heading", { name: "OpenAI is connected" });
  });

  it("goes on without a model: the demonstration answers at once", async () => {
    const { fake, user } = start({ detected: [] });
    await user.click(await button(/Try without a model/));
    await waitFor(() => expect(fake.settings.setup_done).toBe(true));
    expect(botModel(fake)).toMatchObject({ instance: "demo", model: "demo" });
    await waitFor(() => expect(window.location.hash).toBe("#/new"));
  });

  it("has no dead end: every step goes back, and it can be skipped", async () => {
    const { fake, user } = start({ detected: [] });
    await user.click(await button(/Choose a provider and paste a key/));
    await user.click(await button("Mistral"));
    await user.click(await button("Back"));
    await screen.findByRole("heading", { name: "Choose a provider" });
    await user.click(await button("Back"));
    await user.click(await button("Skip for now"));
    await waitFor(() => expect(fake.settings.setup_done).toBe(true));
  });

  it("shows why adopting failed and stays usable", async () => {
    const { fake, user } = start();
    fake.refuse("Providers.Adopt", { code: "key_store_unavailable", message: "The keyring is locked.", fatal: false });
    await user.click(await button(/Use Anthropic/));
    await screen.findByText("The keyring is locked.");
    expect((await button(/Try without a model/)).hasAttribute("disabled")).toBe(false);
  });

  it("can be repeated from the settings and left as it was", async () => {
    const { fake, user } = renderApp({ detected: someDetected, path: "/settings/chats" });
    await user.click(await button("Set up again"));
    await user.click(await button("Leave as it is"));
    await waitFor(() => expect(window.location.hash).toBe("#/new"));
    expect(fake.calls.some((c) => c.name === "Settings.Set")).toBe(false);
  });

  it("can be used with assistive software", async () => {
    const { user } = start();
    await button(/Use Ollama/);
    await expectAccessible();
    await user.click(await button(/Choose a provider and paste a key/));
    await button("Anthropic");
    await expectAccessible();
    await user.click(await button("Anthropic"));
    await screen.findByLabelText("Key");
    await expectAccessible();
  });
});
