import type { Bot, FileMatch } from "@/backend/types";

/** What is being completed: a file or Bot after @, or a command after / at the beginning. */
export interface Trigger {
  kind: "mention" | "command";
  query: string;
  /** Where its mark stands in the text. */
  start: number;
  end: number;
}

/** What the caret stands behind, if it can be completed. An @ within a word, as in an e-mail address, is none. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(Math.max(0, caret - 300), caret);
  const offset = caret - before.length;
  const command = offset === 0 ? /^\/([a-z]*)$/i.exec(before) : null;
  if (command) return { kind: "command", query: (command[1] ?? "").toLowerCase(), start: 0, end: caret };
  const mention = /(?:^|[\s([{"'“‘,;:])@([^\s@]*)$/.exec(before);
  if (!mention) return null;
  const query = mention[1] ?? "";
  return { kind: "mention", query, start: offset + before.length - query.length - 1, end: caret };
}

export interface Suggestion {
  id: string;
  kind: "file" | "folder" | "bot" | "command";
  label: string;
  detail?: string;
  /** What replaces the mark and what was typed after it. */
  insert: string;
  bot?: Bot;
}

const SHOWN = 12;

const rank = (text: string, query: string): number => {
  const at = text.toLowerCase().indexOf(query);
  return at < 0 ? -1 : at;
};

export function botSuggestions(bots: readonly Bot[], query: string): Suggestion[] {
  const wanted = query.toLowerCase();
  return bots
    .filter((bot) => rank(bot.handle, wanted) >= 0 || rank(bot.name, wanted) >= 0)
    .map((bot) => ({
      id: `bot:${bot.id}`,
      kind: "bot" as const,
      label: bot.name,
      detail: `@${bot.handle}`,
      insert: `@${bot.handle} `,
      bot,
    }));
}

export function fileSuggestions(files: readonly FileMatch[]): Suggestion[] {
  return files.map(({ path, dir }) => {
    const cut = path.lastIndexOf("/") + 1;
    return {
      id: `file:${path}`,
      kind: dir ? ("folder" as const) : ("file" as const),
      label: path.slice(cut),
      detail: path.slice(0, Math.max(0, cut - 1)),
      insert: dir ? `@${path}/` : `@${path} `,
    };
  });
}

/** Bots first only when they are meant: files are what is mostly looked for. */
export function mentionSuggestions(bots: readonly Bot[], files: readonly FileMatch[], query: string): Suggestion[] {
  const fromBots = botSuggestions(bots, query);
  const fromFiles = fileSuggestions(files);
  const exact = query !== "" && fromBots.some((s) => s.detail?.slice(1).startsWith(query.toLowerCase()));
  const few = fromBots.slice(0, 4);
  return (exact ? [...few, ...fromFiles] : [...fromFiles.slice(0, SHOWN - few.length), ...few]).slice(0, SHOWN);
}

export function complete(text: string, trigger: Trigger, insert: string): { text: string; caret: number } {
  const next =
    text.slice(0, trigger.start) + insert + text.slice(trigger.end).replace(/^ /, insert.endsWith(" ") ? "" : " ");
  return { text: next, caret: trigger.start + insert.length };
}
