import { Bot, Keyboard, PanelLeftClose, Search, Settings, SquarePen, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { useSheet } from "@/app/palette";
import { Link, navigate, paths, usePath } from "@/app/router";
import { combos, comboText } from "@/app/TopBar";
import { useT } from "@/i18n";
import { IconButton } from "@/ui/Button";
import { cx } from "@/ui/cx";
import { Keys } from "@/ui/parts";
import { BotStrip } from "./BotStrip";
import { ChatList } from "./ChatList";

const ROW =
  "flex h-8.5 w-full items-center gap-2.5 rounded px-2 text-left text-text transition-colors hover:bg-hover aria-[current=page]:bg-active";

function Row(props: {
  icon: typeof Bot;
  label: string;
  to?: string;
  onClick?(): void;
  current?: boolean;
  end?: ReactNode;
}) {
  const Icon = props.icon;
  const inside = (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">{props.label}</span>
      {props.end}
    </>
  );
  if (props.to) {
    return (
      <Link to={props.to} className={ROW} aria-current={props.current ? "page" : undefined}>
        {inside}
      </Link>
    );
  }
  return (
    <button type="button" className={ROW} onClick={props.onClick}>
      {inside}
    </button>
  );
}

export function Sidebar({ onHide, onSearch }: { onHide(): void; onSearch(): void }) {
  const t = useT();
  const path = usePath();
  const setSheet = useSheet((s) => s.setOpen);
  return (
    <div className="flex h-full select-none flex-col border-r bg-sidebar">
      <div className="flex h-12 shrink-0 items-center gap-1 pr-2 pl-4">
        <span className="min-w-0 flex-1 truncate font-semibold text-md">Mobius</span>
        <IconButton
          icon={PanelLeftClose}
          label={t("app.sidebar.hide")}
          hint={comboText(combos.sidebar)}
          onClick={onHide}
        />
      </div>
      <nav aria-label={t("app.nav")} className="flex shrink-0 flex-col gap-px px-2">
        <Row icon={Search} label={t("app.search")} onClick={onSearch} end={<Keys combo={combos.search} />} />
        <Row
          icon={SquarePen}
          label={t("app.newChat")}
          onClick={() => navigate(paths.newChat())}
          end={<Keys combo={combos.newChat} />}
        />
        <Row icon={Bot} label={t("app.bots")} to={paths.bots} current={path === paths.bots} />
      </nav>
      <BotStrip />
      <ChatList />
      <div className={cx("flex shrink-0 items-center gap-1 border-t px-2 py-1.5")}>
        <div className="min-w-0 flex-1">
          <Row icon={Settings} label={t("app.settings")} to={paths.settings()} current={path.startsWith("/settings")} />
        </div>
        <IconButton
          icon={Trash2}
          label={t("app.trash")}
          aria-current={path === paths.trash ? "page" : undefined}
          onClick={() => navigate(paths.trash)}
        />
        <IconButton icon={Keyboard} label={t("app.shortcuts")} hint="?" onClick={() => setSheet(true)} />
      </div>
    </div>
  );
}
