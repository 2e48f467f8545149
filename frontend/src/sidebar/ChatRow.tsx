import { CircleAlert, Ellipsis, Hand, LoaderCircle, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { type KeyboardEvent, type RefCallback, useEffect, useRef, useState } from "react";
import { Link, paths } from "@/app/router";
import type { Bot, Session } from "@/backend/types";
import { useT } from "@/i18n";
import { isImeKey } from "@/keyboard/ime";
import { IconButton } from "@/ui/Button";
import { cx } from "@/ui/cx";
import { Face } from "@/ui/Face";
import { ContextMenu, Menu, type MenuItem } from "@/ui/Menu";

export interface ChatRowProps {
  session: Session;
  bot: Bot | undefined;
  open: boolean;
  tabStop: boolean;
  renaming: boolean;
  onRename(on: boolean): void;
  onRenamed(title: string): void;
  onPin(): void;
  onDelete(): void;
  onOpen(): void;
  onFocus(): void;
  onKeyDown(event: KeyboardEvent): void;
  linkRef: RefCallback<HTMLAnchorElement>;
}

/** One conversation: its Bot's face, its title, what is going on in it, and its menu. */
export function ChatRow(props: ChatRowProps) {
  const t = useT();
  const { session, bot, open, renaming } = props;
  const items: MenuItem[] = [
    { id: "rename", label: t("chats.rename"), icon: Pencil, hint: "F2", run: () => props.onRename(true) },
    session.pinned
      ? { id: "pin", label: t("chats.unpin"), icon: PinOff, run: props.onPin }
      : { id: "pin", label: t("chats.pin"), icon: Pin, run: props.onPin },
    "separator",
    { id: "delete", label: t("chats.delete"), icon: Trash2, danger: true, hint: t("key.delete"), run: props.onDelete },
  ];
  if (renaming)
    return (
      <RenameField
        title={session.title}
        onDone={(title) => {
          props.onRename(false);
          if (title !== null) props.onRenamed(title);
        }}
      />
    );
  return (
    <ContextMenu items={items}>
      <div className={cx("group relative flex h-full items-center rounded", open ? "bg-active" : "hover:bg-hover")}>
        <Link
          to={paths.chat(session.id)}
          ref={props.linkRef}
          tabIndex={props.tabStop ? 0 : -1}
          aria-current={open ? "page" : undefined}
          onFocus={props.onFocus}
          onKeyDown={props.onKeyDown}
          title={session.title}
          className="flex h-full min-w-0 flex-1 items-center gap-2.5 rounded pr-2 pl-2 focus-visible:-outline-offset-2"
        >
          <Face seed={session.bot_id} tint={bot?.tint} className="size-5" />
          <span className="min-w-0 flex-1 truncate">{session.title}</span>
          <State session={session} />
        </Link>
        <span className="w-0 overflow-hidden focus-within:w-auto focus-within:pr-0.5 group-hover:w-auto group-hover:pr-0.5 has-data-[state=open]:w-auto has-data-[state=open]:pr-0.5">
          <Menu items={items}>
            <IconButton
              size="small"
              icon={Ellipsis}
              label={t("chats.menu", { title: session.title })}
              tabIndex={props.tabStop ? 0 : -1}
            />
          </Menu>
        </span>
      </div>
    </ContextMenu>
  );
}

function State({ session }: { session: Session }) {
  const t = useT();
  if (session.activity === "awaiting_approval") {
    return <Hand role="img" aria-label={t("chats.state.waiting")} className="size-4 shrink-0 text-warning" />;
  }
  if (session.activity === "running") {
    return (
      <LoaderCircle
        role="img"
        aria-label={t("chats.state.running")}
        className="size-4 shrink-0 animate-spin text-muted"
      />
    );
  }
  if (session.last_outcome === "failed") {
    return <CircleAlert role="img" aria-label={t("chats.state.failed")} className="size-4 shrink-0 text-danger" />;
  }
  return null;
}

function RenameField({ title, onDone }: { title: string; onDone(title: string | null): void }) {
  const t = useT();
  const [value, setValue] = useState(title);
  const input = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useEffect(() => {
    // After the menu that began it has given its focus back.
    const timer = setTimeout(() => {
      input.current?.focus();
      input.current?.select();
    });
    return () => clearTimeout(timer);
  }, []);
  const finish = (result: string | null) => {
    if (done.current) return;
    done.current = true;
    onDone(result);
  };
  return (
    <input
      ref={input}
      value={value}
      maxLength={256}
      aria-label={t("chats.rename.label")}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => finish(value)}
      onKeyDown={(event) => {
        if (isImeKey(event)) return;
        event.stopPropagation();
        if (event.key === "Enter") finish(value);
        if (event.key === "Escape") finish(null);
      }}
      className="h-full w-full rounded border border-focus bg-raised px-2"
    />
  );
}
