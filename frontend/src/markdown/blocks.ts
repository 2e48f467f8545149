import {
  type Align,
  alignsOf,
  closesFence,
  definitionOf,
  type Fence,
  fenceOf,
  headingOf,
  indentOf,
  interrupts,
  isBlank,
  isRule,
  type Marker,
  markerOf,
  outdent,
  quotedOf,
  underlineOf,
} from "./lines";
import { cellsOf } from "./maths";

/** A block at the top of a text, or of the inside of an item or a quote. Each item of a list is a block of its own. */
export type Block =
  | { kind: "paragraph"; text: string /** Goes on where the block before was cut for its length. */; cont?: boolean }
  | { kind: "heading"; depth: number; text: string }
  | { kind: "code"; lang: string; text: string /** Its end has been seen. */; closed: boolean }
  | { kind: "math"; tex: string; raw: string }
  | { kind: "table"; header: string[]; aligns: Align[]; rows: string[][] }
  | { kind: "quote"; text: string }
  | { kind: "item"; type: string; start?: number; task?: boolean; text: string /** Begins a list. */; first: boolean }
  | { kind: "rule" }
  | { kind: "definition"; label: string; href: string; title?: string };

type Open =
  | { kind: "paragraph"; lines: string[]; size: number; cont: boolean }
  | { kind: "code"; fence: Fence; text: string }
  | { kind: "indented"; lines: string[] }
  | { kind: "math"; lines: string[]; close: string }
  | { kind: "table"; header: string[]; aligns: Align[]; rows: string[][] }
  | { kind: "quote"; lines: string[]; fence: Fence | null }
  | {
      kind: "item";
      marker: Marker;
      base: number;
      lines: string[];
      blanks: number;
      fence: Fence | null;
      first: boolean;
    };

/**
 * Paragraphs beyond this many characters are cut at a space, so that the cost of one more word does not grow with the
 * text before it. Nobody writes such a paragraph; a model that forgets its line breaks does.
 */
const LONGEST = 4000;

/** Tables beyond this many rows go on as another one with the same head, for the same reason. */
const TALLEST = 100;

function copyOf(open: Open | null): Open | null {
  if (!open) return null;
  if (open.kind === "table") return { ...open, rows: [...open.rows] };
  if ("lines" in open) return { ...open, lines: [...open.lines] };
  return { ...open };
}

/**
 * Cuts a text into blocks, line by line. A block is closed by the first complete line that cannot belong to it and never
 * opens again, which is what makes the cut of a growing text the same as that of the whole one.
 */
export class Splitter {
  readonly blocks: Block[] = [];
  private open: Open | null = null;
  /** The next line goes on within the line that was cut for its length. */
  private midLine = false;

  /** Takes a complete line without its line feed; `soft` when it was cut for its length. */
  line(text: string, soft = false): void {
    const open = this.open;
    if (open?.kind === "code") this.codeLine(open, text, soft);
    else if (this.midLine) this.paragraphLine(text);
    else this.textLine(text.endsWith("\r") ? text.slice(0, -1) : text);
    this.midLine = soft;
    const now = this.open;
    if (now?.kind === "paragraph" && (soft || now.size > LONGEST)) {
      this.close();
      this.open = { kind: "paragraph", lines: [], size: 0, cont: true };
    }
  }

  /** Whether a line may be cut for its length here. */
  mayCut(): boolean {
    return this.open === null || this.open.kind === "paragraph" || this.open.kind === "code";
  }

  /** The blocks that this would become if the text ended with `partial`, its last, incomplete line. */
  provisional(partial: string): Block[] {
    const end = new Splitter();
    end.open = copyOf(this.open);
    end.midLine = this.midLine;
    if (partial !== "") {
      if (end.open?.kind === "code" && !closesFence(partial, end.open.fence)) {
        end.open.text += outdent(partial, end.open.fence.indent);
      } else end.line(partial);
    }
    end.close();
    return end.blocks;
  }

  close(): void {
    const open = this.open;
    this.open = null;
    if (!open) return;
    switch (open.kind) {
      case "paragraph": {
        const text = open.lines.join("\n").trimEnd();
        if (text) this.blocks.push({ kind: "paragraph", text, ...(open.cont ? { cont: true } : {}) });
        return;
      }
      case "code":
        this.blocks.push({ kind: "code", lang: open.fence.info, text: open.text, closed: false });
        return;
      case "indented":
        this.blocks.push({ kind: "code", lang: "", text: `${open.lines.join("\n").trimEnd()}\n`, closed: true });
        return;
      case "math":
        this.again(open.lines);
        this.close();
        return;
      case "table":
        this.blocks.push(open);
        return;
      case "quote":
        this.blocks.push({ kind: "quote", text: open.lines.join("\n") });
        return;
      case "item":
        this.blocks.push(itemOf(open));
    }
  }

