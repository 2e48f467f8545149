import { isImeKey } from "@/keyboard/ime";

/** What a key does in the composer. */
export type ComposerAction = "send" | "sendOther" | "break" | "editQueued" | "escape" | null;

export interface KeyPress {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  isComposing?: boolean;
  keyCode?: number;
  nativeEvent?: { isComposing?: boolean; keyCode?: number };
}

export interface ComposerState {
  /** Settings.send_key: "enter" sends with Enter, "mod_enter" with Ctrl or Cmd and Enter. */
  sendKey: string;
  empty: boolean;
  queued: number;
}

/**
 * What a key does. Keys of an input method never do anything: the Enter that takes a candidate arrives after the end of
 * composition in WebKit, and is told apart by its key code.
 */
export function composerAction(press: KeyPress, state: ComposerState): ComposerAction {
  if (isImeKey(press)) return null;
  const mod = press.ctrlKey || press.metaKey;
  if (press.key === "Enter") {
    if (press.altKey) return null;
    if (state.sendKey === "mod_enter") {
      if (!mod) return "break";
      return press.shiftKey ? "sendOther" : "send";
    }
    if (press.shiftKey && !mod) return "break";
    return mod ? "sendOther" : "send";
  }
  const bare = !mod && !press.altKey && !press.shiftKey;
  if (press.key === "ArrowUp" && bare && state.empty && state.queued > 0) return "editQueued";
  if (press.key === "Escape" && bare) return "escape";
  return null;
}
