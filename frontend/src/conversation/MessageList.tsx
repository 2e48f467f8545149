import { ArrowDown } from "lucide-react";
import {
  type MouseEvent,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { onCopy } from "@/markdown";
import { Face } from "@/ui/Face";
import { Skeleton } from "@/ui/parts";
import { useActions } from "./context";
import { Follow } from "./follow";
import { useFormats } from "./format";
import { guessHeight, labelOfRow, renderRow } from "./parts/Part";
import { keepPlace, keptPlace, type Place } from "./places";
import { type Row, RowBuilder } from "./rows";
import type { Conversation } from "./state";
import type { ConversationStore, Pending } from "./store";
import { useView } from "./useConversation";
import { type Anchor, VirtualList, type VirtualListHandle } from "./VirtualList";

export interface MessageListHandle {
  toEnd(): void;
}

/** Turns that are read at once to get back to a place that was kept, and how often at most. */
const REACH_TURNS = 200;
const REACH_TIMES = 10;

/** Reads older pages until the place is in the conversation. The list is drawn after it, at once in the right place. */
function useReach(store: ConversationStore, place: Place | null): boolean {
  const [there, setThere] = useState(place === null);
  useEffect(() => {
    if (there || !place) return;
    let current = true;
    void (async () => {
      for (let i = 0; current && i < REACH_TIMES; i++) {
        const { conversation } = store.get();
        const first = conversation?.turns[0]?.seq ?? 0;
        if (!conversation || conversation.before === 0 || first <= place.seq) break;
        try {
          await store.loadOlder(REACH_TURNS);
        } catch {
          break;
        }
      }
      if (current) setThere(true);
    })();
    return () => {
      current = false;
    };
  }, [store, place, there]);
  return there;
}

/** The sequence of the turn that a row belongs to: where to read from to find it again. */
function seqOf(conversation: Conversation, rows: readonly Row[], key: string): number {
  const turn = conversation.turns.find(
    (t) =>
      key.startsWith(`${t.id}:`) || t.entries.some((e) => e.kind === "message" && key === `m:${e.message.id ?? e.seq}`),
  );
  if (turn) return turn.seq;
  return rows.length > 0 ? (conversation.turns[0]?.seq ?? 0) : 0;
}

/** How many things came to the end since it was left. */
function useUnseen(conversation: Conversation, following: boolean): number {
  const seen = useRef(conversation.lastSeq);
  if (following) seen.current = conversation.lastSeq;
  return useMemo(() => {
    let count = 0;
    for (let i = conversation.turns.length - 1; i >= 0; i--) {
      const turn = conversation.turns[i];
      if (!turn) break;
      for (const entry of turn.entries) if (entry.seq > seen.current) count++;
      if (turn.seq <= seen.current) break;
    }
    return count;
  }, [conversation.turns]);
}

interface Props {
  store: ConversationStore;
  conversation: Conversation;
  pending: readonly Pending[];
  ref?: React.Ref<MessageListHandle>;
}

/** The messages, at their end or where the person was. */
export function MessageList(props: Props) {
  const [place] = useState(() => keptPlace(props.store.id));
  const there = useReach(props.store, place);
  const t = useT();
  const { bot } = useActions();
  if (!there) return <Loading />;
  if (props.conversation.turns.length + props.pending.length === 0) {
    return (
      <div className="flex min-h-0 flex-1 flex-col items-center justify-center gap-3 overflow-y-auto px-6 text-center">
        <Face seed={bot?.id ?? ""} tint={bot?.tint} className="size-11" />
        <p className="text-muted">{t("conversation.empty", { bot: bot?.name ?? "" })}</p>
      </div>
    );
  }
  return <Messages {...props} place={place} />;
}

export function Loading() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200);
    return () => clearTimeout(timer);
  }, []);
  // What is there at once needs no stand-in that flashes up.
  if (!late) return null;
  return (
    <div className="mx-auto flex max-w-192 flex-col gap-4 px-6 py-8">
      <Skeleton className="h-10 w-2/5 self-end" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="h-4 w-11/12" />
      <Skeleton className="h-4 w-3/5" />
    </div>
  );
}

function Messages({ store, conversation, pending, place, ref }: Props & { place: Place | null }) {
  const t = useT();
  const { bot } = useActions();
  const showError = useErrorToast();
  const list = useRef<VirtualListHandle>(null);
  const [follow] = useState(() => {
    const made = new Follow();
    if (place) made.hold();
    return made;
  });
  const [builder] = useState(() => new RowBuilder());
  const rows = useMemo(() => builder.rows(conversation, pending), [builder, conversation, pending]);
  const following = useSyncExternalStore(follow.subscribe, follow.get);
  const unseen = useUnseen(conversation, following);
  const loadingOlder = useView(store, (view) => view.loadingOlder);
  const latest = useRef({ conversation, rows });
  latest.current = { conversation, rows };
  const failedOlder = useRef(0);

  const toEnd = useCallback(() => {
    list.current?.toEnd();
    keepPlace(store.id, null);
  }, [store]);
  useImperativeHandle(ref, () => ({ toEnd }), [toEnd]);

  const onNearStart = useCallback(() => {
    if (Date.now() - failedOlder.current < 3000) return;
    void store.loadOlder().catch((reason) => {
      failedOlder.current = Date.now();
      showError(reason);
    });
  }, [store, showError]);

  const keep = useCallback(
    (anchor: Anchor | null) => {
      const now = latest.current;
      keepPlace(store.id, anchor && { ...anchor, seq: seqOf(now.conversation, now.rows, anchor.key) });
    },
    [store],
  );
  useEffect(() => {
    const leave = () => list.current && keep(list.current.anchor());
    window.addEventListener("pagehide", leave);
    return () => window.removeEventListener("pagehide", leave);
  }, [keep]);

  const turns = conversation.turns.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at once for each turn
  useEffect(() => {
    if (follow.following) store.trim();
  }, [turns]);

  const name = bot?.name ?? "";
  // Who opens a card wants to read it where it is.
  const onOpen = (event: MouseEvent) => {
    const button = event.target instanceof Element ? event.target.closest("button[aria-expanded]") : null;
    if (button && !button.hasAttribute("aria-haspopup")) list.current?.hold();
  };
  const labelOf = useCallback((row: Row) => labelOfRow(t, name, row), [t, name]);
  return (
    <div className="relative min-h-0 flex-1" onCopy={(event) => onCopy(event)} onClickCapture={onOpen}>
      <VirtualList
        ref={list}
        rows={rows}
        guess={guessHeight}
        render={renderRow}
        labelOf={labelOf}
        label={t("conversation.list")}
        follow={follow}
        start={place}
        onNearStart={onNearStart}
        onRest={keep}
        before={
          loadingOlder ? <p className="pt-3 text-center text-faint text-sm">{t("conversation.loadingOlder")}</p> : null
        }
      />
      {!following && <JumpPill unseen={unseen} onJump={toEnd} />}
    </div>
  );
}

function JumpPill({ unseen, onJump }: { unseen: number; onJump(): void }) {
  const t = useT();
  const formats = useFormats();
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2.5 flex justify-center">
      <button
        type="button"
        onClick={onJump}
        className="pointer-events-auto flex h-8 animate-fade items-center gap-1.5 rounded-full border border-line bg-raised px-3.5 text-sm shadow-high transition-colors hover:bg-hover"
      >
        <ArrowDown aria-hidden className="size-4 text-muted" />
        {unseen > 0
          ? t("conversation.unseen", { count: unseen, shown: formats.number(unseen) })
          : t("conversation.toEnd")}
      </button>
    </div>
  );
}
