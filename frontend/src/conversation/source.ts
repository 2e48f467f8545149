import type { Turn } from "./state";

/** The words of an answer as the model wrote them. */
export function answerText(turn: Turn): string {
  const texts: string[] = [];
  for (const entry of turn.entries) {
    if (entry.kind !== "step") continue;
    for (const block of entry.step.blocks)
      if (block.kind === "text" && block.text?.trim()) texts.push(block.text.trim());
  }
  return texts.join("\n\n");
}

/** Why the last answer of a turn ended before its end, if it did. */
export function cutShort(turn: Turn): "length" | "content_filter" | null {
  const last = turn.entries.findLast((entry) => entry.kind === "step");
  const finish = last?.kind === "step" ? last.step.finish : undefined;
  return finish === "length" || finish === "content_filter" ? finish : null;
}

/** What the person asked for in a turn. */
export function requestText(turn: Turn): string {
  const first = turn.entries.find((entry) => entry.kind === "message");
  return first?.kind === "message" ? first.message.text : "";
}

/** A whole turn as text: thoughts, calls and results included. */
export function rawTurn(turn: Turn): string {
  const parts: string[] = [];
  for (const entry of turn.entries) {
    if (entry.kind !== "step") continue;
    for (const block of entry.step.blocks) {
      if (block.kind === "tool_call") {
        const result = turn.results.get(block.call_id ?? "");
        parts.push(`[${block.name}] ${block.args ?? ""}`);
        if (result) parts.push(`[${block.name} → ${result.status}]\n${result.output}`);
      } else if (block.text) parts.push(block.kind === "reasoning" ? `[reasoning]\n${block.text}` : block.text);
    }
  }
  return parts.join("\n\n");
}

/** "read_file" as a person would write it. */
export function toolTitle(name: string): string {
  const words = name.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The arguments of a call, or null while they are not whole JSON. */
export function parseArgs(args: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(args || "{}");
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const SHORT = 200;

/** The argument that tells calls of one tool apart: the first text, and without one the first number. */
export function mainArgument(args: string): string {
  const parsed = parseArgs(args);
  const values = parsed ? Object.values(parsed) : [];
  const found = values.find((v) => typeof v === "string" && v !== "") ?? values.find((v) => typeof v === "number");
  const text = found === undefined ? (/"[^"]*"\s*:\s*"([^"\\]+)/.exec(args)?.[1] ?? "") : String(found);
  return text.replace(/\s+/g, " ").slice(0, SHORT);
}
