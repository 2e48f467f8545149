import { describe, expect, it } from "vitest";
import { aSession } from "@/testing/fakeData";
import { compareSessions, mergeSessions, type SessionChange } from "./sessionList";
import type { Session, SessionPage } from "./types";

const page = (revision: number, sessions: Session[], next?: string): SessionPage => ({
  revision,
  sessions,
  next,
  total: sessions.length,
});
const changes = (...list: [string, SessionChange][]) => new Map(list);
const old = aSession({ id: "a", title: "Old", updated_at: 10 });

describe("merging the conversation list", () => {
  it("keeps a newer title when an older reply arrives after it", () => {
    const newer = { revision: 7, session: { ...old, title: "New" } };
    expect(mergeSessions([page(5, [old])], changes(["a", newer]), {}).map((s) => s.title)).toEqual(["New"]);
  });

  it("takes the reply's title when the reply is newer than the change", () => {
    const older = { revision: 4, session: { ...old, title: "Older" } };
    expect(mergeSessions([page(5, [old])], changes(["a", older]), {}).map((s) => s.title)).toEqual(["Old"]);
  });

  it("drops a session that was removed after the page was read, and shows one that was made after it", () => {
    const made = aSession({ id: "b", title: "Made", updated_at: 20 });
    const merged = mergeSessions(
      [page(5, [old])],
      changes(["a", { revision: 6, session: null }], ["b", { revision: 7, session: made }]),
      {},
    );
    expect(merged.map((s) => s.title)).toEqual(["Made"]);
  });

  it("shows a session once when it moved between two pages that were read at different times", () => {
    const moved = aSession({ id: "m", title: "Moved", updated_at: 30 });
    const pages = [page(5, [moved], "1"), page(9, [old, { ...moved, title: "Moved again" }])];
    expect(mergeSessions(pages, changes(), {}).map((s) => s.title)).toEqual(["Moved again", "Old"]);
  });

  it("leaves a changed session beyond the last page that was read for that page", () => {
    const far = aSession({ id: "z", title: "Far", updated_at: 1 });
    const change = changes(["z", { revision: 9, session: far }]);
    expect(mergeSessions([page(5, [old], "1")], change, {}).map((s) => s.id)).toEqual(["a"]);
    expect(mergeSessions([page(5, [old])], change, {}).map((s) => s.id)).toEqual(["a", "z"]);
  });

  it("applies the filter to live changes too", () => {
    const other = aSession({ id: "b", bot_id: "other", updated_at: 20 });
    const trashed = aSession({ id: "c", deleted_at: 5, updated_at: 20 });
    const live = changes(["b", { revision: 9, session: other }], ["c", { revision: 9, session: trashed }]);
    expect(mergeSessions([page(5, [old])], live, { bot_id: old.bot_id }).map((s) => s.id)).toEqual(["a"]);
    expect(mergeSessions([page(5, [])], live, { trash: true }).map((s) => s.id)).toEqual(["c"]);
  });

  it("sorts pinned first, then by update, then by sequence, then by id", () => {
    const list = [
      aSession({ id: "1", updated_at: 5 }),
      aSession({ id: "2", updated_at: 9 }),
      aSession({ id: "3", updated_at: 1, pinned: true }),
      aSession({ id: "4", updated_at: 5, last_seq: 3 }),
      aSession({ id: "5", updated_at: 5 }),
    ];
    expect([...list].sort(compareSessions).map((s) => s.id)).toEqual(["3", "2", "4", "5", "1"]);
  });
});