  /** Lines that turned out not to be a formula are text. */
  private again(lines: string[]): void {
    const [first = "", ...rest] = lines;
    this.paragraphLine(first);
    for (const line of rest) this.line(line);
  }

  private codeLine(open: Extract<Open, { kind: "code" }>, line: string, soft: boolean): void {
    if (!this.midLine && closesFence(line, open.fence)) {
      this.open = null;
      this.blocks.push({ kind: "code", lang: open.fence.info, text: open.text, closed: true });
      return;
    }
    open.text += (this.midLine ? line : outdent(line, open.fence.indent)) + (soft ? "" : "\n");
  }

  private textLine(line: string): void {
    const open = this.open;
    switch (open?.kind) {
      case "math":
        this.mathLine(open, line);
        return;
      case "indented":
        if (indentOf(line) >= 4 || isBlank(line)) open.lines.push(outdent(line, 4));
        else this.restart(line);
        return;
      case "item":
        this.itemLine(open, line);
        return;
      case "quote":
        this.quoteLine(open, line);
        return;
      case "table":
        if (isBlank(line) || interrupts(line)) this.restart(line);
        else this.tableRow(open, line);
        return;
      case "paragraph":
        // What is left of a paragraph that was cut ends like any other, but holds nothing yet.
        if (open.lines.length > 0) this.paragraphGoesOn(open, line);
        else if (isBlank(line) || interrupts(line) || mathOpens(line)) this.restart(line);
        else this.paragraphLine(line);
        return;
      default:
        this.begin(line);
    }
  }

  private tableRow(open: Extract<Open, { kind: "table" }>, line: string): void {
    if (open.rows.length >= TALLEST) {
      this.close();
      this.open = { ...open, rows: [cellsOf(line)] };
    } else open.rows.push(cellsOf(line));
  }

  private restart(line: string): void {
    this.close();
    this.begin(line);
  }

  private begin(line: string): void {
    if (isBlank(line)) return;
    if (indentOf(line) >= 4) {
      this.open = { kind: "indented", lines: [outdent(line, 4)] };
      return;
    }
    const fence = fenceOf(line);
    if (fence) {
      this.open = { kind: "code", fence, text: "" };
      return;
    }
    const heading = headingOf(line);
    if (heading) {
      this.blocks.push({ kind: "heading", ...heading });
      return;
    }
    if (isRule(line)) {
      this.blocks.push({ kind: "rule" });
      return;
    }
    const quoted = quotedOf(line);
    if (quoted !== null) {
      this.open = { kind: "quote", lines: [quoted], fence: fenceOf(quoted) };
      return;
    }
    const marker = markerOf(line);
    if (marker) {
      this.beginItem(marker, true);
      return;
    }
    const definition = definitionOf(line);
    if (definition) {
      this.blocks.push({ kind: "definition", ...definition });
      return;
    }
    if (!this.beginMath(line)) this.paragraphLine(line);
  }

  private beginMath(line: string): boolean {
    const opened = mathOpens(line);
    if (!opened) return false;
    if (opened.tex !== undefined) this.blocks.push({ kind: "math", tex: opened.tex, raw: line.trim() });
    else this.open = { kind: "math", lines: [line], close: opened.close };
    return true;
  }

  private mathLine(open: Extract<Open, { kind: "math" }>, line: string): void {
    if (isBlank(line)) {
      this.open = null;
      this.again(open.lines);
      this.line(line);
      return;
    }
    open.lines.push(line);
    const text = line.trimEnd();
    if (!text.endsWith(open.close)) return;
    this.open = null;
    const raw = open.lines.join("\n").trim();
    this.blocks.push({ kind: "math", tex: raw.slice(2, -2).trim(), raw });
  }

  private paragraphLine(line: string): void {
    const text = this.midLine ? line : line.trimStart();
    if (this.open?.kind === "paragraph") {
      this.open.lines.push(text);
      this.open.size += text.length + 1;
    } else this.open = { kind: "paragraph", lines: [text], size: text.length, cont: this.midLine };
  }

  private paragraphGoesOn(open: Extract<Open, { kind: "paragraph" }>, line: string): void {
    const depth = underlineOf(line);
    if (depth && !open.cont) {
      this.open = null;
      this.blocks.push({ kind: "heading", depth, text: open.lines.join("\n").trim() });
      return;
    }
    const header = open.lines.at(-1) ?? "";
    const aligns = header.includes("|") ? alignsOf(line) : null;
    if (aligns) {
      const cells = cellsOf(header);
      if (cells.length === aligns.length) {
        open.lines.pop();
        this.close();
        this.open = { kind: "table", header: cells, aligns, rows: [] };
        return;
      }
    }
    if (isBlank(line) || interrupts(line)) this.restart(line);
    else if (mathOpens(line)) {
      this.close();
      this.beginMath(line);
    } else this.paragraphLine(line);
  }

