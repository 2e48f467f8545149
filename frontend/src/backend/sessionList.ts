import type { Session, SessionPage, SessionQuery } from "./types";

/** The newest thing that a live change said about a session; null when it is gone. */
export interface SessionChange {
  revision: number;
  session: Session | null;
}

/** The order of the backend's list: pinned first, then updated descending, then sequence, then id. */
export function compareSessions(a: Session, b: Session): number {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  if (a.updated_at !== b.updated_at) return b.updated_at - a.updated_at;
  if (a.last_seq !== b.last_seq) return b.last_seq - a.last_seq;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

function matches(session: Session, query: SessionQuery): boolean {
  if (Boolean(query.trash) !== Boolean(session.deleted_at)) return false;
  if (query.bot_id && session.bot_id !== query.bot_id) return false;
  if (query.workspace && session.workspace !== query.workspace) return false;
  return !query.text || session.title.toLowerCase().includes(query.text.toLowerCase());
}

/**
 * One list from pages that were read at different revisions and from live changes. For each session what is known at the
 * highest revision wins, so a reply that was overtaken by a change never brings an old title back. A changed session
 * that belongs beyond the last page that was read is left for that page.
 */
export function mergeSessions(
  pages: readonly SessionPage[],
  changes: ReadonlyMap<string, SessionChange>,
  query: SessionQuery,
): Session[] {
  const known = new Map<string, SessionChange>();
  let oldest = Number.POSITIVE_INFINITY;
  let tail: Session | undefined;
  for (const page of pages) {
    oldest = Math.min(oldest, page.revision);
    for (const session of page.sessions) {
      const before = known.get(session.id);
      if (!before || before.revision < page.revision) known.set(session.id, { revision: page.revision, session });
      tail = session;
    }
  }
  for (const [id, change] of changes) {
    const before = known.get(id);
    if (before ? before.revision < change.revision : change.revision > oldest) known.set(id, change);
  }
  const more = pages.at(-1)?.next;
  const out: Session[] = [];
  for (const { session } of known.values()) {
    if (!session || !matches(session, query)) continue;
    if (more && tail && compareSessions(session, tail) > 0) continue;
    out.push(session);
  }
  return out.sort(compareSessions);
}
