import { type ComponentProps, useSyncExternalStore } from "react";

/**
 * The place in the page is the hash of its address, which works the same under wails:// and http://. Each entry of the
 * window's history carries its position, so that it is known whether there is a way back or forward.
 */
export type Route =
  | { name: "new"; bot?: string }
  | { name: "chat"; id: string }
  | { name: "bots" }
  | { name: "bot-new" }
  | { name: "bot"; id: string }
  | { name: "settings"; section: string }
  | { name: "trash" }
  | { name: "welcome" };

export function parseRoute(path: string): Route {
  const [pathname = "", search = ""] = path.split("?");
  const [first, second] = pathname.split("/").filter(Boolean).map(decodePart);
  if (first === "chat" && second) return { name: "chat", id: second };
  if (first === "bots") {
    if (!second) return { name: "bots" };
    return second === "new" ? { name: "bot-new" } : { name: "bot", id: second };
  }
  if (first === "settings") return { name: "settings", section: second ?? "appearance" };
  if (first === "trash") return { name: "trash" };
  if (first === "welcome") return { name: "welcome" };
  return { name: "new", bot: new URLSearchParams(search).get("bot") ?? undefined };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Paths of all places. */
export const paths = {
  newChat: (bot?: string) => (bot ? `/new?bot=${encodeURIComponent(bot)}` : "/new"),
  chat: (id: string) => `/chat/${encodeURIComponent(id)}`,
  bots: "/bots",
  newBot: "/bots/new",
  bot: (id: string) => `/bots/${encodeURIComponent(id)}`,
  settings: (section = "appearance") => `/settings/${section}`,
  trash: "/trash",
  welcome: "/welcome",
};

const PLACE_KEY = "mobius.place";

const current = () => window.location.hash.slice(1) || paths.newChat();

interface Position {
  at: number;
  last: number;
}

const listeners = new Set<() => void>();
let shown = current();
let position: Position = { at: 0, last: 0 };

function positionOf(state: unknown): number | undefined {
  const at = (state as { at?: unknown } | null)?.at;
  return typeof at === "number" ? at : undefined;
}

function show(path: string, at: number, last: number): void {
  shown = path;
  if (at !== position.at || last !== position.last) position = { at, last };
  // Only a place of the page is kept: an address may carry the token for a moment.
  if (path.startsWith("/")) localStorage.setItem(PLACE_KEY, path);
  for (const listener of listeners) listener();
}

/** Back, forward, or an address that was typed, which is a new entry without a position. */
function onPopState(event: PopStateEvent): void {
  const path = current();
  if (!path.startsWith("/")) return;
  const at = positionOf(event.state);
  if (at !== undefined) {
    show(path, at, Math.max(at, position.last));
    return;
  }
  if (path === shown) return;
  const next = position.at + 1;
  window.history.replaceState({ at: next }, "");
  show(path, next, next);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    shown = current();
    const at = positionOf(window.history.state) ?? 0;
    position = { at, last: at };
    window.addEventListener("popstate", onPopState);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("popstate", onPopState);
  };
}

export interface NavigateOptions {
  /** Takes the present place out of the history. */
  replace?: boolean;
}

export function navigate(path: string, options: NavigateOptions = {}): void {
  if (path === current()) return;
  const at = options.replace ? position.at : position.at + 1;
  if (options.replace) window.history.replaceState({ at }, "", `#${path}`);
  else window.history.pushState({ at }, "", `#${path}`);
  show(path, at, options.replace ? position.last : at);
}

/** The place of the last run, for a window that opens without one. */
export function restorePlace(): void {
  const kept = localStorage.getItem(PLACE_KEY);
  if (!window.location.hash && kept?.startsWith("/")) window.history.replaceState({ at: 0 }, "", `#${kept}`);
}

export const goBack = () => window.history.back();
export const goForward = () => window.history.forward();

/** Whether there is a place to go back or forward to. */
export function useHistory(): { back: boolean; forward: boolean } {
  const { at, last } = useSyncExternalStore(subscribe, () => position);
  return { back: at > 0, forward: at < last };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => (listeners.size === 0 ? current() : shown));
}

let cached: { path: string; route: Route } | null = null;

export function useRoute(): Route {
  const path = usePath();
  if (cached?.path !== path) cached = { path, route: parseRoute(path) };
  return cached.route;
}

/** A link to a place in the page. A plain click on it goes there through `navigate`; see installWindowGuards. */
export function Link({ to, ...rest }: { to: string } & Omit<ComponentProps<"a">, "href">) {
  return <a {...rest} href={`#${to}`} draggable={false} />;
}
