// What stays when the program ends in every way, as a person at the page sees it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Browser, Server } from "./harness.mjs";

const soon = { timeout: 15_000 };

const send = async (page, text) => {
  const field = page.getByRole("main").getByRole("textbox");
  await field.fill(text);
  await field.press("Enter");
};

/** Turns that a crash cut are closed right after the start; gives the conversations once that is done. */
async function untilIdle(server) {
  for (const end = Date.now() + soon.timeout; ; ) {
    const { sessions } = await server.call("Sessions.List", {});
    if (sessions.every((s) => s.activity === "idle")) return sessions;
    assert.ok(Date.now() < end, "the turn is closed");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const shows = (page, text) => page.getByRole("main").getByText(text).first().waitFor(soon);

describe("the end of the program", () => {
  let browser;
  before(async () => {
    browser = await Browser.launch();
  });
  after(async () => {
    await browser?.close();
  });

  test("a crash in the middle of an answer keeps what was shown, and the conversation goes on", async () => {
    let server = await Server.start();
    await server.setUp("demo"); // at its reading pace, so that there is a middle
    let page = await browser.open(server);
    await send(page, "say 2000");
    await shows(page, /word 60\b/);
    const shown = await page.getByRole("main").textContent();
    await new Promise((resolve) => setTimeout(resolve, 100)); // what was shown longer ago than this is on disk
    await server.crash();
    await page.context().close();

    const last = Number(shown.match(/word (\d+)\s*(?!.*word)/s)[1]);
    server = await Server.start({ home: server.home });
    try {
      const sessions = await untilIdle(server);
      assert.equal(sessions.length, 1);
      page = await browser.open(server, { path: `/chat/${sessions[0].id}` });
      await shows(page, "say 2000");
      await shows(page, new RegExp(`word ${last}\\b`));
      await send(page, "say 3");
      await page.waitForFunction(
        () => /word 1 word 2 word 3(?! word)/.test(document.querySelector("main").textContent),
        null,
        soon,
      );
      assert.deepEqual(page.faults, []);
      await page.context().close();
    } finally {
      await server.remove();
    }
  });

  test("an end in order in the middle of an answer exits with 0 and keeps all of it", async () => {
    let server = await Server.start();
    await server.setUp("demo");
    let page = await browser.open(server);
    await send(page, "say 2000");
    await shows(page, /word 40\b/);
    const shown = await page.getByRole("main").textContent();
    assert.equal(await server.stop(), 0);
    await page.context().close();

    const last = Number(shown.match(/word (\d+)\s*(?!.*word)/s)[1]);
    server = await Server.start({ home: server.home });
    try {
      const { sessions } = await server.call("Sessions.List", {});
      assert.equal(sessions[0].last_outcome, "aborted");
      page = await browser.open(server, { path: `/chat/${sessions[0].id}` });
      await shows(page, new RegExp(`word ${last}\\b`));
      await page.context().close();
    } finally {
      await server.remove();
    }
  });

  test("the page notices that the server is gone, and goes on when it is back", async () => {
    let server = await Server.start();
    await server.setUp();
    const page = await browser.open(server);
    await send(page, "say 5");
    await shows(page, /word 4 word 5/);
    const { port } = new URL(server.url);
    const { token, home } = server;
    await server.stop();
    await page.getByText(/connection to Mobius is lost/).waitFor(soon);

    server = await Server.start({ home, args: ["--addr", `127.0.0.1:${port}`, "--token", token] });
    try {
      await page.getByText(/connection to Mobius is lost/).waitFor({ ...soon, state: "detached" });
      await send(page, "say 7");
      await shows(page, /word 6 word 7/);
      await page.context().close();
    } finally {
      await server.remove();
    }
  });

  test("a second server on the same data is refused by name, and harms nothing", async () => {
    const server = await Server.start();
    try {
      await server.setUp();
      await assert.rejects(Server.start({ home: server.home }), /state_locked/);
      assert.equal((await server.call("Bots.List")).bots.length, 1);
    } finally {
      await server.remove();
    }
  });
});
