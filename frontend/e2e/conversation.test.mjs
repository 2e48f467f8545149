// Talking to a Bot, in a real browser against the real server and the built-in offline model: what streams, what stops,
// what survives, and that nothing leaves this machine.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Browser, picture, Server, violations } from "./harness.mjs";

const soon = { timeout: 15_000 };
const field = (page) => page.getByRole("textbox", { name: /^Message to/ });
const messages = (page) => page.getByRole("region", { name: "Messages" });
/** The Bot is idle again. Rows far from the window are not in the page, the button that stops is always. */
const finished = async (page) => {
  await messages(page).locator("[data-row$=':end']").first().waitFor(soon);
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached", timeout: 30_000 });
};

async function ask(page, text) {
  await field(page).fill(text);
  await field(page).press("Enter");
}

/** How far the list is from its end, and from its beginning. */
const place = (page) =>
  messages(page).evaluate((list) => ({
    toEnd: Math.round(list.scrollHeight - list.clientHeight - list.scrollTop),
    top: Math.round(list.scrollTop),
  }));

describe("a conversation", () => {
  let server;
  let browser;
  before(async () => {
    server = await Server.start();
    browser = await Browser.launch();
    await server.setUp("demo");
    await server.file("README.md", "# Notes\n\nThe first line.\n");
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
  });

  test("streams Markdown under the page's own policy, with colours, formulas and nothing from elsewhere", async () => {
    const page = await browser.open(server, { path: "/new" });
    await ask(page, "show markdown");
    await messages(page).waitFor(soon);
    await finished(page);
    await messages(page).locator(".md-code span[style]").first().waitFor(soon);
    await messages(page).locator(".katex").first().waitFor(soon);
    assert.deepEqual(await violations(page), []);
    await picture(page, "conversation");
    const link = messages(page).getByRole("link", { name: "example" }).first();
    await link.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("https://example.com/docs").waitFor(soon);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test("shows tool calls as cards that open to what was given and what came", async () => {
    const page = await browser.open(server, { path: "/new" });
    await ask(page, "read README.md");
    await finished(page);
    await page.getByRole("button", { name: /Read file.*README\.md/ }).click();
    await messages(page).getByText("The first line.").first().waitFor(soon);
    assert.deepEqual(await violations(page), []);
    await picture(page, "conversation-tools");
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test("follows until the person scrolls up, holds still then, and follows again from the end", async () => {
    const page = await browser.open(server, { path: "/new" });
    await ask(page, "say 900");
    await messages(page).waitFor(soon);
    await page.waitForFunction(
      () => {
        const list = document.querySelector("main section[tabindex]");
        return list && list.scrollHeight > list.clientHeight + 400;
      },
      null,
      soon,
    );
    assert.ok((await place(page)).toEnd < 8, "follows");
    await messages(page).hover();
    await page.mouse.wheel(0, -60);
    await page.getByRole("button", { name: /\d+ new|Jump to latest/ }).waitFor(soon);
    await page.waitForTimeout(300);
    const held = (await place(page)).top;
    await finished(page);
    assert.equal((await place(page)).top, held, "held while it streamed and when it ended");
    await page.getByRole("button", { name: /\d+ new|Jump to latest/ }).click();
    await page.waitForFunction(
      () => {
        const list = document.querySelector("main section[tabindex]");
        return list.scrollHeight - list.clientHeight - list.scrollTop < 8;
      },
      null,
      soon,
    );
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test("queues, stops with Escape twice, and keeps the partial answer", async () => {
    const page = await browser.open(server, { path: "/new" });
    await ask(page, "say 5000");
    await page.getByRole("button", { name: "Stop" }).waitFor(soon);
    await page.waitForFunction(() => document.querySelector("main section .md")?.textContent.length > 60, null, soon);
    await field(page).fill("say 3");
    await field(page).press("Control+Enter");
    await page.getByRole("region", { name: "Waiting messages" }).getByText("say 3").waitFor(soon);
    await picture(page, "conversation-queue");
    assert.deepEqual(await violations(page), []);
    await field(page).press("Escape");
    await field(page).press("Escape");
    await messages(page).getByText("Stopped", { exact: true }).waitFor(soon);
    await finished(page);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

  test("is there again after a crash in mid-answer, with what was shown and a way to continue", async () => {
    const page = await browser.open(server, { path: "/new" });
    await ask(page, "say 5000");
    await page.waitForFunction(() => document.querySelector("main section .md")?.textContent.length > 400, null, soon);
    const path = await page.evaluate(() => window.location.hash.slice(1));
    const { home } = server;
    await server.crash();
    await page.context().close();
    server = await Server.start({ home });
    const again = await browser.open(server, { path });
    await messages(again).getByText("Interrupted when Mobius was closed").waitFor(soon);
    const kept = await messages(again).locator(".md").first().textContent();
    assert.ok(kept.length > 200, `kept ${kept.length} characters`);
    await again.getByRole("button", { name: "Continue" }).click();
    await finished(again);
    assert.deepEqual(again.faults, []);
    await again.context().close();
  });

  test("keeps the place in a long conversation over a reload", async () => {
    const page = await browser.open(server, { path: "/new" });
    await server.setUp("demo-fast");
    await ask(page, "say 300");
    await finished(page);
    for (let i = 0; i < 3; i++) {
      await ask(page, `say 40${i}`);
      await messages(page).getByText(`say 40${i}`).waitFor(soon);
      await finished(page);
    }
    await messages(page).hover();
    await page.mouse.wheel(0, -700);
    await page.waitForTimeout(600);
    const row = () =>
      messages(page).evaluate((list) => {
        const edge = list.getBoundingClientRect().top;
        const first = [...list.querySelectorAll("[data-row]")].find((r) => r.getBoundingClientRect().bottom > edge);
        return [first.dataset.row, Math.round(first.getBoundingClientRect().top - edge)];
      });
    const before = await row();
    await page.reload();
    await messages(page).locator("[data-row]").first().waitFor(soon);
    await page.waitForTimeout(300);
    assert.deepEqual(await row(), before);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });
});
