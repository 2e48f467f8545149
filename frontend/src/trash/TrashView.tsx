import { useVirtualizer } from "@tanstack/react-virtual";
import { Trash2, Undo2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { useIntl } from "react-intl";
import { Page } from "@/app/Page";
import { backend, useBots, useSessions } from "@/backend";
import type { Session } from "@/backend/types";
import { ErrorNote, useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { useChatActions } from "@/sidebar/useChatActions";
import { ask } from "@/ui/ask";
import { Button, IconButton } from "@/ui/Button";
import { Face } from "@/ui/Face";
import { Empty, Skeleton } from "@/ui/parts";
import { rem } from "@/ui/rem";

const TRASH = { trash: true };
const ROW_REM = 4;

/** The deleted conversations of the last 30 days. */
export default function TrashView() {
  const t = useT();
  const list = useSessions(TRASH);
  const showError = useErrorToast();
  const { restore } = useChatActions();
  const total = list.data?.pages[0]?.total ?? 0;

  const purge = async (ids: string[], count: number, title?: string) => {
    const sure = await ask({
      title: title ? t("trash.purge.title", { title }) : t("trash.empty.title", { count }),
      body: t("trash.purge.text"),
      confirm: t(title ? "trash.purge" : "trash.empty"),
      danger: true,
    });
    if (!sure) return;
    try {
      await backend.Sessions.Purge(ids);
    } catch (reason) {
      showError(reason);
    }
  };
  return (
    <Page
      title={t("app.trash")}
      actions={
        total > 0 && (
          <Button kind="risky" size="small" icon={Trash2} onClick={() => void purge([], total)}>
            {t("trash.empty")}
          </Button>
        )
      }
    >
      {list.isPending && <Skeleton className="h-32" />}
      {list.isError && <ErrorNote reason={list.error} />}
      {list.sessions?.length === 0 && <Empty icon={Trash2} title={t("trash.none")} text={t("trash.none.text")} />}
      {list.sessions && list.sessions.length > 0 && (
        <>
          <p className="mb-4 text-muted">{t("trash.text")}</p>
          <TrashList
            sessions={list.sessions}
            hasMore={list.hasNextPage}
            onEnd={() => !list.isFetchingNextPage && void list.fetchNextPage()}
            onRestore={(session) => void restore([session.id])}
            onPurge={(session) => void purge([session.id], 1, session.title)}
          />
        </>
      )}
    </Page>
  );
}

interface TrashListProps {
  sessions: Session[];
  hasMore: boolean;
  onEnd(): void;
  onRestore(session: Session): void;
  onPurge(session: Session): void;
}

function TrashList({ sessions, hasMore, onEnd, onRestore, onPurge }: TrashListProps) {
  const t = useT();
  const intl = useIntl();
  const bots = useBots().data ?? [];
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rem(ROW_REM),
    getItemKey: (index) => sessions[index]?.id ?? index,
    overscan: 6,
    initialRect: { width: 600, height: 500 },
  });
  const items = virtual.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastIndex >= sessions.length - 8) onEnd();
  }, [hasMore, lastIndex, sessions.length, onEnd]);
  return (
    <div ref={scroller} className="max-h-[calc(100vh-12rem)] overflow-y-auto rounded border border-line">
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const session = sessions[item.index];
          if (!session) return null;
          const bot = bots.find((b) => b.id === session.bot_id);
          return (
            <li
              key={session.id}
              style={{
                position: "absolute",
                insetInline: 0,
                height: item.size,
                transform: `translateY(${item.start}px)`,
              }}
              className="flex items-center gap-3 border-line border-b px-4 last:border-b-0"
            >
              <Face seed={session.bot_id} tint={bot?.tint} className="size-7" />
              <span className="min-w-0 flex-1 leading-tight">
                <span className="block truncate">{session.title}</span>
                <span className="block truncate text-muted text-sm">
                  {t("trash.deletedAt", {
                    date: intl.formatDate(session.deleted_at, { day: "numeric", month: "long" }),
                  })}
                </span>
              </span>
              <Button size="small" icon={Undo2} onClick={() => onRestore(session)}>
                {t("trash.restore")}
              </Button>
              <IconButton
                icon={Trash2}
                label={t("trash.purge.label", { title: session.title })}
                onClick={() => onPurge(session)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
