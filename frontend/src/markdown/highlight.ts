import type { GrammarState, HighlighterCore, LanguageInput, ThemedToken } from "shiki/core";
import { whenIdle } from "./idle";

/** A coloured piece of code: its text and the CSS colour, "" for the colour of plain code. */
export type Token = readonly [text: string, colour: string];
/** The tokens of each line; a line's text does not include its end. */
export type Coloured = readonly (readonly Token[])[];

const THEME = "mobius";
/** Code beyond this many characters stays plain. */
const LONGEST = 120_000;
/** Characters of code whose colours are kept; the ones used longest ago go first. */
const KEPT = 1_500_000;
/** Milliseconds of one piece of work, and lines between two looks at the clock. */
const BUDGET = 8;
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

const ALIASES: Record<string, string> = {
  "c#": "csharp",
  "c++": "cpp",
  cc: "cpp",
  clj: "clojure",
  console: "bash",
  cs: "csharp",
  dockerfile: "docker",
  golang: "go",
  h: "c",
  hpp: "cpp",
  hs: "haskell",
  htm: "html",
  js: "javascript",
  kt: "kotlin",
  makefile: "make",
  md: "markdown",
  mjs: "javascript",
  patch: "diff",
  pl: "perl",
  protobuf: "proto",
  ps1: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  svg: "xml",
  tf: "terraform",
  ts: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** The language that a fence names, without what comes after it. */
export function languageOf(info: string): string {
  return (/^[\w#+.-]+/.exec(info)?.[0] ?? "").toLowerCase();
}

export function grammarOf(language: string): string | null {
  const name = ALIASES[language] ?? language;
  return Object.hasOwn(LANGUAGES, name) ? name : null;
}

let starting: Promise<HighlighterCore> | undefined;

/** The engine is the one made of JavaScript's own expressions: the policy of the page allows no WebAssembly. */
function start(): Promise<HighlighterCore> {
  starting ??= (async () => {
    const [core, engine] = await Promise.all([import("shiki/core"), import("shiki/engine/javascript")]);
    const theme = core.createCssVariablesTheme({ name: THEME, variablePrefix: "--code-", fontStyle: false });
    // Names of variables are most of what is written; they stay plain, so that the rest stands out.
    theme.tokenColors?.push({
      scope: ["variable", "variable.other"],
      settings: { foreground: "var(--code-foreground)" },
    });
    return core.createHighlighterCore({
      themes: [theme],
      langs: [],
      engine: engine.createJavaScriptRegexEngine({ forgiving: true }),
    });
  })();
  return starting;
}

const cache = new Map<string, Coloured>();
let cached = 0;

const keyOf = (grammar: string, code: string) => `${grammar}\n${code}`;

function keep(key: string, lines: Coloured): void {
  cache.set(key, lines);
  cached += key.length;
  for (const old of cache.keys()) {
    if (cached <= KEPT || old === key) break;
    cache.delete(old);
    cached -= old.length;
  }
}

/** Colours that are known already. */
export function knownColours(language: string, code: string): Coloured | null {
  const grammar = grammarOf(language);
  const key = grammar ? keyOf(grammar, code) : "";
  const found = cache.get(key);
  if (!found) return null;
  cache.delete(key);
  cache.set(key, found);
  return found;
}

const tokenOf = (token: ThemedToken): Token => {
  const colour = token.color ?? "";
  return [token.content, colour === "var(--code-foreground)" ? "" : colour];
};

const pause = () => new Promise<void>((done) => whenIdle(done));

/** One piece of code at a time, so that a screen full of it never holds the page up. */
let queue: Promise<unknown> = Promise.resolve();

/** Colours code in short pieces of work while the page has time. Null when it stays plain, or when `wanted` is over. */
export function colour(language: string, code: string, wanted: AbortSignal): Promise<Coloured | null> {
  const grammar = grammarOf(language);
  if (!grammar || code.length > LONGEST) return Promise.resolve(null);
  const run = queue.then(() => (wanted.aborted ? null : tokenise(grammar, code, wanted)));
  queue = run.catch(() => null);
  return run.catch(() => null);
}

async function tokenise(grammar: string, code: string, wanted: AbortSignal): Promise<Coloured | null> {
  const key = keyOf(grammar, code);
  const known = cache.get(key);
  if (known) return known;
  const highlighter = await start();
  const load = LANGUAGES[grammar];
  if (load && !highlighter.getLoadedLanguages().includes(grammar))
    await highlighter.loadLanguage((await load()).default);
  const lines = code.split("\n");
  const out: (readonly Token[])[] = [];
  let state: GrammarState | undefined;
  await pause();
  let began = performance.now();
  for (let at = 0; at < lines.length; at += LINES) {
    if (wanted.aborted) return null;
    if (performance.now() - began > BUDGET) {
      await pause();
      began = performance.now();
    }
    const piece = lines.slice(at, at + LINES);
    const part = highlighter.codeToTokens(piece.join("\n"), {
      lang: grammar,
      theme: THEME,
      grammarState: state,
      tokenizeMaxLineLength: 2000,
      tokenizeTimeLimit: 40,
    });
    state = part.grammarState;
    part.tokens.forEach((line, i) => {
      const tokens = line.map(tokenOf);
      // The highlighter drops the carriage returns, which are part of the source.
      if (piece[i]?.endsWith("\r") && !tokens.at(-1)?.[0].endsWith("\r")) tokens.push(["\r", ""]);
      out.push(tokens);
    });
  }
  keep(key, out);
  return out;
}
