// Runs shim.js as a browser would, with stand-ins for what it uses of one. Started by TestTheShim.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const source = readFileSync(fileURLToPath(new URL("../shim.js", import.meta.url)), "utf8");

/** A browser with just what the shim touches. Timers run when told. */
function browser({ hash = "", stored = {}, fetch } = {}) {
  const session = new Map(Object.entries(stored));
  const seen = { sockets: [], timers: [], replaced: [], calls: [], opened: [] };
  const handlers = { window: {}, document: {} };
  class WebSocket {
    static CLOSED = 3;
    constructor(url, protocols) {
      Object.assign(this, { url, protocols, readyState: 0 });
      seen.sockets.push(this);
    }
    open() {
      this.readyState = 1;
      this.onopen();
    }
    close() {
      this.readyState = 3;
      this.onclose();
    }
  }
  const window = {
    addEventListener: (name, f) => { handlers.window[name] = f; },
    open: (...args) => { seen.opened.push(args); },
  };
  const context = vm.createContext({
    window,
    location: { hash, protocol: "http:", host: "127.0.0.1:4000", pathname: "/", search: "", reload: () => { seen.reloads = (seen.reloads ?? 0) + 1; } },
    history: { state: null, replaceState: (_, __, url) => seen.replaced.push(url) },
    sessionStorage: { getItem: (k) => session.get(k) ?? null, setItem: (k, v) => session.set(k, v) },
    document: { visibilityState: "visible", title: "", addEventListener: (name, f) => { handlers.document[name] = f; } },
    navigator: { clipboard: { writeText: async (t) => { seen.copied = t; } } },
    fetch: async (url, options) => {
      seen.calls.push({ url, options });
      return fetch(url, options);
    },
    WebSocket,
    crypto,
    URLSearchParams,
    console: { error: (e) => { seen.error = e; } },
    setTimeout: (f, ms) => seen.timers.push({ f, ms }),
    clearTimeout: () => {},
  });
  vm.runInContext(source, context);
  return { window, seen, session, handlers, document: context.document, location: context.location };
}

const answer = (body) => async () => ({ json: async () => body });

test("the token leaves the address and stays for a reload", () => {
  const b = browser({ hash: "#token=abc" });
  assert.deepEqual(b.seen.replaced, ["/"]);
  assert.equal(b.session.get("mobius.token"), "abc");
  assert.deepEqual([...b.seen.sockets[0].protocols], ["mobius", "abc"]);
  const again = browser({ hash: "#/chat/1", stored: { "mobius.token": "abc" } });
  assert.deepEqual(again.seen.replaced, []);
  assert.deepEqual([...again.seen.sockets[0].protocols], ["mobius", "abc"]);
});

test("a new token that is pasted over the address begins the page anew, a place in the page does not", () => {
  const b = browser({ hash: "#token=abc" });
  let stopped = 0;
  const change = (hash) => {
    b.location.hash = hash;
    b.handlers.window.hashchange({ stopImmediatePropagation: () => stopped++ });
  };
  change("#/chat/1");
  assert.deepEqual([b.seen.reloads, stopped], [undefined, 0]);
  change("#token=new");
  assert.deepEqual([b.seen.reloads, stopped], [1, 1]);
});

test("calls go to the API and give its result", async () => {
  const b = browser({ hash: "#token=abc", fetch: answer({ result: { id: 1 } }) });
  assert.deepEqual(await b.window.go.api.Bots.Get("x", undefined), { id: 1 });
  const [{ url, options }] = b.seen.calls;
  assert.equal(url, "/api/Bots.Get");
  assert.equal(options.method, "POST");
  assert.equal(options.headers.Authorization, "Bearer abc");
  assert.equal(options.body, '["x",null]');
});

