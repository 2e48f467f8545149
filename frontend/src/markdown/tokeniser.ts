import type { GrammarState, HighlighterCore, LanguageRegistration, ThemedToken } from "shiki/core";
import { palette, THEME } from "./palette";

/** A coloured piece of code: its text and the CSS colour, "" for the colour of plain code. */
export type Token = readonly [text: string, colour: string];
/** The tokens of each line; a line's text does not include its end. */
export type Coloured = readonly (readonly Token[])[];

/** Lines that are coloured between two looks at the clock. */
const LINES = 12;

let starting: Promise<HighlighterCore> | undefined;

/** The engine is the one made of JavaScript's own expressions: the policy of the page allows no WebAssembly. */
function start(): Promise<HighlighterCore> {
  starting ??= (async () => {
    const [core, engine] = await Promise.all([import("shiki/core"), import("shiki/engine/javascript")]);
    return core.createHighlighterCore({
      themes: [palette],
      langs: [],
      engine: engine.createJavaScriptRegexEngine({ forgiving: true }),
    });
  })();
  return starting;
}

const tokenOf = (token: ThemedToken): Token => {
  const colour = token.color ?? "";
  return [token.content, colour === "var(--code-foreground)" ? "" : colour];
};

/** Whether a grammar has been given to `learn`. */
const known = new Set<string>();

export async function learn(name: string, grammar: LanguageRegistration[]): Promise<void> {
  if (known.has(name)) return;
  await (await start()).loadLanguage(grammar);
  known.add(name);
}

/**
 * Colours code of a grammar that was learnt. After every few lines `goOn` may rest or answer that nobody waits any more, which gives null. Not one
 * byte of the code is changed.
 */
export async function tokenise(grammar: string, code: string, goOn: () => Promise<boolean>): Promise<Coloured | null> {
  const highlighter = await start();
  const lines = code.split("\n");
  const out: (readonly Token[])[] = [];
  let state: GrammarState | undefined;
  for (let at = 0; at < lines.length; at += LINES) {
    if (!(await goOn())) return null;
    const piece = lines.slice(at, at + LINES);
    const part = highlighter.codeToTokens(piece.join("\n"), {
      lang: grammar,
      theme: THEME,
      grammarState: state,
      tokenizeMaxLineLength: 2000,
      // A line that takes long, as the first one of a grammar does on a busy machine, must not end half coloured: what
      // follows it would be read as something else. The length of lines is bounded, and this runs beside the page.
      tokenizeTimeLimit: 0,
    });
    state = part.grammarState;
    part.tokens.forEach((line, i) => {
      const tokens = line.map(tokenOf);
      // The highlighter drops the carriage returns, which are part of the source.
      if (piece[i]?.endsWith("\r") && !tokens.at(-1)?.[0].endsWith("\r")) tokens.push(["\r", ""]);
      out.push(tokens);
    });
  }
  return out;
}
