import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { comboParts } from "@/keyboard/shortcuts";
import { cx } from "./cx";

/** Keys as they are labelled on the keyboard. */
export function Keys({ combo }: { combo: string }) {
  return (
    <span className="inline-flex gap-1">
      {comboParts(combo).map((part) => (
        <kbd
          key={part}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-sunken px-1 font-sans text-muted text-xs"
        >
          {part}
        </kbd>
      ))}
    </span>
  );
}

/** What stands in an empty place: what belongs here and how to get it. */
export function Empty(props: { icon: LucideIcon; title: string; text?: ReactNode; action?: ReactNode }) {
  const Icon = props.icon;
  return (
    <div className="mx-auto flex max-w-90 flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 inline-flex size-11 items-center justify-center rounded-full bg-sunken text-muted">
        <Icon aria-hidden className="size-5" />
      </span>
      <h2 className="font-semibold text-md">{props.title}</h2>
      {props.text && <p className="mt-1 text-muted">{props.text}</p>}
      {props.action && <div className="mt-4">{props.action}</div>}
    </div>
  );
}

const TONES = {
  info: { icon: Info, look: "bg-sunken text-text", mark: "text-muted" },
  success: { icon: CircleCheck, look: "bg-success-soft text-text", mark: "text-success" },
  warning: { icon: TriangleAlert, look: "bg-warning-soft text-text", mark: "text-warning" },
  error: { icon: CircleAlert, look: "bg-danger-soft text-text", mark: "text-danger" },
};

/** A sentence about a state, within the page. `live` speaks it when it appears. */
export function Note(props: {
  tone?: keyof typeof TONES;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  live?: boolean;
  className?: string;
}) {
  const { icon: Icon, look, mark } = TONES[props.tone ?? "info"];
  const role = props.live ? (props.tone === "error" ? "alert" : "status") : undefined;
  return (
    <div role={role} className={cx("flex items-start gap-2.5 rounded px-3 py-2.5", look, props.className)}>
      <Icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", mark)} />
      <div className="min-w-0 flex-1 break-words">
        {props.title && <p className="font-medium">{props.title}</p>}
        {props.children && <div className={cx(props.title ? "text-muted text-sm" : undefined)}>{props.children}</div>}
      </div>
      {props.action}
    </div>
  );
}

/** The place of something that is being read. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cx("block animate-pulse rounded bg-hover", className)} />;
}

/** A heading with its lines below it, as in settings. */
export function Section(props: { title: string; text?: ReactNode; children: ReactNode; action?: ReactNode }) {
  return (
    <section className="border-line border-t pt-6 first:border-t-0 first:pt-0">
      <div className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-[min(100%,15rem)] flex-1">
          <h2 className="font-semibold text-md">{props.title}</h2>
          {props.text && <p className="mt-0.5 text-muted">{props.text}</p>}
        </div>
        {props.action}
      </div>
      <div className="flex flex-col gap-5">{props.children}</div>
    </section>
  );
}
