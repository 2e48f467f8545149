// Measures what a streamed answer costs the page's main thread: `node bench/streaming.mjs [--dist dist] [--tokens 20000]`.
// The built page runs in Chromium over a backend of a few lines in the page itself, so that nothing but the page counts.
// --shape takes the answer from a mix of everything (default), or from one endless paragraph, block of code, list or table.
// It prints one line of JSON: microseconds of main thread per token at the first and at the last thousand tokens, their
// ratio, and how many tasks, and with them frames, held it for longer than 50 ms.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { findChromium, flags } from "../e2e/chromium.mjs";

const { values } = parseArgs({
  options: {
    dist: { type: "string", default: join(import.meta.dirname, "..", "dist") },
    tokens: { type: "string", default: "20000" },
    history: { type: "string", default: "100" },
    shape: { type: "string", default: "mixed" },
  },
});

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

function serve(root) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    let file = join(root, path);
    if (!existsSync(file) || statSync(file).isDirectory()) file = join(root, "index.html");
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

/** Runs in the page before anything else: the backend that the page talks to, and the stream that feeds it. */
function backend({ history, shape }) {
  const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, cost_micros: 0 };
  const bot = {
    id: "b",
    handle: "mobius",
    name: "Mobius",
    description: "Bench",
    tint: "blue",
    builtin: true,
    created_at: 1,
    updated_at: 1,
    config: {
      revision: 1,
      config: {
        provider: { instance: "", model: "" },
        system_prompt: "x",
        capabilities: { enabled: [] },
        approval: "ask",
        delivery: "steer",
        max_model_steps: 256,
      },
    },
  };
  const settings = {
    revision: 1,
    theme: "light",
    language: "en",
    send_key: "enter",
    font_size: 14,
    reduced_motion: true,
    default_folder: "/x",
    setup_done: true,
    default_bot_id: "b",
    title_model_auto: false,
  };
  const events = [];
  const add = (event) => {
    const full = { seq: events.length + 1, at: Date.now(), ...event };
    events.push(full);
    return full;
  };
  for (let i = 0; i < history; i++) {
    const turn_id = `t${events.length + 1}`;
    add({ kind: "turn.started", turn_id, message: { id: `m${i}`, author: "user", text: `Question ${i}` } });
    const step = {
      index: 0,
      blocks: [{ kind: "text", text: `Answer **${i}**, in a few words.` }],
      finish: "stop",
      usage,
    };
    add({ kind: "step.completed", turn_id, step });
    add({ kind: "turn.completed", turn_id, outcome: { status: "completed", usage } });
  }
  const session = () => ({
    id: "s",
    bot_id: "b",
    title: "Bench",
    workspace: "/x",
    pinned: false,
    created_at: 1,
    updated_at: 1,
    last_seq: events.length,
    activity: "idle",
    queued: 0,
    totals: usage,
  });
  const answers = {
    "Bots.List": () => ({ revision: 1, bots: [bot] }),
    "Settings.Get": () => settings,
    "Sessions.List": () => ({ revision: 1, sessions: [session()], total: 1 }),
    "Sessions.Open": () => ({
      session: session(),
      queue: [],
      page: { events: [...events], before: 0, last_seq: events.length },
    }),
    "Workspace.Info": () => ({ path: "/x", name: "x", exists: true }),
    "Workspace.Recent": () => [],
    "System.Info": () => ({ version: "0", shell: "serve", state_dir: "/x", os: "", key_store: "", home: "/x" }),
    "Rescue.Status": () => ({ needed: false, backups: [] }),
  };
  const service = (name) => new Proxy({}, { get: (_, method) => async () => answers[`${name}.${method}`]?.() ?? null });
  window.go = { api: new Proxy({}, { get: (_, name) => service(name) }) };
  let emit = () => {};
  window.runtime = {
    EventsOnMultiple: (name, callback) => {
      if (name === "batch") emit = callback;
      return () => {};
    },
    EventsOff() {},
  };
  window.mobius = { client: "bench", shell: "serve" };

  // About a thousand tokens of what answers are made of. Every thousand is made alike, so their costs can be compared.
  const section = [
    "## A part of the answer\n\n",
    "A long answer is only useful if reading it **stays easy**. Lines flow at a calm width, finished paragraphs stay where they are while new ones arrive below, and `scrolling up` stops the page from following. ".repeat(
      4,
    ),
    "\n\n",
    "- one thing that matters, with *emphasis* and [a link](https://example.org/docs)\n".repeat(12),
    "\n```go\n",
    'func next(p *Parser) (Token, error) {\n\treturn p.read("line"), nil // counts from one\n}\n\n'.repeat(10),
    "```\n\n",
    "| input | before | after |\n| --- | ---: | ---: |\n",
    "| 100 MB | 7.9 s | 0.9 s |\n".repeat(8),
    "\n",
    "When you return to the end, it follows again, and nothing jumps when the answer is complete. ".repeat(8),
    "\n\n",
  ].join("");
  const endless = {
    paragraph: ["", "word after word without a line break, "],
    code: ["```go\n", "\tvalue := next(parser) // and so on\n"],
    list: ["", "- one more **item** of the list\n"],
    table: ["| a | b |\n| --- | --- |\n", "| one more | row |\n"],
  }[shape];
  const tokensOf = (count) => {
    const size = Math.ceil(section.length / 1000);
    const text = endless
      ? endless[0] + endless[1].repeat(Math.ceil((count * size) / endless[1].length))
      : section.padEnd(size * 1000).repeat(Math.ceil(count / 1000));
    return Array.from({ length: count }, (_, i) => text.slice(i * size, (i + 1) * size));
  };

  let n = 0;
  /** Streams an answer, some tokens for each frame of the screen; `mark` is called after each thousand. */
  window.stream = async (count, each, mark) => {
    const turn_id = `t${events.length + 1}`;
    const started = add({ kind: "turn.started", turn_id, message: { id: `q${turn_id}`, author: "user", text: "Go" } });
    emit([{ kind: "event", session_id: "s", event: started }]);
    const tokens = tokensOf(count);
    let text = "";
    for (let at = 0; at < count; at += each) {
      await new Promise((done) => requestAnimationFrame(done));
      const batch = [];
      for (const token of tokens.slice(at, at + each)) {
        text += token;
        n++;
        const delta = { index: 0, ...(text === token ? { kind: "text" } : {}), text: token };
        batch.push({
          kind: "frame",
          session_id: "s",
          frame: { n, kind: "delta", turn_id, step: 0, attempt: 1, deltas: [delta] },
        });
      }
      emit(batch);
      if ((at + each) % 1000 === 0) await mark((at + each) / 1000);
    }
    const step = { index: 0, blocks: [{ kind: "text", text }], finish: "stop", usage };
    const whole = add({ kind: "step.completed", turn_id, step });
    const over = add({ kind: "turn.completed", turn_id, outcome: { status: "completed", usage } });
    emit([
      { kind: "event", session_id: "s", event: whole },
      { kind: "event", session_id: "s", event: over },
    ]);
    await new Promise((done) => setTimeout(done, 300));
  };
}

