/** Where the person was in a conversation: the row at the top of the window, and how far it is scrolled. */
export interface Place {
  key: string;
  offset: number;
  /** Sequence of its turn, so that the right page can be read first. */
  seq: number;
}

const KEY = "mobius.places";
/** Conversations whose place is kept; the ones left longest ago go first. */
const LIMIT = 200;

type Stored = [id: string, place: Place][];

function read(): Stored {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? (stored as Stored) : [];
  } catch {
    return [];
  }
}

export function keptPlace(id: string): Place | null {
  return read().find(([other]) => other === id)?.[1] ?? null;
}

/** Null forgets it: the conversation opens at its end. */
export function keepPlace(id: string, place: Place | null): void {
  const others = read().filter(([other]) => other !== id);
  if (place) others.unshift([id, place]);
  try {
    localStorage.setItem(KEY, JSON.stringify(others.slice(0, LIMIT)));
  } catch {
    // A full storage costs the place, nothing else.
  }
}
