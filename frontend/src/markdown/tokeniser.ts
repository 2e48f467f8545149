import type { GrammarState, HighlighterCore, LanguageInput, ThemedToken } from "shiki/core";
import { palette, THEME } from "./palette";

/** A coloured piece of code: its text and the CSS colour, "" for the colour of plain code. */
export type Token = readonly [text: string, colour: string];
/** The tokens of each line; a line's text does not include its end. */
export type Coloured = readonly (readonly Token[])[];

/** Lines that are coloured between two looks at the clock. */
const LINES = 12;

/** Only the languages that answers are mostly about are shipped. */
const LANGUAGES: Record<string, () => Promise<{ default: LanguageInput }>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  clojure: () => import("shiki/langs/clojure.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  dart: () => import("shiki/langs/dart.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  elixir: () => import("shiki/langs/elixir.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
  haskell: () => import("shiki/langs/haskell.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsonc: () => import("shiki/langs/jsonc.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  julia: () => import("shiki/langs/julia.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  make: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  nix: () => import("shiki/langs/nix.mjs"),
  perl: () => import("shiki/langs/perl.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  proto: () => import("shiki/langs/proto.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  r: () => import("shiki/langs/r.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  scala: () => import("shiki/langs/scala.mjs"),
  scss: () => import("shiki/langs/scss.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  svelte: () => import("shiki/langs/svelte.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  terraform: () => import("shiki/langs/terraform.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  vue: () => import("shiki/langs/vue.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
  zig: () => import("shiki/langs/zig.mjs"),
};

export const grammars: ReadonlySet<string> = new Set(Object.keys(LANGUAGES));

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

/**
 * Colours code. After every few lines `goOn` may rest or answer that nobody waits any more, which gives null. Not one
 * byte of the code is changed.
 */
export async function tokenise(grammar: string, code: string, goOn: () => Promise<boolean>): Promise<Coloured | null> {
  const highlighter = await start();
  const load = LANGUAGES[grammar];
  if (load && !highlighter.getLoadedLanguages().includes(grammar))
    await highlighter.loadLanguage((await load()).default);
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