/** What the tasks of the page's main thread took, in milliseconds that it really ran. */
function longTasks(events) {
  const names = events.filter((e) => e.name === "thread_name" && e.args?.name === "CrRendererMain");
  const main = new Set(names.map((e) => `${e.pid}:${e.tid}`));
  return events
    .filter((e) => e.tdur > 20_000 && main.has(`${e.pid}:${e.tid}`))
    .map((e) => e.tdur / 1000)
    .sort((a, b) => b - a);
}

async function main() {
  if (!existsSync(join(values.dist, "index.html"))) throw new Error(`There is no built page in ${values.dist}.`);
  const server = await serve(values.dist);
  const browser = await chromium.launch({ executablePath: findChromium(), args: flags });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.on("pageerror", (error) => console.error(error.message));
    await page.addInitScript(backend, { history: Number(values.history), shape: values.shape });
    const devtools = await page.context().newCDPSession(page);
    // Time that the thread really ran, so that a busy machine does not count.
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    const marks = [];
    await page.exposeFunction("markThousand", async (thousand) => {
      const { metrics } = await devtools.send("Performance.getMetrics");
      const of = (name) => metrics.find((m) => m.name === name)?.value ?? 0;
      marks.push({ thousand, task: of("TaskDuration"), heap: of("JSHeapUsedSize") });
    });
    await page.goto(`http://127.0.0.1:${server.address().port}/#/chat/s`);
    await page.getByRole("region", { name: "Messages" }).waitFor();
    // The first run is for the engine to compile what it needs.
    await page.evaluate(() => window.stream(3000, 10, () => {}));
    await browser.startTracing(page, { categories: ["toplevel"] });
    await page.evaluate((count) => window.stream(count, 10, (t) => window.markThousand(t)), Number(values.tokens));
    const long = longTasks(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
    const shown = await page.evaluate(() => ({
      elements: document.querySelectorAll("main *").length,
      atEnd: (() => {
        const list = document.querySelector("main section[tabindex]");
        return list.scrollHeight - list.clientHeight - list.scrollTop < 8;
      })(),
    }));
    const perToken = marks.slice(1).map((mark, i) => (mark.task - marks[i].task) * 1000);
    const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
    const first = median(perToken.slice(0, 3));
    const last = median(perToken.slice(-3));
    console.log(
      JSON.stringify({
        tokens: Number(values.tokens),
        shape: values.shape,
        us_per_token_first: Math.round(first),
        us_per_token_last: Math.round(last),
        ratio: Number((last / first).toFixed(2)),
        frames_over_50ms: long.filter((ms) => ms > 50).length,
        longest_ms: Math.round(Math.max(0, ...long)),
        elements: shown.elements,
        at_end: shown.atEnd,
        per_thousand_us: perToken.map((v) => Math.round(v)),
      }),
    );
  } finally {
    await browser.close();
    server.close();
  }
}

await main();
