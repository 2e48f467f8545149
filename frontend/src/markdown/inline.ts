import { Lexer, Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from "marked";
import { labelOf } from "./lines";
import { formulaAt } from "./maths";

/** A piece of running text. */
export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "maths"; tex: string; display: boolean; raw: string }
  | { kind: "strong" | "em" | "strike"; children: Inline[] }
  | { kind: "link"; href: string; title?: string; children: Inline[] }
  | { kind: "image"; href: string; alt: string }
  | { kind: "break" };

/** Addresses that links may name, by label. */
export type Definitions = ReadonlyMap<string, { href: string; title?: string }>;

const FORMULA_START = /\$|\\[([]/;

const formula: TokenizerAndRendererExtension = {
  name: "maths",
  level: "inline",
  start: (src) => {
    const at = src.search(FORMULA_START);
    return at < 0 ? undefined : at;
  },
  tokenizer(src, tokens) {
    const before = (tokens.at(-1)?.raw ?? "").slice(-1);
    const found = formulaAt(src, 0, before);
    if (!found) {
      // A dollar that opens nothing is a dollar; the escape of a bracket stays with Markdown.
      return src.startsWith("$") ? { type: "text", raw: "$", text: "$" } : undefined;
    }
    return { type: "maths", ...found };
  },
};

const options = new Marked({ gfm: true, extensions: [formula] }).defaults;

let area: HTMLTextAreaElement | undefined;
const entities = new Map<string, string>();

/** A character reference such as &amp; or &#233; as its character. */
function decode(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g, (entity) => {
    let known = entities.get(entity);
    if (known === undefined) {
      area ??= document.createElement("textarea");
      // The content of a textarea is text to the parser: no element can come of it.
      area.innerHTML = entity;
      known = area.value;
      if (entities.size < 500) entities.set(entity, known);
    }
    return known;
  });
}

function convert(tokens: readonly Token[]): Inline[] {
  const out: Inline[] = [];
  const text = (piece: string) => {
    const last = out.at(-1);
    if (last?.kind === "text") last.text += piece;
    else if (piece) out.push({ kind: "text", text: piece });
  };
  for (const token of tokens as Tokens.Generic[]) {
    switch (token.type) {
      case "codespan":
        out.push({ kind: "code", text: token.text });
        break;
      case "strong":
      case "em":
        out.push({ kind: token.type, children: convert(token.tokens ?? []) });
        break;
      case "del":
        out.push({ kind: "strike", children: convert(token.tokens ?? []) });
        break;
      case "link":
        out.push({
          kind: "link",
          href: decode(token.href),
          title: token.title ? decode(token.title) : undefined,
          children: convert(token.tokens ?? []),
        });
        break;
      case "image":
        out.push({ kind: "image", href: decode(token.href), alt: decode(token.text) });
        break;
      case "maths":
        out.push({ kind: "maths", tex: token.tex, display: token.display, raw: token.raw });
        break;
      case "br":
        out.push({ kind: "break" });
        break;
      case "escape":
        text(token.text);
        break;
      // Raw HTML is text like any other.
      case "html":
        text(token.raw);
        break;
      default:
        text(decode(token.raw));
    }
  }
  return out;
}

/** The pieces of a running text. Nothing in it can make it throw. */
export function parseInline(text: string, definitions?: Definitions): Inline[] {
  try {
    const lexer = new Lexer(options);
    if (definitions && text.includes("[")) {
      for (const [label, { href, title }] of definitions) {
        lexer.tokens.links[labelOf(label)] = { href, title };
      }
    }
    return convert(lexer.inlineTokens(text));
  } catch {
    return [{ kind: "text", text }];
  }
}

/**
 * The end of a text that still grows, made whole: emphasis and code that are open are closed, and a link that has not
 * shown its address yet is its words, so that marks do not flicker in and out. A formula that is open stays text.
 */
export function heal(text: string): string {
  const ticks = openTicks(text);
  if (ticks) return text.endsWith("`") ? text.slice(0, -ticks.length) : text + ticks;
  let end = text;
  const link = /(!?)\[([^[\]]*)(?:\]\([^()\s]*)?$/.exec(end);
  if (link) end = end.slice(0, link.index) + (link[1] ? "" : link[2]);
  // Marks at the very end may open something or be half of what closes it.
  end = end.replace(/[*~]{1,3}$/, "");
  const body = end.trimEnd();
  if (body.endsWith("\\")) return end;
  return body + openMarks(body) + end.slice(body.length);
}

/** The run of backticks that is open at the end of a text, if one is. */
function openTicks(text: string): string {
  let open = "";
  for (const [run] of text.matchAll(/`+/g)) {
    if (open === "") open = run;
    else if (run === open) open = "";
  }
  return open;
}

/** What closes the stars and tildes that are open, innermost first. */
function openMarks(text: string): string {
  const plain = text.replace(/(`+)[\s\S]*?\1/g, (code) => "x".repeat(code.length)).replace(/\\[*~]/g, "xx");
  const stack: string[] = [];
  for (const match of plain.matchAll(/\*{1,3}|~~/g)) {
    const run = match[0];
    const before = plain[match.index - 1] ?? " ";
    const after = plain[match.index + run.length] ?? " ";
    const closes = !/\s/.test(before);
    const at = closes ? stack.lastIndexOf(run) : -1;
    if (at >= 0) stack.length = at;
    else if (!/\s/.test(after) && (!closes || /[\p{P}\p{S}]/u.test(before))) stack.push(run);
  }
  return stack.reverse().join("");
}
