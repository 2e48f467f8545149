import { Ellipsis, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useState } from "react";
import { Slot } from "@/app/slots";
import type { Session } from "@/backend/types";
import { useT } from "@/i18n";
import { isImeKey } from "@/keyboard/ime";
import { useChatActions } from "@/sidebar/useChatActions";
import { IconButton } from "@/ui/Button";
import { Menu } from "@/ui/Menu";

/** The name of the conversation in the bar above it, and what can be done with the whole of it. */
export function Title({ session }: { session: Session }) {
  const t = useT();
  const { rename, pin, remove } = useChatActions();
  const [editing, setEditing] = useState(false);
  const title = session.title || t("conversation.untitled");
  return (
    <>
      <Slot name="title">
        {editing ? (
          <TitleField
            title={session.title}
            onDone={(next) => {
              setEditing(false);
              if (next !== null) void rename(session, next);
            }}
          />
        ) : (
          <h1 className="min-w-0 truncate font-semibold" title={title}>
            {title}
          </h1>
        )}
      </Slot>
      <Slot name="actions">
        <Menu
          items={[
            { id: "rename", label: t("conversation.rename"), icon: Pencil, run: () => setEditing(true) },
            {
              id: "pin",
              label: t(session.pinned ? "conversation.unpin" : "conversation.pin"),
              icon: session.pinned ? PinOff : Pin,
              run: () => void pin(session),
            },
            "separator",
            {
              id: "delete",
              label: t("conversation.delete"),
              icon: Trash2,
              danger: true,
              run: () => void remove(session),
            },
          ]}
        >
          <IconButton icon={Ellipsis} label={t("conversation.menu")} />
        </Menu>
      </Slot>
    </>
  );
}

function TitleField({ title, onDone }: { title: string; onDone(next: string | null): void }) {
  const t = useT();
  const [value, setValue] = useState(title);
  return (
    <input
      aria-label={t("conversation.rename")}
      value={value}
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => onDone(value)}
      onKeyDown={(event) => {
        if (isImeKey(event)) return;
        if (event.key === "Enter") onDone(value);
        if (event.key === "Escape") {
          event.stopPropagation();
          onDone(null);
        }
      }}
      className="h-8 w-full max-w-120 rounded border border-line-strong bg-raised px-2 font-semibold"
    />
  );
}
