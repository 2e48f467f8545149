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

const EYES = ["M8.5 9.5v3M15.5 9.5v3", "M8.5 10.6v1.4M15.5 10.6v1.4", "M7 12q1.5-2.6 3 0M14 12q1.5-2.6 3 0"];
const MOUTHS = ["M8.2 15.6q3.8 3.2 7.6 0", "M9.5 16.5h5", "M9.4 15.2q2.6 4.2 5.2 0"];

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
        strokeWidth="2"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d={EYES[hash % EYES.length]} />
        <path d={MOUTHS[Math.floor(hash / 7) % MOUTHS.length]} />
      </svg>
    </span>
  );
}
