import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** The custom properties of one rule of a style sheet. */
function properties(file: string, selector: string): Map<string, string> {
  const css = readFileSync(join(import.meta.dirname, file), "utf8");
  const found = new Map<string, string>();
  for (const [, body = ""] of css.matchAll(new RegExp(`^${selector.replace(/[[\]]/g, "\\$&")} \\{([^}]*)\\}`, "gm"))) {
    for (const [, name = "", value = ""] of body.matchAll(/(--[\w-]+):\s*([^;]+);/g)) found.set(name, value.trim());
  }
  return found;
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

describe("colours of code", () => {
  const light = properties("markdown.css", ":root");
  it.each([
    ["light", light, ":root"],
    ["dark", new Map([...light, ...properties("markdown.css", '[data-theme="dark"]')]), '[data-theme="dark"]'],
  ])("can be read on the ground of code in the %s theme", (_theme, colours, selector) => {
    const ground = properties("../tokens.css", selector).get("--code") ?? "";
    const tokens = [...colours].filter(([name, value]) => name.startsWith("--code-token") && value.startsWith("#"));
    expect(tokens.length).toBeGreaterThan(8);
    for (const [name, value] of tokens) expect(contrast(value, ground), name).toBeGreaterThanOrEqual(4.5);
  });
});
