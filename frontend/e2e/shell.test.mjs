// The headless server as a browser and a script meet it: token, Host, Origin, the page's policy.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, test } from "node:test";
import { Browser, Server } from "./harness.mjs";

/** A request with headers that fetch would not let through. */
function raw(server, path, headers, method = "GET", body = "") {
  const { hostname, port } = new URL(server.url);
  return new Promise((done, failed) => {
    const r = request({ hostname, port, path, method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece) => {
        text += piece;
      });
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, text }));
    });
    r.on("error", failed);
    r.end(body);
  });
}

describe("the headless server", () => {
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

  test("says on one line where it is, and listens on loopback only", () => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.equal(server.pid, server.child.pid);
    assert.ok(server.token.length >= 32);
  });

  test("answers a script that shows the token", async () => {
    const info = await server.call("System.Info");
    assert.equal(info.shell, "serve");
    assert.equal(info.state_dir, `${server.home}/state`);
  });

  test("answers a refusal with a code and a fitting status", async () => {
    const headers = { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" };
    const answer = await raw(
      server,
      "/api/Bots.Create",
      headers,
      "POST",
      JSON.stringify([{ name: "", description: "x" }]),
    );
    assert.equal(answer.status, 422);
    assert.deepEqual(Object.keys(JSON.parse(answer.text).error).sort(), ["code", "fatal", "message"]);
    assert.equal(JSON.parse(answer.text).error.code, "invalid_bot");
    assert.equal((await raw(server, "/api/Nothing.Here", headers, "POST", "[]")).status, 404);
  });

  test("refuses without the token, with a wrong one, under another name, and from a page of another origin", async () => {
    const good = { Authorization: `Bearer ${server.token}` };
    const call = (headers) => raw(server, "/api/Bots.List", headers, "POST", "[]");
    assert.equal((await call(good)).status, 200);
    assert.equal((await call({})).status, 403);
    assert.equal((await call({ Authorization: "Bearer wrong" })).status, 403);
    assert.equal((await call({ ...good, Host: "evil.example" })).status, 403);
    assert.equal((await call({ ...good, Origin: "http://evil.example" })).status, 403);
    assert.equal((await raw(server, "/", { Host: "evil.example" })).status, 403);
  });

  test("keeps the token out of the address and of what is sent along", async () => {
    const page = await browser.open(server);
    await page.waitForFunction(() => !window.location.hash.includes("token"));
    assert.ok(!page.url().includes(server.token));
    assert.equal((await raw(server, "/", {})).headers["referrer-policy"], "no-referrer");
    await page.context().close();
  });

  /**
   * Adds frames of every kind, each with a script that reports to the page, and gives what was reported. A frame in a
   * process of its own may report after it has loaded, so as many reports as are expected are waited for.
   */
  const frames = (page, expected) =>
    page.evaluate(async (expected) => {
      const reports = [];
      const all = new Promise((resolve) => {
        window.addEventListener("message", (event) => {
          if (reports.push(event.data) >= expected) resolve();
        });
      });
      const script = (kind) => `<script>parent.postMessage("${kind}", "*")</script>`;
      const fill = {
        srcdoc: (frame) => frame.setAttribute("srcdoc", script("srcdoc")),
        sandboxed: (frame) => {
          frame.setAttribute("sandbox", "allow-scripts");
          frame.setAttribute("srcdoc", script("sandboxed"));
        },
        blob: (frame) => {
          frame.setAttribute("src", URL.createObjectURL(new Blob([script("blob")], { type: "text/html" })));
        },
        data: (frame) => frame.setAttribute("src", `data:text/html,${encodeURIComponent(script("data"))}`),
      };
      const loaded = Object.values(fill).map((set) => {
        const frame = document.createElement("iframe");
        set(frame);
        const done = new Promise((resolve) => frame.addEventListener("load", resolve));
        document.body.append(frame);
        return done;
      });
      await Promise.all(loaded);
      if (expected > 0) await all;
      await new Promise((resolve) => setTimeout(resolve)); // messages posted while loading have been delivered by now
      return reports.sort();
    }, expected);

  test("frames of every kind stay empty: none could call the API", async () => {
    const free = await browser.open(server, { bypassCSP: true });
    await free.getByRole("main").waitFor();
    assert.deepEqual(
      await frames(free, 4),
      ["blob", "data", "sandboxed", "srcdoc"],
      "without the policy all of them run",
    );
    await free.context().close();

    const page = await browser.open(server);
    await page.getByRole("main").waitFor();
    assert.deepEqual(await frames(page, 0), []);
    await page.context().close();
  });

  test("neither inline scripts nor anything remote is loaded", async () => {
    const page = await browser.open(server);
    await page.getByRole("main").waitFor();
    const blocked = await page.evaluate(async () => {
      const directives = new Set();
      const all = new Promise((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => {
          directives.add(event.effectiveDirective);
          if (directives.size === 4) resolve();
        });
      });
      const inline = document.createElement("script");
      inline.textContent = "window.inline = true";
      const remote = new Image();
      remote.src = "http://127.0.0.1:9/picture.png";
      const object = document.createElement("object");
      object.data = "/icon.svg";
      document.body.append(inline, remote, object);
      fetch("http://127.0.0.1:9/").catch(() => undefined);
      await all;
      return { directives: [...directives].sort(), inline: window.inline === true };
    });
    assert.deepEqual(blocked, {
      directives: ["connect-src", "img-src", "object-src", "script-src-elem"],
      inline: false,
    });
    await page.context().close();
  });
});
