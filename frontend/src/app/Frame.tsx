import { useEffect, useState } from "react";
import { useT } from "@/i18n";
import { useShortcut } from "@/keyboard/shortcuts";
import { Sidebar } from "@/sidebar/Sidebar";
import {
  INSPECTOR_DEFAULT,
  INSPECTOR_MAX,
  INSPECTOR_MIN,
  SIDEBAR_DEFAULT,
  SIDEBAR_MAX,
  SIDEBAR_MIN,
  useLayout,
} from "./layout";
import { usePalette } from "./palette";
import { paneWidth, Resizer } from "./Resizer";
import { goBack, goForward, navigate, paths, usePath } from "./router";
import { ShortcutSheet } from "./ShortcutSheet";
import { screen } from "./screen";
import { SlotTarget, useSlotFilled } from "./slots";
import { combos, TopBar } from "./TopBar";
import { useNarrow } from "./useMedia";
import { useZoom } from "./useZoom";
import { Views } from "./Views";

const Palette = screen(() => import("./Palette").then((m) => m.default));

/** The window: sidebar, the open view with its bars, and the inspector. */
export function Frame() {
  const t = useT();
  const narrow = useNarrow();
  const layout = useLayout();
  const [overlay, setOverlay] = useState(false);
  const path = usePath();
  const palette = usePalette();
  const hasInspector = useSlotFilled("inspector");
  const shown = narrow ? overlay : layout.sidebarOpen;
  const toggle = () => (narrow ? setOverlay(!overlay) : layout.toggleSidebar());

  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes what lies over the page
  useEffect(() => setOverlay(false), [path]);
  useZoom();
  useFrameShortcuts(toggle, palette.open, layout.toggleInspector);

  return (
    <div className="flex h-full">
      <button
        type="button"
        onClick={() => document.getElementById("main")?.focus()}
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-raised focus:px-3 focus:py-2 focus:shadow-high"
      >
        {t("app.skip")}
      </button>
      {shown && (
        <>
          {narrow && (
            <button
              type="button"
              aria-label={t("app.sidebar.hide")}
              className="fixed inset-0 z-20 bg-backdrop"
              onClick={() => setOverlay(false)}
            />
          )}
          <aside
            aria-label={t("app.sidebar")}
            style={{ width: paneWidth(layout.sidebarWidth) }}
            className={
              narrow ? "fixed inset-y-0 left-0 z-30 max-w-[85vw] shadow-high" : "relative max-w-[45vw] shrink-0"
            }
          >
            <Sidebar onHide={toggle} onSearch={palette.open} />
            {!narrow && (
              <Resizer
                label={t("app.sidebar.resize")}
                width={layout.sidebarWidth}
                min={SIDEBAR_MIN}
                max={SIDEBAR_MAX}
                pane="left"
                onResize={layout.setSidebarWidth}
                onReset={() => layout.setSidebarWidth(SIDEBAR_DEFAULT)}
              />
            )}
          </aside>
        </>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar sidebarShown={shown} onOpenSidebar={toggle} />
        <div className="flex min-h-0 flex-1">
          <main id="main" tabIndex={-1} className="min-w-0 flex-1 overflow-hidden">
            <Views />
          </main>
          {hasInspector && layout.inspectorOpen && <Inspector />}
        </div>
        <StatusLine />
      </div>
      {palette.wanted && <Palette />}
      <ShortcutSheet />
    </div>
  );
}

function Inspector() {
  const t = useT();
  const { inspectorWidth, setInspectorWidth } = useLayout();
  return (
    <aside
      aria-label={t("app.inspector")}
      style={{ width: paneWidth(inspectorWidth) }}
      className="relative max-w-[50vw] shrink-0 border-l bg-sidebar"
    >
      <Resizer
        label={t("app.inspector.resize")}
        width={inspectorWidth}
        min={INSPECTOR_MIN}
        max={INSPECTOR_MAX}
        pane="right"
        onResize={setInspectorWidth}
        onReset={() => setInspectorWidth(INSPECTOR_DEFAULT)}
      />
      <SlotTarget name="inspector" className="h-full overflow-hidden" />
    </aside>
  );
}

function StatusLine() {
  const filled = useSlotFilled("status");
  return (
    <footer className={filled ? "shrink-0 border-t px-3.5 py-1 text-muted text-sm" : "hidden"}>
      <SlotTarget name="status" className="flex min-h-5 items-center gap-4" />
    </footer>
  );
}

function useFrameShortcuts(toggleSidebar: () => void, search: () => void, toggleInspector: () => void) {
  const group = "app.shortcuts.general";
  const place = "app.shortcuts.places";
  useShortcut({ id: "search", combos: [combos.search], label: "app.search", group }, search);
  useShortcut({ id: "new-chat", combos: [combos.newChat], label: "app.newChat", group }, () =>
    navigate(paths.newChat()),
  );
  useShortcut({ id: "sidebar", combos: [combos.sidebar], label: "app.sidebar.toggle", group }, toggleSidebar);
  useShortcut({ id: "inspector", combos: [combos.inspector], label: "app.inspector.toggle", group }, toggleInspector);
  useShortcut({ id: "settings", combos: [combos.settings], label: "app.settings", group: place }, () =>
    navigate(paths.settings()),
  );
  useShortcut({ id: "back", combos: [combos.back], label: "app.back", group: place }, goBack);
  useShortcut({ id: "forward", combos: [combos.forward], label: "app.forward", group: place }, goForward);
}
