import { Copy, CornerDownRight, Ellipsis, Pencil, Quote, RefreshCw, RotateCcw } from "lucide-react";
import { memo, useRef, useState } from "react";
import { desktop } from "@/backend";
import { useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { Button, IconButton } from "@/ui/Button";
import { cx } from "@/ui/cx";
import { ContextMenu, Menu, type MenuItem } from "@/ui/Menu";
import { useActions, useOpened } from "../context";
import { useFormats } from "../format";
import type { Row } from "../rows";

/** A message beyond this is folded until it is asked for. */
const LONG_CHARS = 1600;
const LONG_LINES = 16;

function isLong(text: string): boolean {
  if (text.length > LONG_CHARS) return true;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++lines > LONG_LINES) return true;
  return false;
}

/** The beginning of a long text, cut at whole lines. */
function head(text: string): string {
  return text.slice(0, LONG_CHARS).split("\n").slice(0, LONG_LINES).join("\n");
}

/** What is selected within a message, which is then what copying means. */
function selectionIn(element: Element | null): string {
  const selection = document.getSelection();
  const inside = selection && !selection.isCollapsed && element?.contains(selection.anchorNode);
  return inside ? selection.toString() : "";
}

/** What the person, or another Bot, wrote. It is shown as it was typed. */
export const MessageRow = memo(function MessageRow({ row }: { row: Extract<Row, { kind: "message" }> }) {
  const t = useT();
  const formats = useFormats();
  const actions = useActions();
  const showError = useErrorToast();
  const [open, toggle] = useOpened(row.key);
  const { text, author } = row.message;
  const long = isLong(text);
  const bubble = useRef<HTMLDivElement>(null);
  const items: MenuItem[] = [
    {
      id: "copy",
      label: t("conversation.copy"),
      icon: Copy,
      run: () => void desktop.copy(selectionIn(bubble.current) || text).catch(showError),
    },
    { id: "quote", label: t("conversation.quote"), icon: Quote, run: () => actions.quote(text) },
    { id: "again", label: t("conversation.sendAgain"), icon: RotateCcw, run: () => actions.send(text) },
  ];
  return (
    <div className="group flex flex-col items-end pt-5 pb-2">
      {row.steered && (
        <p className="flex items-center gap-1.5 pr-1 pb-1 text-faint text-xs" data-nocopy>
          <CornerDownRight aria-hidden className="size-3" />
          {t("conversation.steered")}
        </p>
      )}
      <div className="flex max-w-[min(85%,38rem)] items-end gap-1">
        {!row.pending && (
          <Menu items={items}>
            <IconButton
              size="small"
              icon={Ellipsis}
              label={t("conversation.messageMenu")}
              className="opacity-0 transition-opacity [@media(hover:none)]:opacity-100 focus-visible:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100"
            />
          </Menu>
        )}
        <ContextMenu items={items}>
          <div
            ref={bubble}
            className={cx(
              "min-w-0 rounded bg-accent-soft px-3.5 py-2 leading-relaxed",
              "whitespace-pre-wrap [overflow-wrap:anywhere] [tab-size:4]",
              row.pending?.unsure && "ring-1 ring-danger",
            )}
            title={formats.moment(row.at)}
          >
            {author === "peer" && <p className="pb-0.5 text-muted text-xs">{t("conversation.peer")}</p>}
            {long && !open ? `${head(text)}…` : text}
          </div>
        </ContextMenu>
      </div>
      {long && (
        <Button kind="quiet" size="small" className="mt-1" aria-expanded={open} onClick={toggle}>
          {open ? t("conversation.showLess") : t("conversation.showAll", { count: formats.number(text.length) })}
        </Button>
      )}
      {row.pending?.unsure && <Unsure row={row} />}
    </div>
  );
});

function Unsure({ row }: { row: Extract<Row, { kind: "message" }> }) {
  const t = useT();
  const actions = useActions();
  const [busy, setBusy] = useState(false);
  const pending = row.pending;
  if (!pending) return null;
  return (
    <div role="alert" className="mt-1.5 flex flex-wrap items-center justify-end gap-2 text-danger text-sm">
      {t("conversation.unsure")}
      <Button
        size="small"
        icon={RefreshCw}
        busy={busy}
        onClick={() => {
          setBusy(true);
          actions.sendAgain(pending);
        }}
      >
        {t("conversation.tryAgain")}
      </Button>
      <Button size="small" kind="quiet" icon={Pencil} onClick={() => actions.takeBack(pending)}>
        {t("conversation.takeBack")}
      </Button>
    </div>
  );
}
