import type { Done, Job } from "./highlight.worker";
import { whenIdle } from "./idle";
import { grammars, readGrammar } from "./languages";
import { type Coloured, learn, tokenise } from "./tokeniser";

export type { Coloured, Token } from "./tokeniser";

/** Code beyond this many characters stays plain. */
const LONGEST = 120_000;
/** Characters of code whose colours are kept; the ones used longest ago go first. */
const KEPT = 1_500_000;
/** Milliseconds of one piece of work on the page's own thread. */
const BUDGET = 8;
/** The worker goes when nothing was to do for this long, and takes its grammars with it. */
const IDLE_MS = 120_000;

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
  return grammars.has(name) ? name : null;
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

/** A thread for the colouring: compiling a grammar takes longer than a frame of the screen may. */
class Colourer {
  private worker: Worker | null = null;
  private broken = typeof Worker === "undefined";
  private waiting = new Map<number, (lines: Coloured | null | undefined) => void>();
  /** Grammars that the present worker knows. */
  private taught = new Set<string>();
  private ids = 0;
  private idle: ReturnType<typeof setTimeout> | undefined;

  /** Undefined when there is no thread, so that somebody else has to do it. */
  async run(grammar: string, code: string): Promise<Coloured | null | undefined> {
    if (!this.start()) return undefined;
    clearTimeout(this.idle);
    const language = this.taught.has(grammar) ? undefined : await readGrammar(grammar);
    const worker = this.start();
    if (!worker) return undefined;
    this.taught.add(grammar);
    const id = ++this.ids;
    worker.postMessage({ id, grammar, code, learn: language } satisfies Job);
    return new Promise((done) => this.waiting.set(id, done));
  }

  private start(): Worker | null {
    if (this.worker || this.broken) return this.worker;
    try {
      this.taught.clear();
      this.worker = new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" });
      this.worker.onmessage = ({ data }: MessageEvent<Done>) => this.finish(data.id, data.lines);
      this.worker.onerror = () => this.fail();
    } catch {
      this.fail();
    }
    return this.worker;
  }

  private finish(id: number, lines: Coloured | null): void {
    this.waiting.get(id)?.(lines);
    this.waiting.delete(id);
    if (this.waiting.size > 0) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.worker?.terminate();
      this.worker = null;
    }, IDLE_MS);
  }

  private fail(): void {
    this.broken = true;
    this.worker?.terminate();
    this.worker = null;
    for (const done of this.waiting.values()) done(undefined);
    this.waiting.clear();
  }
}

const colourer = new Colourer();
const pause = () => new Promise<void>((done) => whenIdle(done));

/** One piece of code at a time, so that a screen full of it never holds the page up. */
let queue: Promise<unknown> = Promise.resolve();

/** Colours code, away from the page's thread or while it has time. Null when it stays plain, or is not wanted any more. */
export function colour(language: string, code: string, wanted: AbortSignal): Promise<Coloured | null> {
  const grammar = grammarOf(language);
  if (!grammar || code.length > LONGEST) return Promise.resolve(null);
  const run = queue.then(() => (wanted.aborted ? null : work(grammar, code, wanted)));
  queue = run.catch(() => null);
  return run.catch(() => null);
}

async function work(grammar: string, code: string, wanted: AbortSignal): Promise<Coloured | null> {
  const key = keyOf(grammar, code);
  const known = cache.get(key);
  if (known) return known;
  await pause();
  if (wanted.aborted) return null;
  let lines = await colourer.run(grammar, code);
  if (lines === undefined) lines = await here(grammar, code, wanted);
  if (lines) keep(key, lines);
  return lines;
}

/** On the page's own thread, in short pieces. */
async function here(grammar: string, code: string, wanted: AbortSignal): Promise<Coloured | null> {
  await learn(grammar, await readGrammar(grammar));
  let began = performance.now();
  return tokenise(grammar, code, async () => {
    if (performance.now() - began > BUDGET) {
      await pause();
      began = performance.now();
    }
    return !wanted.aborted;
  });
}
