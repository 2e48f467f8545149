import { ArrowUp, ChevronDown, CornerDownRight, ListPlus } from "lucide-react";
import { useT } from "@/i18n";
import { isMac } from "@/keyboard/shortcuts";
import { Button } from "@/ui/Button";
import { Menu } from "@/ui/Menu";

/** What becomes of a message that is sent while a turn runs. */
export type Delivery = "steer" | "queue";

/** Sends; nothing runs. */
export function IconSend({ empty, label, onSend }: { empty: boolean; label: string; onSend(): void }) {
  return (
    <Button
      kind="primary"
      size="small"
      className="w-8 px-0!"
      aria-label={label}
      title={label}
      disabled={empty}
      onClick={onSend}
    >
      <ArrowUp aria-hidden className="size-4.5 shrink-0" />
    </Button>
  );
}

/** While a turn runs: what sending does now, and beside it the other way. */
export function SplitSend(props: {
  empty: boolean;
  delivery: Delivery;
  sendKey: string;
  onSend(delivery: Delivery): void;
}) {
  const t = useT();
  const { delivery, empty, sendKey, onSend } = props;
  const other: Delivery = delivery === "steer" ? "queue" : "steer";
  const icon = { steer: CornerDownRight, queue: ListPlus };
  const mod = isMac ? "⌘" : t("conversation.key.ctrl");
  const keys = sendKey === "mod_enter" ? [`${mod} ↵`, `${mod} ⇧ ↵`] : ["↵", `${mod} ↵`];
  const item = (what: Delivery, hint: string | undefined) => ({
    id: what,
    label: t(what === "steer" ? "conversation.steer" : "conversation.queue"),
    icon: icon[what],
    hint,
    disabled: empty,
    run: () => onSend(what),
  });
  return (
    <span className="flex">
      <Button
        kind="primary"
        size="small"
        icon={icon[delivery]}
        disabled={empty}
        title={t(delivery === "steer" ? "conversation.steer.text" : "conversation.queue.text")}
        className="rounded-r-none"
        onClick={() => onSend(delivery)}
      >
        {t(delivery === "steer" ? "conversation.steer" : "conversation.queue")}
      </Button>
      <Menu side="top" items={[item(delivery, keys[0]), item(other, keys[1])]}>
        <Button
          kind="primary"
          size="small"
          className="ml-px w-6.5 rounded-l-none px-0!"
          aria-label={t("conversation.sendHow")}
        >
          <ChevronDown aria-hidden className="size-4 shrink-0" />
        </Button>
      </Menu>
    </span>
  );
}
