// Gives a browser the same window.go and window.runtime that the native window has, over HTTP and a WebSocket.
(() => {
  "use strict";

  // The token comes in the fragment of the address, which is never sent, and leaves the address before anything else runs.
  const key = "mobius.token";
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("token")) {
    sessionStorage.setItem(key, fragment.get("token"));
    fragment.delete("token");
    const rest = fragment.toString();
    history.replaceState(history.state, "", location.pathname + location.search + (rest ? "#" + rest : ""));
  }
  const token = sessionStorage.getItem(key) || "";
  // An address with a new token that is pasted over this one changes only the fragment: the page begins anew with it.
  window.addEventListener("hashchange", (e) => {
    if (!new URLSearchParams(location.hash.slice(1)).has("token")) return;
    e.stopImmediatePropagation();
    location.reload();
  }, true);

  const client = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  window.mobius = { client, shell: "serve" };

  const unreachable = (message) => ({ code: "unreachable", message, fatal: false });

  async function call(method, args) {
    let answer;
    try {
      answer = await fetch("/api/" + method, {
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

  /** An object whose every member is made at its first use. "then" is none, or awaiting the object would call it. */
  function lazy(make) {
    const made = new Map();
    return new Proxy(Object.create(null), {
      get(_, name) {
        if (typeof name !== "string" || name === "then") return undefined;
        if (!made.has(name)) made.set(name, make(name));
        return made.get(name);
      },
    });
  }
  window.go = { api: lazy((service) => lazy((method) => (...args) => call(service + "." + method, args))) };

  const listeners = new Map();
  function on(name, callback, max) {
    const entry = { callback, left: max };
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(entry);
    return () => listeners.get(name)?.delete(entry);
  }
  function emit(name, ...data) {
    for (const entry of [...(listeners.get(name) || [])]) {
      if (entry.left > 0 && --entry.left === 0) listeners.get(name)?.delete(entry);
      try {
        entry.callback(...data);
      } catch (error) {
        console.error(error);
      }
    }
  }

  /** Tells whether it could. A page that came over plain HTTP from another machine has no clipboard interface. */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      field.style.position = "fixed";
      field.style.opacity = "0";
      document.body.append(field);
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      return done;
    }
  }

  const runtime = {
    EventsOn: (name, callback) => on(name, callback, -1),
    EventsOnMultiple: (name, callback, max) => on(name, callback, max),
    EventsOnce: (name, callback) => on(name, callback, 1),
    EventsOff: (...names) => names.forEach((name) => listeners.delete(name)),
    EventsOffAll: () => listeners.clear(),
    EventsEmit: emit,
    BrowserOpenURL: (url) => void window.open(url, "_blank", "noopener,noreferrer"),
    ClipboardSetText: copy,
    ClipboardGetText: () => navigator.clipboard.readText(),
    WindowSetTitle: (title) => { document.title = title; },
    WindowReload: () => location.reload(),
    WindowReloadApp: () => location.reload(),
  };
  const nothing = () => {};
  window.runtime = new Proxy(runtime, {
    get: (target, name) => (Object.hasOwn(target, name) ? target[name] : typeof name !== "string" || name === "then" ? undefined : nothing),
  });

  // The events. After a break everything that was missed is fetched anew, which the page does at a resync.
  const [first, longest] = [250, 10000];
  let wait = first;
  let opened = false;
  let timer;
  let socket;
  function connect() {
    clearTimeout(timer);
    const scheme = location.protocol === "https:" ? "wss://" : "ws://";
    const mine = new WebSocket(scheme + location.host + "/events?client=" + client, ["mobius", token || "none"]);
    socket = mine;
    mine.onopen = () => {
      wait = first;
      emit("connection", { up: true });
      if (opened) emit("batch", [{ kind: "resync" }]);
      opened = true;
    };
    mine.onmessage = (message) => emit("batch", JSON.parse(message.data));
    mine.onclose = () => {
      if (socket !== mine) return;
      emit("connection", { up: false });
      timer = setTimeout(connect, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, longest);
    };
  }
  /** Does not wait when there is reason to think that it works now: the network is back, or the person is. */
  function hurry() {
    if (socket.readyState !== WebSocket.CLOSED || document.visibilityState === "hidden") return;
    wait = first;
    connect();
  }
  window.addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);
  connect();
})();
