import { screen, waitFor, within } from "@testing-library/react";
import { createIntl } from "react-intl";
import { describe, expect, it } from "vitest";
import { aBot, aModel, aProvider } from "@/testing/fakeData";
import { expectAccessible, renderApp } from "@/testing/render";
import { formatPrice, formatTokens, suggestModel } from "./format";
import { readNumber } from "./ModelForm";

const anthropic = aProvider({
  id: "anthropic",
  kind: "anthropic",
  name: "Anthropic",
  base_url: "https://api.anthropic.com",
  has_key: true,
  key_hint: "…x9Qa",
});
const start = (over = {}) => renderApp({ providers: [aProvider(), anthropic], path: "/settings/providers", ...over });
const menu = async (user: ReturnType<typeof start>["user"], item: string) => {
  await user.click(await screen.findByRole("button", { name: "Actions for Anthropic" }));
  await user.click(await screen.findByRole("menuitem", { name: item }));
};

describe("provider settings", () => {
  it("show the key's hint and never the key", async () => {
    const { user } = start();
    await screen.findByText("https://api.anthropic.com · Key …x9Qa");
    await menu(user, "Edit");
    const field = await screen.findByLabelText<HTMLInputElement>("Key");
    expect(field.value).toBe("");
    expect(field.type).toBe("password");
    expect(field.placeholder).toBe("…x9Qa");
  });

  it("keep the stored key when the field stays empty", async () => {
    const { fake, user } = start();
    await menu(user, "Edit");
    await user.clear(await screen.findByLabelText("Name"));
    await user.type(screen.getByLabelText("Name"), "Work");
    await user.click(screen.getByRole("button", { name: "Test and save" }));
    await waitFor(() => expect(fake.providers.find((p) => p.id === "anthropic")?.name).toBe("Work"));
    expect(fake.providers.find((p) => p.id === "anthropic")).toMatchObject({ has_key: true, key_hint: "…x9Qa" });
    expect(fake.calls.find((c) => c.name === "Providers.Save")?.args[0]).toMatchObject({ key: "" });
  });

  it("forget a key on request", async () => {
    const { user } = start();
    await menu(user, "Edit");
    await user.click(await screen.findByRole("button", { name: "Forget the key" }));
    await screen.findByText("https://api.anthropic.com · No key yet");
  });

  it("store a provider whose test failed only when told so once more", async () => {
    const { fake, user } = start();
    await user.click(await screen.findByRole("button", { name: "Add provider" }));
    await user.click(await screen.findByRole("button", { name: "DeepSeek" }));
    await user.type(await screen.findByLabelText("Key"), "wrong");
    await user.click(screen.getByRole("button", { name: "Test and save" }));
    await screen.findByText("The provider refused the key (401).");
    expect(fake.providers.some((p) => p.kind === "deepseek")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Save anyway" }));
    await waitFor(() => expect(fake.providers.some((p) => p.kind === "deepseek")).toBe(true));
  });

  it("answer a connection test in plain words", async () => {
    const { user } = start();
    await user.click(await screen.findByRole("button", { name: "Test" }));
    await screen.findByText("It works: 12 models, answered in 212 ms.");
  });

  it("say which Bot still uses a provider instead of removing it", async () => {
    const bot = aBot({}, { provider: { instance: "anthropic", model: "claude-haiku" } });
    const { fake, user } = start({ bots: [bot] });
    await menu(user, "Remove");
    await user.click(await screen.findByRole("button", { name: "Remove" }));
    await screen.findByText(/It is used by Mobius\./);
    expect(fake.providers.some((p) => p.id === "anthropic")).toBe(true);
  });

  it("remove an unused one after asking", async () => {
    const { fake, user } = start();
    await menu(user, "Remove");
    await user.click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() => expect(fake.providers.some((p) => p.id === "anthropic")).toBe(false));
    await waitFor(() => expect(screen.queryByText("Anthropic")).toBeNull());
  });

  it("let what is known about a model be corrected", async () => {
    const { fake, user } = start();
    await user.click((await screen.findAllByRole("button", { name: "Models" })).at(-1) as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Correct Claude Haiku" }));
    const context = await screen.findByLabelText("Context window");
    await user.clear(context);
    await user.type(context, "-4");
    screen.getByText("A number, zero or more.");
    expect(screen.getByRole("button", { name: "Save" }).hasAttribute("disabled")).toBe(true);
    await user.clear(context);
    await user.type(context, "150000");
    await user.click(screen.getByRole("button", { name: "Save" }));
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByText("corrected");
    await dialog.findByText(/150K context/);
    expect(fake.models.anthropic?.find((m) => m.id === "claude-haiku")?.prices?.output).toBe(5);
  });

  it("can be used with assistive software", async () => {
    const { user } = start();
    await screen.findByText("https://api.anthropic.com · Key …x9Qa");
    await expectAccessible();
    await user.click(await screen.findByRole("button", { name: "Add provider" }));
    await expectAccessible(await screen.findByRole("dialog"));
  });
});

describe("figures of models", () => {
  const intl = createIntl({ locale: "en" });

  it.each([
    [0, "0"],
    [999, "999"],
    [8_192, "8K"],
    [200_000, "200K"],
    [1_048_576, "1M"],
    [1_500_000, "1.5M"],
  ])("%d tokens are %s", (count, text) => expect(formatTokens(count)).toBe(text));

  it.each([
    [3, "$3"],
    [0.25, "$0.25"],
    [0.075, "$0.075"],
    [0, "$0"],
  ])("%d dollars are %s", (price, text) => expect(formatPrice(intl, price)).toBe(text));

  it.each([
    ["", 0],
    [" 12 ", 12],
    ["0,3", 0.3],
    ["-1", null],
    ["x", null],
  ])("“%s” is read as %s", (text, value) => expect(readNumber(text)).toBe(value));

  it("begin with one that can use tools and holds a conversation", () => {
    const tiny = aModel({ id: "tiny", context_window: 2_000 });
    const mute = aModel({ id: "mute", tools: false, context_window: 128_000 });
    const good = aModel({ id: "good", context_window: 128_000 });
    expect(suggestModel([tiny, mute, good])?.id).toBe("good");
    expect(suggestModel([mute])?.id).toBe("mute");
    expect(suggestModel([])).toBeUndefined();
  });
});
