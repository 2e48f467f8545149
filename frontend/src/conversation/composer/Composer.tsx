import { Square, X } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { useBots, useSettings } from "@/backend";
import type { QueuedMessage } from "@/backend/types";
import { useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { Button, IconButton } from "@/ui/Button";
import { cx } from "@/ui/cx";
import { toast } from "@/ui/toast";
import { type DraftStore, isEmpty, messageOf } from "../drafts";
import { newId } from "../ids";
import { parseCommand } from "./commands";
import { complete, type Suggestion, type Trigger, triggerAt } from "./completion";
import { composerAction } from "./keys";
import { PasteChips } from "./PasteChips";
import { bytesOf, isLongPaste, MESSAGE_BYTES } from "./pastes";
import { type Delivery, IconSend, SplitSend } from "./SendButtons";
import { optionId, Suggestions } from "./Suggestions";
import { useSuggestions } from "./useSuggestions";

export interface ComposerHandle {
  focus(): void;
}

export interface ComposerProps {
  draft: DraftStore;
  label: string;
  placeholder: string;
  /** The conversation whose files @ completes; without one there are no files and fewer commands. */
  sessionId?: string;
  running: boolean;
  stopping?: boolean;
  /** What a message does while a turn runs, unless the person says otherwise. */
  delivery: Delivery;
  queue: readonly QueuedMessage[];
  /** Rejects when the message was refused; then its text comes back. */
  onSend(text: string, delivery?: Delivery): Promise<void>;
  onStop(): void;
  onCommand(name: string, argument: string): void;
  onEditQueued?(id: string, text: string): Promise<void>;
  /** Stands at the left of the buttons. */
  start?: ReactNode;
  ref?: React.Ref<ComposerHandle>;
}

const sizesItself = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");

/** A field that is as high as its text. */
function useGrowth(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || sizesItself || text === undefined) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}

