// What the end-to-end tests share: a real headless server on a state directory of its own, and a real browser on it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { findChromium, flags } from "./chromium.mjs";

const program = resolve(process.env.MOBIUS_BIN ?? new URL("../../build/bin/mobius-headless", import.meta.url).pathname);
const shots = new URL("../../build/test/", import.meta.url).pathname;

/** Nothing of the person's own environment reaches the program: no keys, no folders, no proxy. */
const environment = (home, extra) => ({
  PATH: process.env.PATH,
  HOME: home,
  MOBIUS_STATE_DIR: join(home, "state"),
  MOBIUS_KEYS: "file",
  ...extra,
});

/** A server that was started, with its folders. */
export class Server {
  /**
   * home: of a server before, to start on its state again.
   * @param {{env?: Record<string, string>, home?: string, args?: string[]}} [options]
   */
  static async start(options = {}) {
    const home = options.home ?? (await mkdtemp(join(tmpdir(), "mobius-e2e-")));
    const workspace = join(home, "notes");
    await mkdir(workspace, { recursive: true });
    const child = spawn(program, ["serve", ...(options.args ?? [])], {
      env: environment(home, options.env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const server = new Server(child, home, workspace);
    const line = once(createInterface(child.stdout), "line");
    const failed = once(child, "exit").then(([code]) => {
      throw new Error(`the server ended with ${code}: ${server.errors}`);
    });
    failed.catch(() => undefined);
    const [text] = await Promise.race([line, failed]);
    Object.assign(server, JSON.parse(text));
    return server;
  }

  constructor(child, home, workspace) {
    this.child = child;
    this.home = home;
    this.workspace = workspace;
    this.errors = "";
    child.stderr.on("data", (piece) => {
      this.errors += piece;
    });
  }

  /** The address to open, with the token. */
  get address() {
    return `${this.url}#token=${this.token}`;
  }

  /** Calls a method of the API, as a script would. */
  async call(method, ...args) {
    const answer = await fetch(`${this.url}api/${method}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(args),
    });
    const body = await answer.json();
    if (body.error) throw Object.assign(new Error(`${body.error.code}: ${body.error.message}`), body.error);
    return body.result;
  }

  /** Skips the first start: the built-in Bot uses the demonstration model, without its pauses unless asked otherwise. */
  async setUp(model = "demo-fast") {
    const [{ bots }, { providers }] = [await this.call("Bots.List"), await this.call("Providers.List")];
    const demo =
      providers.find((p) => p.kind === "demo") ?? (await this.call("Providers.Save", { kind: "demo", name: "" }));
    const bot = bots.find((b) => b.builtin);
    const config = { ...bot.config.config, provider: { instance: demo.id, model } };
    this.bot = await this.call("Bots.Update", { id: bot.id, expected_revision: bot.config.revision, config });
    const settings = await this.call("Settings.Get");
    await this.call("Settings.Set", {
      ...settings,
      setup_done: true,
      theme: "light",
      language: "en",
      default_folder: this.workspace,
    });
    return this.bot;
  }

  /** Writes a file into the workspace. */
  async file(name, text) {
    await writeFile(join(this.workspace, name), text);
  }

  async #ended() {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, "exit");
  }

  /** Ends the process as a crash would. */
  async crash() {
    this.child.kill("SIGKILL");
    await this.#ended();
  }

  /** Ends it in order and gives its exit code. */
  async stop() {
    this.child.kill("SIGTERM");
    await this.#ended();
    return this.child.exitCode;
  }

  /** Ends it and removes its folders. */
  async remove() {
    await this.stop();
    await rm(this.home, { recursive: true, force: true });
  }
}

/** One browser for a file of tests. */
export class Browser {
  static async launch() {
    return new Browser(await chromium.launch({ executablePath: findChromium(), args: flags }));
  }

  constructor(browser) {
    this.browser = browser;
  }

  /**
   * Opens the server's page in a profile of its own. `page.faults` collects what must not happen: errors of the page and
   * requests that would leave this machine, which are cut off.
   * @param {Server} server
   */
  async open(server, { path = "", ...options } = {}) {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: "en-US",
      reducedMotion: "reduce",
      ...options,
    });
    const page = await context.newPage();
    page.faults = [];
    page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") page.faults.push(`console: ${message.text()}`);
    });
    await page.route(
      (url) => url.host !== new URL(server.url).host && !["data:", "blob:"].includes(url.protocol),
      (route) => {
        page.faults.push(`request: ${route.request().url()}`);
        return route.abort();
      },
    );
    await page.goto(server.address);
    if (path) await page.evaluate((hash) => window.location.assign(`#${hash}`), path);
    return page;
  }

  async close() {
    await this.browser.close();
  }
}

/** Violations of WCAG 2.2 AA on the page as it is, one line each. */
export async function violations(page) {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return found.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")} (${v.help})`));
}

/** Keeps a picture in build/test for looking at. */
export async function picture(page, name) {
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}
