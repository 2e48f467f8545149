import { type ComponentProps, useSyncExternalStore } from "react";

/**
 * The place in the page is the hash of its address, which works the same under wails:// and http:// and gives back and
 * forward for free.
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
  const [first, second] = pathname.split("/").filter(Boolean).map(decodeURIComponent);
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

const current = () => window.location.hash.slice(1) || "/new";
const listeners = new Set<() => void>();
let shown = current();

function show(path: string): void {
  shown = path;
  for (const listener of listeners) listener();
}

function onHashChange(): void {
  // A navigation of our own has been shown already.
  if (current() !== shown) show(current());
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    shown = current();
    window.addEventListener("hashchange", onHashChange);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("hashchange", onHashChange);
  };
}

export interface NavigateOptions {
  /** Takes the present place out of the history. */
  replace?: boolean;
}

export function navigate(path: string, options: NavigateOptions = {}): void {
  if (path === current()) return;
  if (options.replace) window.history.replaceState(null, "", `#${path}`);
  else window.location.hash = path;
  show(path);
}

export const goBack = () => window.history.back();
export const goForward = () => window.history.forward();

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => (listeners.size === 0 ? current() : shown));
}

let cached: { path: string; route: Route } | null = null;

export function useRoute(): Route {
  const path = usePath();
  if (cached?.path !== path) cached = { path, route: parseRoute(path) };
  return cached.route;
}

/** A link to a place in the page. */
export function Link({ to, ...rest }: { to: string } & Omit<ComponentProps<"a">, "href">) {
  return <a {...rest} href={`#${to}`} draggable={false} />;
}