export function Composer(props: ComposerProps) {
  const { draft, running, queue, onSend, onCommand } = props;
  const t = useT();
  const showError = useErrorToast();
  const sendKey = useSettings().data?.send_key ?? "enter";
  const bots = useBots().data ?? NO_BOTS;
  const { text, pastes } = useSyncExternalStore(draft.subscribe, draft.get);
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  const [chosen, setChosen] = useState(0);
  const [editing, setEditing] = useState<string | null>(null);
  const plainPaste = useRef(false);
  const caretAfter = useRef<number | null>(null);
  useGrowth(field, text);
  useImperativeHandle(props.ref, () => ({ focus: () => field.current?.focus() }), []);

  const suggestions = useSuggestions(trigger, bots, props.sessionId);
  const open = trigger !== null && suggestions.length > 0;

  const look = useCallback(() => {
    const element = field.current;
    if (!element) return;
    const found =
      element.selectionStart === element.selectionEnd ? triggerAt(element.value, element.selectionStart) : null;
    setTrigger((before) =>
      before?.kind === found?.kind && before?.query === found?.query && before?.start === found?.start ? before : found,
    );
    setChosen(0);
  }, []);

  useLayoutEffect(() => {
    if (caretAfter.current === null || !field.current) return;
    field.current.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = null;
    look();
  });

  const stopEditing = () => {
    setEditing(null);
    draft.set({ text: "" });
  };

  // What was being edited may be taken by the Bot meanwhile; the words stay as a draft.
  useEffect(() => {
    if (editing && !queue.some((queued) => queued.id === editing)) setEditing(null);
  }, [editing, queue]);

  const send = (delivery?: Delivery) => {
    if (isEmpty(draft.get())) return;
    const message = messageOf(draft.get());
    const command = pastes.length === 0 ? parseCommand(message, props.sessionId !== undefined) : null;
    if (command) {
      draft.set({ text: "" });
      setTrigger(null);
      onCommand(command.command.name, command.argument);
      return;
    }
    if (bytesOf(message) > MESSAGE_BYTES) {
      toast({ kind: "error", text: t("conversation.tooLong"), detail: t("conversation.tooLong.next") });
      return;
    }
    const taken = draft.take();
    setTrigger(null);
    const sent = editing && props.onEditQueued ? props.onEditQueued(editing, message) : onSend(message, delivery);
    setEditing(null);
    sent.catch((reason) => {
      draft.restore(taken);
      showError(reason);
      field.current?.focus();
    });
  };

  const choose = (suggestion: Suggestion) => {
    if (!trigger) return;
    const done = complete(text, trigger, suggestion.insert);
    draft.set({ text: done.text });
    caretAfter.current = done.caret;
    field.current?.focus();
    if (suggestion.kind === "command" && !suggestion.insert.endsWith(" ")) {
      draft.set({ text: "" });
      setTrigger(null);
      onCommand(suggestion.insert.slice(1), "");
    }
  };

  const other: Delivery = props.delivery === "steer" ? "queue" : "steer";

  const inSuggestions = (event: KeyboardEvent): boolean => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) setChosen((chosen + step + suggestions.length) % suggestions.length);
    else if (event.key === "Escape") setTrigger(null);
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey)) {
      const suggestion = suggestions[chosen];
      if (suggestion) choose(suggestion);
    } else return false;
    return true;
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    plainPaste.current = (event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === "v";
    const action = composerAction(event, { sendKey, empty: text === "", queued: queue.length });
    if (open && (action !== null || /^(Tab|Arrow(Up|Down))$/.test(event.key)) && inSuggestions(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    switch (action) {
      case "send":
        event.preventDefault();
        return send(running ? props.delivery : undefined);
      case "sendOther":
        event.preventDefault();
        return send(running ? other : undefined);
      case "editQueued": {
        const last = queue.at(-1);
        if (!last || !props.onEditQueued) return;
        event.preventDefault();
        setEditing(last.id);
        draft.set({ text: last.message.text });
        caretAfter.current = last.message.text.length;
        return;
      }
      case "escape":
        if (!editing) return;
        event.preventDefault();
        event.stopPropagation();
        return stopEditing();
    }
  };

  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData("text/plain");
    if (plainPaste.current || !isLongPaste(pasted)) return;
    event.preventDefault();
    draft.set({ pastes: [...draft.get().pastes, { id: newId(), text: pasted }] });
  };

  const empty = isEmpty({ text, pastes });
  return (
    <div className="relative">
      {open && (
        <Suggestions id={listId} suggestions={suggestions} chosen={chosen} onChoose={choose} onPoint={setChosen} />
      )}
      <div className="composer rounded border border-line-strong/70 bg-raised shadow-low transition-colors focus-within:border-focus">
        {editing && (
          <div className="flex items-center gap-2 border-line border-b py-1 pr-1.5 pl-3.5 text-muted text-sm">
            <span className="flex-1">{t("conversation.editing")}</span>
            <IconButton
              size="small"
              icon={X}
              label={t("conversation.editing.cancel")}
              hint="Esc"
              onClick={stopEditing}
            />
          </div>
        )}
        <PasteChips draft={draft} pastes={pastes} />
        <div className={props.start ? undefined : "flex items-end"}>
          <textarea
            ref={field}
            rows={1}
            value={text}
            aria-label={props.label}
            aria-autocomplete="list"
            aria-controls={open ? listId : undefined}
            aria-activedescendant={open ? optionId(listId, chosen) : undefined}
            placeholder={props.placeholder}
            enterKeyHint={sendKey === "enter" ? "send" : "enter"}
            onChange={(event) => {
              draft.set({ text: event.target.value });
              look();
            }}
            onSelect={look}
            onBlur={() => setTrigger(null)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            className={cx(
              "composer-field block max-h-[38vh] w-full min-w-0 flex-1 resize-none bg-transparent px-3.5 leading-relaxed outline-none",
              props.start ? "pt-2.5 pb-1" : "py-2.5",
            )}
          />
          <div className={cx("flex shrink-0 items-center gap-1.5", props.start ? "p-1.5 pl-2.5" : "p-2")}>
            {props.start && <div className="flex min-w-0 flex-1 items-center gap-1.5">{props.start}</div>}
            {running && (
              <Button
                size="small"
                icon={Square}
                busy={props.stopping}
                onClick={props.onStop}
                title={t("conversation.stop.keys")}
                aria-keyshortcuts="Escape Escape"
              >
                {t("conversation.stop")}
              </Button>
            )}
            {running && !editing ? (
              <SplitSend empty={empty} delivery={props.delivery} sendKey={sendKey} onSend={send} />
            ) : (
              <IconSend
                empty={empty}
                label={t(editing ? "conversation.save" : "conversation.send")}
                onSend={() => send()}
              />
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

const NO_BOTS: never[] = [];
