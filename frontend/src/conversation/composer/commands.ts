import type { Suggestion } from "./completion";

/** A command of the composer. It is carried out by the page and never sent to a model. */
export interface Command {
  name: string;
  /** Catalogue id of what it does. */
  label: string;
  /** Takes the rest of the line. */
  argument?: "title" | "theme";
  /** Only in a conversation that exists. */
  needsChat?: boolean;
}

export const COMMANDS: readonly Command[] = [
  { name: "new", label: "conversation.command.new" },
  { name: "rename", label: "conversation.command.rename", argument: "title", needsChat: true },
  { name: "model", label: "conversation.command.model" },
  { name: "stop", label: "conversation.command.stop", needsChat: true },
  { name: "retry", label: "conversation.command.retry", needsChat: true },
  { name: "copy", label: "conversation.command.copy", needsChat: true },
  { name: "theme", label: "conversation.command.theme", argument: "theme" },
  { name: "help", label: "conversation.command.help" },
];

export const THEMES: readonly string[] = ["light", "dark", "system"];

export function commandSuggestions(query: string, inChat: boolean, translate: (id: string) => string): Suggestion[] {
  const usable = COMMANDS.filter((command) => inChat || !command.needsChat);
  const found = usable.filter((command) => command.name.startsWith(query));
  return found.map((command) => ({
    id: `command:${command.name}`,
    kind: "command",
    label: `/${command.name}`,
    detail: translate(command.label),
    insert: `/${command.name}${command.argument ? " " : ""}`,
  }));
}

/** The command that a text is, with the rest of its line. Any other text that begins with a slash is a message. */
export function parseCommand(text: string, inChat: boolean): { command: Command; argument: string } | null {
  const match = /^\/([a-z]+)(?:[ \t]+([^\n]*))?\s*$/.exec(text.trimEnd());
  const command = COMMANDS.find((c) => c.name === match?.[1] && (inChat || !c.needsChat));
  if (!match || !command) return null;
  const argument = (match[2] ?? "").trim();
  if (argument && !command.argument) return null;
  return { command, argument };
}
