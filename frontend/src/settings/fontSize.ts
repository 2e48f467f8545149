/** Limits of the font size in pixels, as in backend/gateway/settings.go. */
export const FONT_MIN = 10;
export const FONT_MAX = 28;
export const FONT_USUAL = 14;

/** The nearest size that can be set. */
export const fontSize = (wanted: number): number => Math.min(FONT_MAX, Math.max(FONT_MIN, wanted));
