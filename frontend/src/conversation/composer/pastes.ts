/** Pasted text beyond this becomes a chip, so that the field stays quick; characters and lines. */
const CHARACTERS = 50_000;
const LINES = 1000;

/** The most that one message may hold, in bytes of UTF-8. */
export const MESSAGE_BYTES = 1 << 20;

export function isLongPaste(text: string): boolean {
  if (text.length > CHARACTERS) return true;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++lines > LINES) return true;
  return false;
}

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
