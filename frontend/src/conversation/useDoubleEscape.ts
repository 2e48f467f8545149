import { useEffect, useRef } from "react";
import { isImeKey } from "@/keyboard/ime";
import { useShortcutList } from "@/keyboard/shortcuts";

const WITHIN_MS = 1200;

const somethingOpen = () =>
  document.querySelector(
    '[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"], [role="menu"], [role="listbox"]',
  ) !== null;

/** Escape, twice in short order, anywhere in the page. What closes something else with Escape comes first. */
export function useDoubleEscape(active: boolean, onFirst: () => void, onSecond: () => void): void {
  const run = useRef({ onFirst, onSecond });
  useEffect(() => {
    run.current = { onFirst, onSecond };
  });
  const list = useShortcutList((state) => state.list);
  useEffect(
    () => list({ id: "stop", combos: ["Escape+Escape"], label: "conversation.stop", group: "conversation.shortcuts" }),
    [list],
  );
  useEffect(() => {
    if (!active) return;
    let last = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.repeat || event.defaultPrevented || isImeKey(event) || somethingOpen())
        return;
      const now = performance.now();
      if (now - last <= WITHIN_MS) {
        last = Number.NEGATIVE_INFINITY;
        run.current.onSecond();
      } else {
        last = now;
        run.current.onFirst();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [active]);
}
