/** A formula in running text. */
export interface Formula {
  /** The source with its delimiters. */
  raw: string;
  tex: string;
  display: boolean;
}

const LONGEST = 2000;

/** Characters after which a formula may begin: not those of a path (`C:\(x\)`), a word or a number. */
function mayFollow(before: string): boolean {
  return before === "" || /[\s([{"'“‘«,;=*_~|>—–-]/.test(before) || /[^\p{ASCII}]/u.test(before);
}

/** Characters that may come right after a closing dollar: `$5 or $6`, `$A$B` and `$PATH:$HOME` are no formulas. */
const mayPrecede = (after: string): boolean => !/[\p{L}\p{N}$]/u.test(after) || /[^\p{ASCII}]/u.test(after);

/** Where an unescaped `mark` is next, within the line and outside of code. */
function closing(text: string, from: number, mark: string, acrossLines: boolean): number {
  const limit = Math.min(text.length, from + LONGEST);
  for (let at = from; at < limit; at++) {
    if (text.startsWith(mark, at)) return at;
    const char = text[at];
    if (char === "`") return -1;
    if (char === "\n" && (!acrossLines || text[at + 1] === "\n")) return -1;
    if (char === "\\") at++;
  }
  return -1;
}

function dollars(text: string, at: number, before: string): Formula | null {
  if (text.startsWith("$$", at)) {
    const end = closing(text, at + 2, "$$", true);
    const tex = end < 0 ? "" : text.slice(at + 2, end);
    if (!tex.trim() || before === "$" || text[end + 2] === "$") return null;
    return { raw: text.slice(at, end + 2), tex: tex.trim(), display: true };
  }
  // A dollar beside a digit or a space is money or a prompt.
  const first = text[at + 1] ?? " ";
  if (/[\s\d.,)]/.test(first) || !mayFollow(before)) return null;
  const end = closing(text, at + 1, "$", false);
  if (end < 0 || /\s/.test(text[end - 1] ?? " ") || !mayPrecede(text[end + 1] ?? "")) return null;
  const tex = text.slice(at + 1, end);
  // Words between two variables of a shell: "$HOME and $" or "$PATH, then" never have a command, an operator or a single letter alone.
  if (!/[\\^_=+\-*/<>()|{}[\]!']/.test(tex) && !/^\p{L}\d*(\s*,\s*\p{L}\d*)*$/u.test(tex)) return null;
  return { raw: text.slice(at, end + 1), tex, display: false };
}

function brackets(text: string, at: number, before: string): Formula | null {
  const display = text[at + 1] === "[";
  if (!display && text[at + 1] !== "(") return null;
  if (!mayFollow(before)) return null;
  const end = closing(text, at + 2, display ? "\\]" : "\\)", true);
  if (end < 0) return null;
  const tex = text.slice(at + 2, end);
  // An escaped link text, \[so\](like this), is text.
  if (!tex.trim() || (display && text[end + 2] === "(")) return null;
  return { raw: text.slice(at, end + 2), tex: tex.trim(), display };
}

/** The formula that begins at a place of a text, if one does. `before` is the character in front of it, "" at the start. */
export function formulaAt(text: string, at: number, before = text[at - 1] ?? ""): Formula | null {
  if (text[at] === "$") return dollars(text, at, before);
  if (text[at] === "\\") return brackets(text, at, before);
  return null;
}

/** The cells of a table row. A bar within code or within a formula belongs to its cell. */
export function cellsOf(line: string): string[] {
  const row = line.trim().replace(/^\|/, "");
  const cells: string[] = [];
  let cell = "";
  for (let at = 0; at < row.length; at++) {
    const char = row[at] ?? "";
    if (char === "|") {
      cells.push(cell.trim());
      cell = "";
      continue;
    }
    if (char === "\\" && row[at + 1] === "|") {
      cell += "|";
      at++;
      continue;
    }
    const whole = char === "`" ? codeAt(row, at) : formulaAt(row, at)?.raw;
    if (whole) {
      cell += whole.replaceAll("\\|", "|");
      at += whole.length - 1;
      continue;
    }
    if (char === "\\") {
      cell += char + (row[at + 1] ?? "");
      at++;
      continue;
    }
    cell += char;
  }
  if (cell.trim() !== "") cells.push(cell.trim());
  return cells;
}

function codeAt(text: string, at: number): string | undefined {
  const run = /^`+/.exec(text.slice(at))?.[0] ?? "";
  let end = at + run.length;
  for (;;) {
    end = text.indexOf(run, end);
    if (end < 0) return run;
    const more = /^`+/.exec(text.slice(end))?.[0].length ?? 0;
    if (more === run.length) return text.slice(at, end + run.length);
    end += more;
  }
}