test("refusals and a server that is gone are told as objects", async () => {
  const error = { code: "invalid_bot", message: "No.", fatal: false };
  const refused = browser({ fetch: answer({ error }) });
  await assert.rejects(refused.window.go.api.Bots.Get("x"), (e) => { assert.deepEqual(e, error); return true; });
  for (const fetch of [async () => { throw new TypeError("network"); }, async () => ({ json: async () => { throw new SyntaxError("html"); } })]) {
    await assert.rejects(browser({ fetch }).window.go.api.Bots.Get("x"), (e) => {
      assert.equal(e.code, "unreachable");
      assert.equal(e.fatal, false);
      assert.ok(e.message.length > 10);
      return true;
    });
  }
});

test("awaiting the objects calls nothing", async () => {
  const b = browser({ fetch: answer({ result: null }) });
  await b.window.go.api;
  await b.window.go.api.Bots;
  await b.window.runtime;
  assert.equal(b.seen.calls.length, 0);
  assert.equal(b.window.go.main, undefined);
});

test("batches reach listeners, whatever one of them does", () => {
  const b = browser();
  const got = [];
  b.window.runtime.EventsOn("batch", () => { throw new Error("mine"); });
  const off = b.window.runtime.EventsOnMultiple("batch", (list) => got.push(list.length), -1);
  b.window.runtime.EventsOnMultiple("batch", () => got.push("twice"), 2);
  const socket = b.seen.sockets[0];
  assert.match(socket.url, /^ws:\/\/127\.0\.0\.1:4000\/events\?client=[0-9a-f]{32}$/);
  assert.ok(socket.url.endsWith(b.window.mobius.client));
  socket.open();
  for (let i = 0; i < 3; i++) socket.onmessage({ data: "[{},{}]" });
  off();
  socket.onmessage({ data: "[{}]" });
  assert.deepEqual(got, [2, "twice", 2, "twice", 2]);
  assert.equal(b.seen.error.message, "mine");
  b.window.runtime.EventsOffAll();
});

test("a broken connection is told, tried again ever more slowly, and followed by a resync", () => {
  const b = browser();
  const got = [];
  b.window.runtime.EventsOn("connection", ({ up }) => got.push(up));
  b.window.runtime.EventsOn("batch", (list) => got.push(list[0].kind));
  b.seen.sockets[0].open();
  assert.deepEqual(got, [true]);
  let longest = 0;
  for (let i = 0; i < 12; i++) {
    b.seen.sockets.at(-1).close();
    const { f, ms } = b.seen.timers.at(-1);
    assert.ok(ms > longest / 2, "the waits grow");
    longest = Math.max(longest, ms);
    f();
  }
  assert.ok(longest >= 7500 && longest <= 12500, String(longest));
  got.length = 0;
  b.seen.sockets.at(-1).open();
  assert.deepEqual(got, [true, "resync"]);
});

test("a person who comes back does not wait", () => {
  const b = browser();
  b.seen.sockets[0].open();
  b.handlers.document.visibilitychange();
  assert.equal(b.seen.sockets.length, 1, "an open connection is kept");
  b.seen.sockets[0].close();
  b.document.visibilityState = "hidden";
  b.handlers.document.visibilitychange();
  assert.equal(b.seen.sockets.length, 1);
  b.document.visibilityState = "visible";
  b.handlers.document.visibilitychange();
  assert.equal(b.seen.sockets.length, 2);
  b.handlers.window.online();
  assert.equal(b.seen.sockets.length, 2, "one attempt at a time");
});

test("the window's functions are there", async () => {
  const b = browser();
  b.window.runtime.BrowserOpenURL("https://x.example/");
  assert.deepEqual(b.seen.opened, [["https://x.example/", "_blank", "noopener,noreferrer"]]);
  assert.equal(await b.window.runtime.ClipboardSetText("text"), true);
  assert.equal(b.seen.copied, "text");
  b.window.runtime.WindowSetTitle("New");
  assert.equal(b.document.title, "New");
  assert.equal(b.window.runtime.LogInfo("x"), undefined);
  assert.equal(b.window.runtime.WindowMaximise(), undefined);
});
