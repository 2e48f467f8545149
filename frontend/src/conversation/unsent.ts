import { RejectionError } from "@/backend";
import type { Pending } from "./store";

const KEY = "mobius.unsent";
/** Messages that are kept over all conversations; the oldest go first. */
const LIMIT = 50;

type Stored = [session: string, message: Omit<Pending, "unsure">][];

function read(): Stored {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? (stored as Stored) : [];
  } catch {
    return [];
  }
}

/** Messages of a conversation that nobody has confirmed, from a view or a page before. They can be sent again as they are: their ids are the same. */
export function unsentOf(session: string): Pending[] {
  return read()
    .filter(([id]) => id === session)
    .map(([, message]) => ({
      ...message,
      unsure: new RejectionError({ code: "unreachable", message: "", fatal: false }),
    }));
}

/** Keeps the messages of a conversation that nobody has confirmed, so that leaving the view loses none. */
export function keepUnsent(session: string, pending: readonly Pending[]): void {
  const others = read().filter(([id]) => id !== session);
  const own = pending.map(({ unsure: _, ...message }): Stored[number] => [session, message]);
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, ...own].slice(-LIMIT)));
  } catch {
    // A full storage: they stay in memory for as long as the view is open.
  }
}
