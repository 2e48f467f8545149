import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const css = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

function block(selector: string): Record<string, string> {
  const start = css.indexOf(`\n${selector} {`);
  const body = css.slice(css.indexOf("{", start) + 1, css.indexOf("\n}", start));
  return Object.fromEntries([...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((m) => [m[1], m[2]]));
}

const light = block(":root");
const dark = { ...light, ...block('[data-theme="dark"]') };
const contrast = block('[data-contrast="more"]');
const THEMES: Record<string, Record<string, string>> = {
  light,
  dark,
  "light, high contrast": { ...light, ...contrast },
  "dark, high contrast": { ...dark, ...contrast, ...block('[data-theme="dark"][data-contrast="more"]') },
};

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ["canvas", "sidebar", "raised", "sunken", "code", "hover"];
const TINTS = ["blue", "teal", "green", "yellow", "orange", "red", "purple"];

/** Pairs of text and ground that occur, WCAG AA: 4.5 for text, 3 for the edges of controls. */
const TEXT: [string, string][] = [
  ...SURFACES.flatMap((s): [string, string][] => [
    ["text", s],
    ["muted", s],
  ]),
  ["text", "active"],
  ["text", "highlight"],
  ["muted", "highlight"],
  ["muted", "active"],
  ["faint", "canvas"],
  ["faint", "raised"],
  ["accent", "canvas"],
  ["accent", "raised"],
  ["danger", "canvas"],
  ["danger", "raised"],
  ["danger", "danger-soft"],
  ["success", "success-soft"],
  ["warning", "warning-soft"],
  ["text", "danger-soft"],
  ["muted", "danger-soft"],
  ["muted", "warning-soft"],
  ["muted", "success-soft"],
  ["text", "accent-soft"],
  ["muted", "accent-soft"],
  ["on-accent", "accent"],
  ["on-accent", "accent-hover"],
  ["on-danger", "danger"],
  ["on-danger", "danger-hover"],
  ["canvas", "text"],
];
const EDGES: [string, string][] = [
  ["line-strong", "raised"],
  ["line-strong", "canvas"],
  ["line-strong", "sidebar"],
  ["focus", "canvas"],
  ["focus", "sidebar"],
  ["focus", "raised"],
  ...TINTS.map((t): [string, string] => [`tint-${t}`, `tint-${t}-soft`]),
];

describe.each(Object.entries(THEMES))("tokens of the %s theme", (_name, theme) => {
  it.each(TEXT)("%s on %s can be read", (front, ground) => {
    expect(ratio(theme[front] ?? "", theme[ground] ?? "")).toBeGreaterThanOrEqual(4.5);
  });

  it.each(EDGES)("%s on %s can be seen", (front, ground) => {
    expect(ratio(theme[front] ?? "", theme[ground] ?? "")).toBeGreaterThanOrEqual(3);
  });
});
