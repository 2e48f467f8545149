import { ArrowLeft, ArrowRight, PanelLeft, PanelRight } from "lucide-react";
import { useT } from "@/i18n";
import { comboParts } from "@/keyboard/shortcuts";
import { IconButton } from "@/ui/Button";
import { useLayout } from "./layout";
import { goBack, goForward, useHistory } from "./router";
import { SlotTarget, useSlotFilled } from "./slots";

export const combos = {
  search: "mod+k",
  newChat: "mod+n",
  sidebar: "mod+b",
  inspector: "mod+alt+b",
  back: "alt+ArrowLeft",
  forward: "alt+ArrowRight",
  settings: "mod+,",
  sheet: "?",
};

export const comboText = (combo: string) => comboParts(combo).join("\u2009");

/** The line above the open view: the view itself fills its title and its actions. */
export function TopBar({ sidebarShown, onOpenSidebar }: { sidebarShown: boolean; onOpenSidebar(): void }) {
  const t = useT();
  const history = useHistory();
  const hasInspector = useSlotFilled("inspector");
  const { inspectorOpen, toggleInspector } = useLayout();
  return (
    <header className="flex h-12 shrink-0 select-none items-center gap-1 border-b px-2.5">
      {!sidebarShown && (
        <IconButton
          icon={PanelLeft}
          label={t("app.sidebar.show")}
          hint={comboText(combos.sidebar)}
          onClick={onOpenSidebar}
        />
      )}
      <IconButton
        icon={ArrowLeft}
        label={t("app.back")}
        hint={comboText(combos.back)}
        disabled={!history.back}
        onClick={goBack}
      />
      <IconButton
        icon={ArrowRight}
        label={t("app.forward")}
        hint={comboText(combos.forward)}
        disabled={!history.forward}
        onClick={goForward}
      />
      <SlotTarget name="title" className="flex min-w-0 flex-1 items-center px-1.5" />
      <SlotTarget name="actions" className="flex shrink-0 items-center gap-1" />
      {hasInspector && (
        <IconButton
          icon={PanelRight}
          label={t(inspectorOpen ? "app.inspector.hide" : "app.inspector.show")}
          hint={comboText(combos.inspector)}
          aria-pressed={inspectorOpen}
          onClick={toggleInspector}
        />
      )}
    </header>
  );
}
