// What a person does outside of a conversation, in a real browser against the real server: first start, Bots, the list of
// conversations, providers, settings.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { Browser, picture, Server, violations } from "./harness.mjs";

const soon = { timeout: 10_000 };
const heading = (page, name) => page.getByRole("heading", { name, exact: true }).first().waitFor(soon);

/** Goes to a place of the page and waits for its heading. */
async function go(page, path, name) {
  await page.evaluate((hash) => window.location.assign(`#${hash}`), path);
  await heading(page, name);
}

/** Repeats a check until it holds; the last failure is thrown. */
async function eventually(check) {
  const end = Date.now() + soon.timeout;
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      if (Date.now() > end) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Ends a page. A refusal that a test asked for is in the browser's console too, with its status. */
async function done(page, refused = []) {
  const expected = (fault) => refused.some((status) => fault.includes(`status of ${status}`));
  assert.deepEqual(
    page.faults.filter((fault) => !expected(fault)),
    [],
  );
  await page.context().close();
}

describe("the first start", () => {
  let server;
  let browser;
  before(async () => {
    server = await Server.start();
    browser = await Browser.launch();
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
  });

  test("leads to a new chat without a key or an account, and does not come back", async () => {
    const page = await browser.open(server);
    await heading(page, "Welcome. What should Mobius think with?");
    assert.deepEqual(await violations(page), []);
    await picture(page, "first-start");
    await page.getByRole("button", { name: /^Try without a model/ }).click();
    await page.getByRole("button", { name: /^New chat/ }).waitFor(soon);
    await eventually(async () => assert.equal((await server.call("Settings.Get")).setup_done, true));
    await page.reload();
    await page.getByRole("button", { name: /^New chat/ }).waitFor(soon);
    assert.equal(await page.getByText("Welcome.").count(), 0);
    await done(page);
  });

  test("tests a pasted key before it keeps it, and gives the chosen model to the Bot", async (t) => {
    const provider = createServer((request, response) => {
      const known = request.headers.authorization === "Bearer sk-right-key-1234";
      response.writeHead(known ? 200 : 401, { "Content-Type": "application/json" });
      response.end(
        JSON.stringify(known ? { object: "list", data: [{ id: "stub-1" }] } : { error: { message: "no such key" } }),
      );
    }).listen(0, "127.0.0.1");
    t.after(() => provider.close());
    await new Promise((resolve) => provider.once("listening", resolve));
    const page = await browser.open(server, { path: "/welcome" });
    await page.getByRole("button", { name: /^Choose a provider/ }).click();
    await heading(page, "Choose a provider");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: /OpenAI-compatible server/ }).click();
    await page.getByLabel("Address").fill(`http://127.0.0.1:${provider.address().port}/v1`);
    await page.getByLabel("Key").fill("sk-wrong-key-1234");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("The provider did not accept the key.").waitFor(soon);
    assert.equal((await server.call("Providers.List")).providers.length, 1);
    await page.getByLabel("Key").fill("sk-right-key-1234");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("stub-1").first().waitFor(soon);
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Start talking" }).click();
    await page.getByRole("button", { name: /^New chat/ }).waitFor(soon);
    await eventually(async () => {
      const { bots } = await server.call("Bots.List");
      assert.equal(bots[0].config.config.provider.model, "stub-1");
    });
    const { providers } = await server.call("Providers.List");
    assert.ok(!JSON.stringify(providers).includes("sk-right"));
    await done(page);
  });
});

