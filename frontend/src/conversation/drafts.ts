/** A long text that was pasted, shown as a chip and sent as text. */
export interface Paste {
  id: string;
  text: string;
}

export interface Draft {
  text: string;
  pastes: readonly Paste[];
}

export const EMPTY: Draft = { text: "", pastes: [] };

const KEY = "mobius.drafts";
/** Drafts that are kept, and characters of all of them; the ones written longest ago go first. */
const LIMIT = 100;
const CHARACTERS = 1_200_000;
const SAVE_MS = 300;

type Stored = [id: string, draft: Draft][];

function read(): Stored {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? (stored as Stored) : [];
  } catch {
    return [];
  }
}

const sizeOf = (draft: Draft): number => draft.text.length + draft.pastes.reduce((sum, p) => sum + p.text.length, 0);
export const isEmpty = (draft: Draft): boolean => draft.text.trim() === "" && draft.pastes.length === 0;

function write(id: string, draft: Draft): void {
  const all: Stored = read().filter(([other]) => other !== id);
  if (!isEmpty(draft)) all.unshift([id, draft]);
  let size = 0;
  const kept = all.slice(0, LIMIT).filter(([, d]) => {
    size += sizeOf(d);
    return size <= CHARACTERS;
  });
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A full storage: the draft stays in memory, where it is anyway.
  }
}

/** What is being written in one conversation. It outlives the view, the page and a restart. */
export class DraftStore {
  private draft: Draft;
  private listeners = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly id: string) {
    this.draft = read().find(([other]) => other === id)?.[1] ?? EMPTY;
  }

  readonly get = (): Draft => this.draft;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly set = (change: Partial<Draft>): void => {
    this.draft = { ...this.draft, ...change };
    this.timer ??= setTimeout(this.save, SAVE_MS);
    for (const listener of this.listeners) listener();
  };

  readonly save = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    write(this.id, this.draft);
  };

  /** Empties it for sending and gives what was in it. */
  take(): Draft {
    const taken = this.draft;
    this.set(EMPTY);
    this.save();
    return taken;
  }

  /** Puts back what could not be sent, in front of what was written meanwhile. */
  restore(draft: Draft): void {
    const now = this.draft;
    const text = [draft.text, now.text].filter((part) => part.trim() !== "").join("\n\n");
    this.set({ text, pastes: [...draft.pastes, ...now.pastes] });
    this.save();
  }

  quote(text: string): void {
    const quoted = text
      .trim()
      .split("\n")
      .map((line) => (line ? `> ${line}` : ">"))
      .join("\n");
    const before = this.draft.text.trimEnd();
    this.set({ text: `${before}${before ? "\n\n" : ""}${quoted}\n\n` });
  }
}

const open = new Map<string, DraftStore>();

/** The draft of a conversation; the same object for all who ask. */
export function draftOf(id: string): DraftStore {
  let store = open.get(id);
  if (!store) {
    store = new DraftStore(id);
    open.set(id, store);
  }
  return store;
}

/** The message that a draft is. */
export function messageOf(draft: Draft): string {
  return [draft.text.trim(), ...draft.pastes.map((paste) => paste.text)]
    .filter((part) => part.trim() !== "")
    .join("\n\n");
}

window.addEventListener("pagehide", () => {
  for (const store of open.values()) store.save();
});
