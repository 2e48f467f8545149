import { ArrowDown, ArrowUp, Check, CornerDownRight, ListPlus, Pencil, X } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import type { QueuedMessage } from "@/backend/types";
import { useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { isImeKey } from "@/keyboard/ime";
import { IconButton } from "@/ui/Button";
import type { ConversationStore, Pending } from "../store";

/** Messages that wait: each can be edited, moved and taken out, all by button and by keyboard. */
export const Queue = memo(function Queue(props: {
  store: ConversationStore;
  queue: readonly QueuedMessage[];
  pending: readonly Pending[];
}) {
  const t = useT();
  const showError = useErrorToast();
  const { store, queue } = props;
  const coming = props.pending.filter((p) => p.delivery && !p.unsure);
  const [editing, setEditing] = useState<string | null>(null);
  if (queue.length + coming.length === 0) return null;
  const run = (work: Promise<void>) => void work.catch(showError);
  /** Moves to a place of the list as it is shown. */
  const move = (index: number, by: 1 | -1) => {
    const moved = queue[index];
    if (!moved) return;
    run(store.moveQueued(moved.id, by < 0 ? queue[index - 1]?.id : queue[index + 2]?.id));
  };
  return (
    <section
      aria-label={t("conversation.queued")}
      className="mb-1.5 max-h-[30vh] overflow-y-auto rounded border border-line bg-sunken"
    >
      <ol>
        {queue.map((queued, index) => (
          <QueuedLine
            key={queued.id}
            queued={queued}
            editing={editing === queued.id}
            first={index === 0}
            last={index === queue.length - 1}
            onEdit={() => setEditing(queued.id)}
            onSave={(text) => {
              setEditing(null);
              if (text.trim() && text !== queued.message.text) run(store.editQueued(queued.id, text));
            }}
            onCancel={() => setEditing(null)}
            onMove={(by) => move(index, by)}
            onRemove={() => run(store.removeQueued(queued.id))}
          />
        ))}
        {coming.map((pending) => (
          <li key={pending.id} className="flex min-h-9 items-center gap-2 px-3 text-faint text-sm">
            <ListPlus aria-hidden className="size-4 shrink-0" />
            <span className="min-w-0 truncate">{pending.text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
});

interface LineProps {
  queued: QueuedMessage;
  editing: boolean;
  first: boolean;
  last: boolean;
  onEdit(): void;
  onSave(text: string): void;
  onCancel(): void;
  onMove(by: 1 | -1): void;
  onRemove(): void;
}

function QueuedLine({ queued, editing, first, last, onEdit, onSave, onCancel, onMove, onRemove }: LineProps) {
  const t = useT();
  const { text, requested_delivery } = queued.message;
  const steers = requested_delivery === "steer";
  const Icon = steers ? CornerDownRight : ListPlus;
  const edit = useRef<HTMLButtonElement>(null);
  const was = useRef(editing);
  useEffect(() => {
    // The focus comes back to where it was.
    if (was.current && !editing) edit.current?.focus();
    was.current = editing;
  }, [editing]);
  if (editing) return <EditLine text={text} onSave={onSave} onCancel={onCancel} />;
  return (
    <li className="flex min-h-9 items-center gap-2 border-line px-3 text-sm not-first:border-t">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="shrink-0 text-faint text-xs">
        {t(steers ? "conversation.queued.steer" : "conversation.queued.next")}
      </span>
      <span className="min-w-0 flex-1 truncate" title={text.slice(0, 500)}>
        {text}
      </span>
      <span className="flex shrink-0">
        <IconButton
          size="small"
          icon={ArrowUp}
          label={t("conversation.queued.up")}
          disabled={first}
          onClick={() => onMove(-1)}
        />
        <IconButton
          size="small"
          icon={ArrowDown}
          label={t("conversation.queued.down")}
          disabled={last}
          onClick={() => onMove(1)}
        />
        <IconButton ref={edit} size="small" icon={Pencil} label={t("conversation.queued.edit")} onClick={onEdit} />
        <IconButton size="small" icon={X} label={t("conversation.queued.remove")} onClick={onRemove} />
      </span>
    </li>
  );
}

function EditLine({ text, onSave, onCancel }: { text: string; onSave(text: string): void; onCancel(): void }) {
  const t = useT();
  const [value, setValue] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <li className="flex items-end gap-1 border-line p-1.5 not-first:border-t">
      <textarea
        ref={field}
        aria-label={t("conversation.queued.edit")}
        value={value}
        rows={Math.min(6, value.split("\n").length)}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (isImeKey(event)) return;
          if (event.key === "Escape") {
            event.stopPropagation();
            onCancel();
          } else if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            onSave(value);
          }
        }}
        className="min-w-0 flex-1 resize-none rounded border border-line-strong bg-raised px-2.5 py-1.5 text-sm"
      />
      <IconButton size="small" icon={Check} label={t("conversation.save")} onClick={() => onSave(value)} />
      <IconButton size="small" icon={X} label={t("common.cancel")} onClick={onCancel} />
    </li>
  );
}