  private quoteLine(open: Extract<Open, { kind: "quote" }>, line: string): void {
    const quoted = quotedOf(line);
    if (quoted !== null) {
      open.lines.push(quoted);
      open.fence = fenceAfter(open.fence, quoted);
    } else if (isBlank(line) || open.fence || isBlank(open.lines.at(-1) ?? "") || interrupts(line)) this.restart(line);
    else open.lines.push(line);
  }

  private beginItem(marker: Marker, first: boolean): void {
    this.open = {
      kind: "item",
      marker,
      base: marker.indent,
      lines: [marker.text],
      blanks: 0,
      fence: fenceOf(marker.text),
      first,
    };
  }

  private itemLine(open: Extract<Open, { kind: "item" }>, line: string): void {
    if (isBlank(line)) {
      open.blanks++;
      return;
    }
    const column = indentOf(line);
    const belongs = column >= open.marker.content;
    if (belongs) {
      const text = outdent(line, open.marker.content);
      for (; open.blanks > 0; open.blanks--) open.lines.push("");
      open.lines.push(text);
      open.fence = fenceAfter(open.fence, text);
      return;
    }
    const marker = isRule(line) ? null : markerOf(line);
    if (marker && marker.indent < open.base + 4) {
      const same = marker.type === open.marker.type;
      const number = open.marker.start;
      this.close();
      // An ordered list counts on from its first number, whatever the others are.
      this.beginItem(same && number !== undefined ? { ...marker, start: number + 1 } : marker, !same);
      return;
    }
    // A paragraph may go on without its indentation as long as no blank line came between.
    const lazy = open.blanks === 0 && !open.fence && !interrupts(line) && !isBlank(open.lines.at(-1) ?? "");
    if (lazy) open.lines.push(line.trimStart());
    else this.restart(line);
  }
}

function fenceAfter(fence: Fence | null, line: string): Fence | null {
  if (!fence) return fenceOf(line);
  return closesFence(line, fence) ? null : fence;
}

function mathOpens(line: string): { close: string; tex?: string } | null {
  const match = /^ {0,3}(\$\$|\\\[)(.*)$/.exec(line.trimEnd());
  if (!match) return null;
  const close = match[1] === "$$" ? "$$" : "\\]";
  const rest = match[2] ?? "";
  const end = rest.indexOf(close);
  if (end < 0) return { close };
  // A formula with words behind it is part of a paragraph.
  if (end + close.length !== rest.length || !rest.slice(0, end).trim()) return null;
  return { close, tex: rest.slice(0, end).trim() };
}

function itemOf(open: Extract<Open, { kind: "item" }>): Block {
  const { type, start } = open.marker;
  const text = open.lines.join("\n");
  const task = /^\[([ xX])\](?:[ \t]+|$)/.exec(text);
  const item = { kind: "item" as const, type, first: open.first, ...(start === undefined ? {} : { start }) };
  if (!task) return { ...item, text };
  return { ...item, task: task[1] !== " ", text: text.slice(task[0].length) };
}

/** A text that grows at its end, cut into blocks. */
export class BlockStream {
  private readonly splitter = new Splitter();
  private partial = "";

  /** Blocks that no further text can change. The array only grows. */
  get done(): readonly Block[] {
    return this.splitter.blocks;
  }

  append(text: string): void {
    let rest = this.partial + text;
    for (;;) {
      const end = rest.indexOf("\n");
      const length = end < 0 ? rest.length : end;
      if (length > LONGEST && this.splitter.mayCut()) {
        const space = rest.lastIndexOf(" ", LONGEST);
        const at = space > LONGEST / 2 ? space + 1 : LONGEST;
        this.splitter.line(rest.slice(0, at), true);
        rest = rest.slice(at);
        continue;
      }
      if (end < 0) break;
      this.splitter.line(rest.slice(0, end));
      rest = rest.slice(end + 1);
    }
    this.partial = rest;
  }

  /** What the rest of the text would be if it ended here. */
  tail(): Block[] {
    return this.splitter.provisional(this.partial);
  }

  /**
   * The same while more is expected: a last line that may yet become a marker, an underline or a fence is held back, so
   * that nothing flashes up as what it will not be.
   */
  growingTail(): Block[] {
    return this.splitter.provisional(UNDECIDED.test(this.partial) ? "" : this.partial);
  }
}

const UNDECIDED =
  /^[ \t]*(?:[-*+=]+|\d{1,9}[.)]?|#{1,6}|`{1,2}|~{1,2}|>|\$\$?|\\\[?|\|[ \t:|-]*|[-*+][ \t]+\[[ xX]?\]?)[ \t]*$/;

/** The blocks of a whole text. */
export function splitBlocks(text: string): Block[] {
  const stream = new BlockStream();
  stream.append(text);
  return [...stream.done, ...stream.tail()];
}
