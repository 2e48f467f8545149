import { TINTS, type Tint } from "@/backend/types";
import { cx } from "./cx";

const LOOK: Record<Tint, string> = {
  blue: "bg-tint-blue-soft text-tint-blue",
  teal: "bg-tint-teal-soft text-tint-teal",
  green: "bg-tint-green-soft text-tint-green",
  yellow: "bg-tint-yellow-soft text-tint-yellow",
  orange: "bg-tint-orange-soft text-tint-orange",
  red: "bg-tint-red-soft text-tint-red",
  purple: "bg-tint-purple-soft text-tint-purple",
};

const EYES = ["M9 11v2.5M15 11v2.5", "M8.4 12.2h1.4M14.2 12.2h1.4", "M8 13q1.1-1.6 2.2 0M13.8 13q1.1-1.6 2.2 0"];
const MOUTHS = ["M9.5 16.2q2.5 1.8 5 0", "M10 16.6h4", "M10.3 16q1.7 2.4 3.4 0"];

/** A number from a text, the same one every time, so that a Bot keeps its face. */
function seedOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
  return hash;
}

export function asTint(value: string | undefined): Tint {
  return TINTS.find((tint) => tint === value) ?? "blue";
}

/** A Bot's face in its tint. It stands beside the Bot's name, so it has no name of its own. */
export function Face({ seed, tint, className }: { seed: string; tint?: string; className?: string }) {
  const hash = seedOf(seed);
  return (
    <span
      aria-hidden
      className={cx(
        "inline-flex shrink-0 items-center justify-center rounded-full",
        LOOK[asTint(tint)],
        className ?? "size-7",
      )}
    >
      <svg
        viewBox="0 0 24 24"
        className="size-full"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.9"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d={EYES[hash % EYES.length]} />
        <path d={MOUTHS[Math.floor(hash / 7) % MOUTHS.length]} />
      </svg>
    </span>
  );
}
