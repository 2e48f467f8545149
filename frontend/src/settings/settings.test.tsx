import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { expectAccessible, renderApp } from "@/testing/render";

const start = (section: string, over = {}) => renderApp({ path: `/settings/${section}`, ...over });
const root = document.documentElement;

describe("appearance", () => {
  it("applies a theme at once, stores it, and mirrors it for the next start", async () => {
    const { fake, user } = start("appearance");
    await user.click(await screen.findByRole("radio", { name: "Dark" }));
    await waitFor(() => expect(root.dataset.theme).toBe("dark"));
    await waitFor(() => expect(fake.settings.theme).toBe("dark"));
    expect(JSON.parse(localStorage.getItem("mobius.appearance") ?? "{}").theme).toBe("dark");
    await user.click(screen.getByRole("radio", { name: "High contrast" }));
    await waitFor(() => expect(root.dataset.contrast).toBe("more"));
    await user.click(screen.getByRole("radio", { name: "Light" }));
    await waitFor(() => expect(root.dataset).toMatchObject({ theme: "light" }));
    expect(root.dataset.contrast).toBeUndefined();
  });

  it("scales the page", async () => {
    const { fake, user } = start("appearance");
    await user.click(await screen.findByRole("button", { name: "Larger" }));
    await waitFor(() => expect(root.style.getPropertyValue("--font-size")).toBe("15px"));
    await waitFor(() => expect(fake.settings.font_size).toBe(15));
  });

  it("writes only what was changed over what another window stored meanwhile", async () => {
    const { fake, user } = start("appearance");
    await screen.findByRole("radio", { name: "Dark" });
    fake.settings = { ...fake.settings, revision: 9, send_key: "mod_enter" };
    await user.click(screen.getByRole("radio", { name: "Dark" }));
    await waitFor(() => expect(fake.settings).toMatchObject({ theme: "dark", send_key: "mod_enter", revision: 10 }));
  });

  it("takes a refused change back and explains it", async () => {
    const { fake, user } = start("appearance");
    fake.refuse("Settings.Set", { code: "storage_full", message: "", fatal: false });
    await user.click(await screen.findByRole("radio", { name: "Dark" }));
    await screen.findByText("The disk is full.");
    await waitFor(() => expect(screen.getByRole<HTMLInputElement>("radio", { name: "System", checked: true })));
  });

  it("can be used with assistive software", async () => {
    start("appearance");
    await screen.findByRole("radio", { name: "Dark" });
    await expectAccessible();
  });
});

describe("conversations", () => {
  it("choose the sending key and the default folder", async () => {
    const { fake, user } = start("chats");
    await user.click(await screen.findByRole("radio", { name: "Ctrl + Enter" }));
    await waitFor(() => expect(fake.settings.send_key).toBe("mod_enter"));
    await user.click(screen.getByRole("button", { name: "Choose…" }));
    await screen.findByRole("dialog", { name: "Choose a folder" });
    await user.click(await screen.findByRole("button", { name: "Parent folder" }));
    await user.click(await screen.findByRole("button", { name: "projects" }));
    await user.click(await screen.findByRole("button", { name: "atlas" }));
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>("Path").value).toBe("/home/ada/projects/atlas"));
    await user.click(screen.getByRole("button", { name: "Use this folder" }));
    await waitFor(() => expect(fake.settings.default_folder).toBe("/home/ada/projects/atlas"));
  });

  it("use the system's folder dialog in the desktop window", async () => {
    const { fake, user } = start("chats");
    if (window.go) window.go.main = { App: { ChooseFolder: async (start) => `${start}/native` } };
    await user.click(await screen.findByRole("button", { name: "Choose…" }));
    await waitFor(() => expect(fake.settings.default_folder).toBe("/home/ada/Mobius/native"));
  });
});

describe("diagnostics", () => {
  it("show every check with its next step and copy the report", async () => {
    const { user } = start("diagnostics");
    const copy = vi.fn(async () => true);
    if (window.runtime) window.runtime.ClipboardSetText = copy;
    await screen.findByText("2 checks passed, 1 warning, 1 error.", { exact: false });
    screen.getByText("Start Ollama, or remove the provider.");
    await expectAccessible();
    await user.click(screen.getByRole("button", { name: "Copy report" }));
    await screen.findByText("The report was copied.");
    expect(copy).toHaveBeenCalledWith(expect.stringContaining("Mobius 0.1.0 linux/amd64"));
  });

  it("say where data lives", async () => {
    start("about");
    await screen.findByText("/home/ada/.local/share/mobius");
  });
});
