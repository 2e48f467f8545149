import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { navigate, parseRoute, paths, usePath } from "@/app/router";
import { useBots, useSessions, useSettings } from "@/backend";
import type { Bot, Session } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { useListedShortcut } from "@/keyboard/shortcuts";
import { Button } from "@/ui/Button";
import { Skeleton } from "@/ui/parts";
import { rem } from "@/ui/rem";
import { ChatRow } from "./ChatRow";
import { DayHeading } from "./DayHeading";
import { FilterBar } from "./FilterBar";
import { useChatFilter } from "./filter";
import { groupByDay, type Line } from "./groups";
import { useChatActions } from "./useChatActions";
import { useToday } from "./useToday";

const ROW_REM = 2.2857;
const HEADING_REM = 2;

/** The conversations: pinned first, then by day. Only what is visible is in the document, and pages are read as needed. */
export function ChatList() {
  const t = useT();
  const { botId, workspace } = useChatFilter();
  const list = useSessions({ bot_id: botId || undefined, workspace: workspace || undefined });
  const lines = useMemo(() => groupByDay(list.sessions ?? []), [list.sessions]);
  const group = "app.shortcuts.chats";
  useListedShortcut({ id: "chats.move", combos: ["ArrowUp", "ArrowDown"], label: "chats.move", group });
  useListedShortcut({ id: "chats.rename", combos: ["F2"], label: "chats.rename", group });
  useListedShortcut({ id: "chats.delete", combos: ["Delete"], label: "chats.delete", group });
  return (
    <section aria-label={t("chats.list")} className="mt-3 flex min-h-0 flex-1 flex-col">
      <FilterBar />
      {list.isPending && <Loading />}
      {list.isError && !list.sessions && (
        <div className="p-2">
          <ErrorNote reason={list.error} />
          <Button size="small" className="mt-2" onClick={() => void list.refetch()}>
            {t("common.retry")}
          </Button>
        </div>
      )}
      {list.sessions?.length === 0 && (
        <p className="px-4 py-3 text-muted text-sm">{t(botId || workspace ? "chats.noneFiltered" : "chats.none")}</p>
      )}
      {lines.length > 0 && (
        <VirtualChats
          lines={lines}
          hasMore={list.hasNextPage}
          onEnd={() => !list.isFetchingNextPage && void list.fetchNextPage()}
        />
      )}
    </section>
  );
}

function Loading() {
  return (
    <div className="flex flex-col gap-2.5 px-4 pt-2">
      {["72%", "58%", "80%", "64%"].map((width) => (
        <span key={width} style={{ width }}>
          <Skeleton className="h-3.5" />
        </span>
      ))}
    </div>
  );
}

interface VirtualChatsProps {
  lines: Line[];
  hasMore: boolean;
  onEnd(): void;
}

function VirtualChats({ lines, hasMore, onEnd }: VirtualChatsProps) {
  const t = useT();
  const today = useToday();
  const path = usePath();
  const route = parseRoute(path);
  const openId = route.name === "chat" ? route.id : "";
  const bots = useBots().data;
  const botById = useMemo(() => new Map<string, Bot>(bots?.map((b) => [b.id, b])), [bots]);
  const actions = useChatActions();
  const scroller = useRef<HTMLDivElement>(null);
  const [renaming, setRenaming] = useState("");
  // The row that Tab reaches: the one last focused, else the open conversation, else the first.
  const [roving, setRoving] = useState("");
  const wantsFocus = useRef("");

  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rem(lines[index]?.kind === "heading" ? HEADING_REM : ROW_REM),
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 8,
    initialRect: { width: 272, height: 600 },
  });
  const fontSize = useSettings().data?.font_size;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows' heights hang on the font size
  useEffect(() => {
    // After the new size has reached the document.
    const frame = requestAnimationFrame(() => virtual.measure());
    return () => cancelAnimationFrame(frame);
  }, [fontSize, virtual]);
  const items = virtual.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastIndex >= lines.length - 12) onEnd();
  }, [hasMore, lastIndex, lines.length, onEnd]);

  const chats = useMemo(() => lines.filter((l) => l.kind === "chat"), [lines]);
  const known = (id: string) => chats.some((c) => c.session.id === id);
  const tabStop = known(roving) ? roving : known(openId) ? openId : (chats[0]?.session.id ?? "");

  const focusChat = useCallback(
    (position: number) => {
      const target = chats[Math.max(0, Math.min(chats.length - 1, position))];
      if (!target) return;
      wantsFocus.current = target.session.id;
      setRoving(target.session.id);
      virtual.scrollToIndex(lines.indexOf(target), { align: "auto" });
    },
    [chats, lines, virtual],
  );
  const focusWanted = useCallback((id: string, element: HTMLElement | null) => {
    if (!element || wantsFocus.current !== id) return;
    wantsFocus.current = "";
    element.focus({ preventScroll: true });
  }, []);

  const onKeyDown = (event: KeyboardEvent, session: Session, position: number) => {
    const moves: Record<string, number> = {
      ArrowDown: position + 1,
      ArrowUp: position - 1,
      Home: 0,
      End: chats.length - 1,
    };
    const move = moves[event.key];
    if (move !== undefined) focusChat(move);
    else if (event.key === "F2") setRenaming(session.id);
    else if (event.key === "Delete") {
      void actions.remove(session);
      focusChat(position + 1 < chats.length ? position + 1 : position - 1);
    } else return;
    event.preventDefault();
  };

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      <ul aria-label={t("chats.list")} className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const line = lines[item.index];
          if (!line) return null;
          const style = {
            position: "absolute",
            insetInline: 0,
            height: item.size,
            transform: `translateY(${item.start}px)`,
          } as const;
          if (line.kind === "heading") {
            return (
              <li key={line.key} style={style}>
                <DayHeading day={line.day} today={today} />
              </li>
            );
          }
          const { session, position } = line;
          return (
            <li key={line.key} style={style} aria-setsize={hasMore ? -1 : chats.length} aria-posinset={position + 1}>
              <ChatRow
                session={session}
                bot={botById.get(session.bot_id)}
                open={session.id === openId}
                tabStop={session.id === tabStop}
                renaming={renaming === session.id}
                onRename={(on) => {
                  setRenaming(on ? session.id : "");
                  if (!on) wantsFocus.current = session.id;
                }}
                onRenamed={(title) => void actions.rename(session, title)}
                onPin={() => void actions.pin(session)}
                onDelete={() => void actions.remove(session)}
                onOpen={() => navigate(paths.chat(session.id))}
                onFocus={() => setRoving(session.id)}
                onKeyDown={(event) => onKeyDown(event, session, position)}
                linkRef={(element) => focusWanted(session.id, element)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
