interface KeyLike {
  isComposing?: boolean;
  keyCode?: number;
  nativeEvent?: { isComposing?: boolean; keyCode?: number };
}

/** keyCode of every key that an input method takes; WebKit sends it even after `compositionend`, when isComposing is false. */
const IME_KEY_CODE = 229;

/** Whether a key belongs to an input method (choosing a candidate with Enter, leaving it with Escape). */
export function isImeKey(event: KeyLike): boolean {
  const native = event.nativeEvent ?? event;
  return native.isComposing === true || native.keyCode === IME_KEY_CODE;
}

/**
 * The one guard for all Enter, Escape and shortcut handlers, those of libraries included: keys of an input method never
 * reach any of them. What the key does to the text is left alone.
 */
export function installImeGuard(target: Window): () => void {
  const guard = (event: KeyboardEvent) => {
    if (isImeKey(event)) event.stopImmediatePropagation();
  };
  target.addEventListener("keydown", guard, true);
  return () => target.removeEventListener("keydown", guard, true);
}
