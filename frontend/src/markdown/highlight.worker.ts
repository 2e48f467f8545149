import type { LanguageRegistration } from "shiki/core";
import { type Coloured, learn, tokenise } from "./tokeniser";

export interface Job {
  id: number;
  grammar: string;
  code: string;
  /** Comes with the first job of a grammar; the page has it already, so it is not shipped twice. */
  learn?: LanguageRegistration[];
}

export interface Done {
  id: number;
  lines: Coloured | null;
}

const always = () => Promise.resolve(true);

async function work(job: Job): Promise<Coloured | null> {
  if (job.learn) await learn(job.grammar, job.learn);
  return tokenise(job.grammar, job.code, always);
}

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  const lines = await work(data).catch(() => null);
  self.postMessage({ id: data.id, lines } satisfies Done);
};
