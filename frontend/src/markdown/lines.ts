/** What a single line of Markdown can be. The rules are those of CommonMark and GFM, and where they differ it is said. */

export interface Fence {
  indent: number;
  char: string;
  length: number;
  info: string;
}

export interface Marker {
  /** Column of the marker. */
  indent: number;
  /** Column at which the item's own text begins; lines indented that far belong to it. */
  content: number;
  /** "-", "*", "+", "." or ")": items with another one begin another list. */
  type: string;
  /** Number of an ordered item. */
  start?: number;
  text: string;
}

export type Align = "left" | "center" | "right" | undefined;

const TAB = 4;

/** Columns of white space before the text, a tab reaching to the next multiple of four. */
export function indentOf(line: string): number {
  let column = 0;
  for (const char of line) {
    if (char === " ") column++;
    else if (char === "\t") column += TAB - (column % TAB);
    else break;
  }
  return column;
}

/** Takes away up to `columns` columns of leading white space. */
export function outdent(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  while (at < line.length && column < columns) {
    const char = line[at];
    if (char === " ") column++;
    else if (char === "\t") column += TAB - (column % TAB);
    else break;
    at++;
  }
  return column > columns ? " ".repeat(column - columns) + line.slice(at) : line.slice(at);
}

export const isBlank = (line: string): boolean => line.trim() === "";

export function fenceOf(line: string): Fence | null {
  const match = /^( {0,3})(`{3,}|~{3,})[ \t]*(.*)$/.exec(line);
  if (!match) return null;
  const [, indent = "", run = "", info = ""] = match;
  const char = run.charAt(0);
  if (char === "`" && info.includes("`")) return null;
  return { indent: indent.length, char, length: run.length, info: info.trim() };
}

export function closesFence(line: string, fence: Fence): boolean {
  const match = /^ {0,3}(`+|~+)[ \t]*\r?$/.exec(line);
  const run = match?.[1] ?? "";
  return run.charAt(0) === fence.char && run.length >= fence.length;
}

export function headingOf(line: string): { depth: number; text: string } | null {
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line);
  if (!match) return null;
  const text = match[2] ?? "";
  return { depth: match[1]?.length ?? 1, text: /^#+$/.test(text) ? "" : text };
}

export const isRule = (line: string): boolean => /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/.test(line);

/** 1 for a line of =, 2 for a line of -, which make the paragraph above a heading. */
export function underlineOf(line: string): 1 | 2 | null {
  const match = /^ {0,3}(=+|-+)[ \t]*$/.exec(line);
  if (!match) return null;
  return match[1]?.startsWith("=") ? 1 : 2;
}

export function markerOf(line: string): Marker | null {
  const match = /^([ \t]*)([-*+]|(\d{1,9})([.)]))([ \t]+|$)(.*)$/.exec(line);
  if (!match) return null;
  const [, lead = "", mark = "", digits, delimiter, gap = "", text = ""] = match;
  const indent = indentOf(lead);
  const after = indent + mark.length;
  let spaces = indentOf(" ".repeat(after) + gap) - after;
  let rest = text;
  // More than four columns are an indented code block inside of the item, which begins one column after the marker.
  if (text === "") spaces = 1;
  else if (spaces > 4) {
    rest = " ".repeat(spaces - 1) + text;
    spaces = 1;
  }
  return {
    indent,
    content: after + spaces,
    type: delimiter ?? mark,
    start: digits === undefined ? undefined : Number(digits),
    text: rest,
  };
}

/** The text of a quoted line, or null. */
export function quotedOf(line: string): string | null {
  const match = /^ {0,3}> ?(.*)$/.exec(line);
  return match ? (match[1] ?? "") : null;
}

export function definitionOf(line: string): { label: string; href: string; title?: string } | null {
  const match =
    /^ {0,3}\[([^[\]]+)\]:[ \t]+(?:<([^<>]*)>|(\S+))(?:[ \t]+(?:"([^"]*)"|'([^']*)'|\(([^()]*)\)))?[ \t]*$/.exec(line);
  if (!match || match[1]?.startsWith("^")) return null;
  return { label: labelOf(match[1] ?? ""), href: match[2] ?? match[3] ?? "", title: match[4] ?? match[5] ?? match[6] };
}

export const labelOf = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim();

/** The alignments of a delimiter row such as `| :-- | --: |`. */
export function alignsOf(line: string): Align[] | null {
  if (!line.includes("|") || !/^[ |:\t-]+$/.test(line)) return null;
  const cells = line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|");
  const aligns: Align[] = [];
  for (const cell of cells) {
    const match = /^[ \t]*(:)?-+(:)?[ \t]*$/.exec(cell);
    if (!match) return null;
    aligns.push(match[1] ? (match[2] ? "center" : "left") : match[2] ? "right" : undefined);
  }
  return aligns;
}

/** Whether a line ends a paragraph that has no blank line after it. */
export function interrupts(line: string): boolean {
  if (fenceOf(line) || headingOf(line) || isRule(line) || quotedOf(line) !== null) return true;
  const marker = markerOf(line);
  // A number in running text is no list unless it is the first, and an empty marker is none at all.
  return marker !== null && marker.indent < TAB && marker.text !== "" && (marker.start ?? 1) === 1;
}
