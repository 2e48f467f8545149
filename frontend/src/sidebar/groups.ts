import type { Session } from "@/backend/types";

/** A line of the conversation list: a heading or a conversation. */
export type Line =
  | { kind: "heading"; key: string; day: number | "pinned" }
  | { kind: "chat"; key: string; session: Session; position: number };

/** Local midnight of a moment. */
export function dayOf(at: number): number {
  const date = new Date(at);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/** Pinned conversations first, then the others under a heading for each day. The list is in the backend's order. */
export function groupByDay(sessions: readonly Session[]): Line[] {
  const lines: Line[] = [];
  let last: number | "pinned" | undefined;
  sessions.forEach((session, position) => {
    const day = session.pinned ? "pinned" : dayOf(session.updated_at);
    if (day !== last) lines.push({ kind: "heading", key: `day-${day}`, day });
    last = day;
    lines.push({ kind: "chat", key: session.id, session, position });
  });
  return lines;
}

/** Whole days between two local midnights; a day of 23 or 25 hours is one day. */
export function daysBetween(earlier: number, later: number): number {
  return Math.round((later - earlier) / 86_400_000);
}
