// Gives a browser the same window.go and window.runtime that the native window has, over HTTP and a WebSocket.
(() => {
  "use strict";
  const key = "mobius.token";
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("token")) {
    sessionStorage.setItem(key, fragment.get("token"));
    fragment.delete("token");
    const rest = fragment.toString();
    history.replaceState(history.state, "", location.pathname + location.search + (rest ? "#" + rest : ""));
  }
  const token = sessionStorage.getItem(key) || "";
  const client = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2) + Date.now();
  window.mobius = { client, shell: "serve" };

  const unreachable = (message) => ({ code: "unreachable", message, fatal: false });

  async function call(service, method, args) {
    let answer;
    try {
      answer = await fetch("/api/" + service + "." + method, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: "Bearer " + token },
        body: JSON.stringify(args.map((a) => (a === undefined ? null : a))),
      });
    } catch {
      throw unreachable("Mobius does not answer. Is it still running?");
    }
    let body;
    try {
      body = await answer.json();
    } catch {
      throw unreachable("Mobius gave an answer that could not be read.");
    }
    if (body.error) throw body.error;
    return body.result;
  }

  const service = (name) =>
    new Proxy({}, { get: (_, method) => (typeof method === "string" ? (...args) => call(name, method, args) : undefined) });
  const services = new Map();
  const api = new Proxy({}, {
    get: (_, name) => {
      if (typeof name !== "string") return undefined;
      if (!services.has(name)) services.set(name, service(name));
      return services.get(name);
    },
  });
  window.go = { api };

  const listeners = new Map();
  function on(name, callback, max) {
    const entry = { callback, left: max };
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(entry);
    return () => listeners.get(name)?.delete(entry);
  }
  function emit(name, ...data) {
    for (const entry of [...(listeners.get(name) || [])]) {
      if (entry.left > 0 && --entry.left === 0) listeners.get(name).delete(entry);
      entry.callback(...data);
    }
  }
  const nothing = () => {};
  const known = {
    EventsOn: (name, callback) => on(name, callback, -1),
    EventsOnMultiple: on,
    EventsOnce: (name, callback) => on(name, callback, 1),
    EventsOff: (...names) => names.forEach((n) => listeners.delete(n)),
    EventsOffAll: () => listeners.clear(),
    EventsEmit: emit,
    BrowserOpenURL: (url) => window.open(url, "_blank", "noopener,noreferrer"),
    ClipboardSetText: (text) => navigator.clipboard.writeText(text).then(() => true, () => false),
    ClipboardGetText: () => navigator.clipboard.readText(),
    WindowSetTitle: (title) => { document.title = title; },
  };
  window.runtime = new Proxy(known, { get: (target, name) => target[name] || nothing });

  let wait = 250;
  let before = false;
  function connect() {
    const address = (location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/events?client=" + client;
    const socket = new WebSocket(address, ["mobius", token || "none"]);
    socket.onopen = () => {
      wait = 250;
      emit("connection", { up: true });
      if (before) emit("batch", [{ kind: "resync" }]);
      before = true;
    };
    socket.onmessage = (e) => emit("batch", JSON.parse(e.data));
    socket.onclose = () => {
      emit("connection", { up: false });
      setTimeout(connect, wait);
      wait = Math.min(wait * 2, 10000);
    };
  }
  connect();
})();
