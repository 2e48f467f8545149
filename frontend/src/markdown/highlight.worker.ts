import { type Coloured, tokenise } from "./tokeniser";

export interface Job {
  id: number;
  grammar: string;
  code: string;
}

export interface Done {
  id: number;
  lines: Coloured | null;
}

const always = () => Promise.resolve(true);

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  const lines = await tokenise(data.grammar, data.code, always).catch(() => null);
  self.postMessage({ id: data.id, lines } satisfies Done);
};