describe("the page", () => {
  let server;
  let browser;
  before(async () => {
    server = await Server.start();
    await server.setUp();
    browser = await Browser.launch();
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
  });

  const makeSession = async (title) => {
    const session = await server.call("Sessions.Create", { bot_id: server.bot.id });
    return server.call("Sessions.Rename", session.id, title);
  };

  test("makes a Bot, changes it, and shows both versions when another window was first", async () => {
    const page = await browser.open(server, { path: "/bots/new" });
    await page.getByLabel("Name", { exact: true }).fill("Reviewer");
    await page.getByLabel("Description").fill("Reads changes.");
    await page.getByRole("button", { name: "Create Bot" }).click();
    await page.getByText("@reviewer").waitFor(soon);
    const bot = await eventually(async () => {
      const found = (await server.call("Bots.List")).bots.find((b) => b.handle === "reviewer");
      assert.ok(found);
      return found;
    });
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await server.call("Bots.Update", { id: bot.id, expected_revision: bot.config.revision, name: "Theirs" });
    await page.getByText("This Bot was changed somewhere else.").waitFor(soon);
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Theirs was changed somewhere else" });
    await dialog.waitFor(soon);
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole("button", { name: "Save my choice" }).click();
    await eventually(async () => assert.equal((await server.call("Bots.Get", bot.id)).name, "Mine"));
    await page.getByRole("button", { name: "Delete this Bot…" }).click();
    await page.getByRole("button", { name: "Delete for good" }).click();
    await heading(page, "Bots");
    assert.equal((await server.call("Bots.List")).bots.length, 1);
    await done(page, [409]);
  });

  test("renames, deletes, restores and finds conversations", async () => {
    await makeSession("Letters to the landlord");
    const other = await makeSession("Invoices of the year");
    const page = await browser.open(server, { path: "/bots" });
    const row = page.getByRole("link", { name: "Invoices of the year" });
    await row.focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Title of the conversation" }).fill("Bills of the year");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Bills of the year" }).waitFor(soon);
    await page.getByRole("link", { name: "Bills of the year" }).focus();
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Bills of the year" }).waitFor(soon);
    await page.getByRole("link", { name: "Bills of the year" }).focus();
    await page.keyboard.press("Delete");
    await go(page, "/trash", "Trash");
    await page.getByRole("main").getByText("Bills of the year").waitFor(soon);
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("The trash is empty").waitFor(soon);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("bills");
    await page.getByRole("option", { name: /Bills of the year/ }).waitFor(soon);
    await page.keyboard.press("Enter");
    await eventually(() => assert.ok(page.url().endsWith(`#/chat/${other.id}`)));
    await page.goBack();
    await heading(page, "Trash");
    await done(page);
  });

  test("shows a change of another window at once", async () => {
    const page = await browser.open(server, { path: "/bots" });
    await heading(page, "Bots");
    const session = await makeSession("Made elsewhere");
    await page.getByRole("link", { name: "Made elsewhere" }).waitFor(soon);
    await server.call("Sessions.Delete", [session.id]);
    await page.getByRole("link", { name: "Made elsewhere" }).waitFor({ state: "detached", ...soon });
    await done(page);
  });

  test("keeps the theme and the language, and applies them before the first paint", async () => {
    const page = await browser.open(server, { path: "/settings/appearance" });
    await page.getByText("Dark", { exact: true }).click();
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    await page.getByText("Deutsch", { exact: true }).click();
    await heading(page, "Einstellungen");
    await eventually(async () => assert.equal((await server.call("Settings.Get")).language, "de"));
    await page.reload({ waitUntil: "commit" });
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    await heading(page, "Einstellungen");
    await page.getByText("English", { exact: true }).click();
    await page.getByText("Light", { exact: true }).click();
    await eventually(async () => assert.equal((await server.call("Settings.Get")).theme, "light"));
    await done(page);
  });

  for (const theme of ["light", "dark"]) {
    test(`can be used by everybody in the ${theme} theme, at two sizes`, async () => {
      const settings = await server.call("Settings.Get");
      await server.call("Settings.Set", { ...settings, theme });
      for (const viewport of [
        { width: 1024, height: 640 },
        { width: 1440, height: 900 },
      ]) {
        const page = await browser.open(server, { path: "/bots", viewport });
        await heading(page, "Bots");
        const places = [
          ["/bots", "Bots"],
          [`/bots/${server.bot.id}`, server.bot.name],
          ["/settings/appearance", "Theme"],
          ["/settings/chats", "Sending"],
          ["/settings/providers", "Providers"],
          ["/settings/diagnostics", "Diagnostics"],
          ["/settings/about", "About"],
        ];
        for (const [path, name] of places) {
          await go(page, path, name);
          assert.deepEqual(await violations(page), [], path);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
          assert.equal(overflow, false, path);
          const file = path.includes(server.bot.id) ? "bot" : path.slice(1).replaceAll("/", "-");
          await picture(page, `${file}-${theme}-${viewport.width}`);
        }
        await done(page);
      }
    });
  }
});
