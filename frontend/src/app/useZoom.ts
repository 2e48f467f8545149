import { useSettings } from "@/backend";
import { useShortcut } from "@/keyboard/shortcuts";
import { FONT_USUAL, fontSize } from "@/settings/fontSize";
import { useSaveSettings } from "@/settings/useSaveSettings";

/** Zooms the desktop window by the font size. A browser zooms by itself with the same keys. */
export function useZoom(): void {
  const size = useSettings().data?.font_size || FONT_USUAL;
  const save = useSaveSettings();
  const disabled = window.mobius?.shell === "serve";
  const group = "app.shortcuts.general";
  const set = (wanted: number) => fontSize(wanted) !== size && void save({ font_size: fontSize(wanted) });
  useShortcut({ id: "zoom-in", combos: ["mod+plus"], label: "app.zoom.in", group, disabled }, () => set(size + 1));
  useShortcut({ id: "zoom-out", combos: ["mod+-"], label: "app.zoom.out", group, disabled }, () => set(size - 1));
  useShortcut({ id: "zoom", combos: ["mod+0"], label: "app.zoom.reset", group, disabled }, () => set(FONT_USUAL));
}
