import { useEffect, useRef } from "react";
import { create } from "zustand";
import { isImeKey } from "./ime";

/** A key combination such as "mod+k", "?", "alt+ArrowLeft"; mod is Cmd on a Mac and Ctrl elsewhere. */
export type Combo = string;

export interface ShortcutInfo {
  id: string;
  combos: Combo[];
  /** Catalogue ids of what it does and of the heading that it stands under in the sheet. */
  label: string;
  group: string;
}

interface ShortcutState {
  listed: Map<string, ShortcutInfo>;
  list(info: ShortcutInfo): () => void;
}

/** The shortcuts that work right now, for the sheet. */
export const useShortcutList = create<ShortcutState>((set) => ({
  listed: new Map(),
  list(info) {
    set((state) => ({ listed: new Map(state.listed).set(info.id, info) }));
    return () =>
      set((state) => {
        const listed = new Map(state.listed);
        if (listed.get(info.id) === info) listed.delete(info.id);
        return { listed };
      });
  },
}));

export const isMac = /mac/i.test(navigator.platform);

export function matchesCombo(event: KeyboardEvent, combo: Combo): boolean {
  const parts = combo.split("+");
  // "+" itself would split into empty parts; it is written "plus".
  const key = parts.at(-1) ?? "";
  const wants = (name: string) => parts.includes(name);
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const otherMod = isMac ? event.ctrlKey : event.metaKey;
  if (mod !== wants("mod") || otherMod || event.altKey !== wants("alt")) return false;
  if (key === "plus") return event.key === "+" || event.key === "=";
  // Shift is part of what makes "?" on many layouts, so it counts only where it is named or a letter is meant.
  if (wants("shift") && !event.shiftKey) return false;
  if (!wants("shift") && event.shiftKey && (key.length > 1 || /[a-z0-9]/i.test(key))) return false;
  return event.key.toLowerCase() === key.toLowerCase();
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

const dialogOpen = () =>
  document.querySelector(
    '[role="dialog"][data-state="open"], [role="alertdialog"][data-state="open"], [role="menu"]',
  ) !== null;

export interface ShortcutOptions extends ShortcutInfo {
  /** Works while a dialog is open too. */
  inDialogs?: boolean;
  disabled?: boolean;
}

/**
 * Runs `action` when one of the combinations is pressed, and lists it in the shortcut sheet. Combinations without a
 * modifier do nothing while the person types.
 */
export function useShortcut(options: ShortcutOptions, action: (event: KeyboardEvent) => void): void {
  const { id, label, group, inDialogs, disabled } = options;
  const combos = options.combos.join(" ");
  const run = useRef(action);
  useEffect(() => {
    run.current = action;
  });
  const list = useShortcutList((state) => state.list);
  useEffect(() => {
    if (disabled) return;
    const all = combos.split(" ");
    const unlist = list({ id, combos: all, label, group });
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isImeKey(event)) return;
      const combo = all.find((c) => matchesCombo(event, c));
      if (!combo || (!inDialogs && dialogOpen())) return;
      if (!/mod|alt|F\d/.test(combo) && isTyping(event.target)) return;
      event.preventDefault();
      run.current(event);
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      unlist();
    };
  }, [id, combos, label, group, inDialogs, disabled, list]);
}

const MAC_NAMES: Record<string, string> = { mod: "⌘", alt: "⌥", shift: "⇧" };
const NAMES: Record<string, string> = { mod: "Ctrl", alt: "Alt", shift: "Shift" };
/** Labels of German keyboards. */
const GERMAN: Record<string, string> = { mod: "Strg", shift: "Umschalt", delete: "Entf" };
const KEYS: Record<string, string> = {
  arrowleft: "←",
  arrowright: "→",
  arrowup: "↑",
  arrowdown: "↓",
  escape: "Esc",
  enter: "↵",
  plus: "+",
};

/** The parts of a combination as keys are labelled. */
export function comboParts(combo: Combo): string[] {
  const german = document.documentElement.lang === "de" && !isMac ? GERMAN : {};
  const names = { ...(isMac ? MAC_NAMES : NAMES), ...german };
  return combo
    .split("+")
    .map(
      (part) =>
        names[part.toLowerCase()] ?? KEYS[part.toLowerCase()] ?? (part.length === 1 ? part.toUpperCase() : part),
    );
}

/** Lists a key that a control handles by itself while it has the focus. */
export function useListedShortcut(info: ShortcutInfo): void {
  const { id, label, group } = info;
  const combos = info.combos.join(" ");
  const list = useShortcutList((state) => state.list);
  useEffect(() => list({ id, combos: combos.split(" "), label, group }), [id, combos, label, group, list]);
}
