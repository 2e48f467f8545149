import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { create } from "zustand";
import { useT } from "@/i18n";
import { Button, IconButton } from "./Button";
import { cx } from "./cx";

export interface ToastOptions {
  /** Already in the person's language. */
  text: string;
  detail?: string;
  kind?: "info" | "success" | "error";
  action?: { label: string; run(): void };
  /** Milliseconds until it goes; errors stay twice as long, and none goes while it is pointed at or focused. */
  lasts?: number;
}

interface Toast extends ToastOptions {
  id: number;
}

const MAX_SHOWN = 4;
let nextId = 1;

const useToasts = create<{ toasts: Toast[] }>(() => ({ toasts: [] }));

export function toast(options: ToastOptions): number {
  const id = nextId++;
  useToasts.setState((s) => ({ toasts: [...s.toasts, { ...options, id }].slice(-MAX_SHOWN) }));
  return id;
}

export function dismissToast(id: number): void {
  useToasts.setState((s) => ({ toasts: s.toasts.filter((t) => t.id !== id) }));
}

const ICON = { info: Info, success: CircleCheck, error: CircleAlert };
const TONE = { info: "text-muted", success: "text-success", error: "text-danger" };

function ToastCard({ toast: shown }: { toast: Toast }) {
  const t = useT();
  const kind = shown.kind ?? "info";
  const Icon = ICON[kind];
  const lasts = shown.lasts ?? (kind === "error" ? 12_000 : 6_000);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const start = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => dismissToast(shown.id), lasts);
  };
  const hold = () => clearTimeout(timer.current);
  useEffect(() => {
    timer.current = setTimeout(() => dismissToast(shown.id), lasts);
    return () => clearTimeout(timer.current);
  }, [shown.id, lasts]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only holds its clock
    <div
      onMouseEnter={hold}
      onMouseLeave={start}
      onFocus={hold}
      onBlur={start}
      className="pointer-events-auto flex w-90 max-w-full animate-appear items-start gap-2.5 rounded border border-line bg-raised py-2.5 pr-2 pl-3 shadow-high"
    >
      <Icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", TONE[kind])} />
      <div className="min-w-0 flex-1">
        <p className="break-words">{shown.text}</p>
        {shown.detail && <p className="mt-0.5 line-clamp-4 break-words text-muted text-sm">{shown.detail}</p>}
      </div>
      {shown.action && (
        <Button
          size="small"
          className="-my-0.5"
          onClick={() => {
            dismissToast(shown.id);
            shown.action?.run();
          }}
        >
          {shown.action.label}
        </Button>
      )}
      <IconButton
        size="small"
        icon={X}
        label={t("common.dismiss")}
        className="-my-0.5"
        onClick={() => dismissToast(shown.id)}
      />
    </div>
  );
}

/** Draws the toasts. They are spoken politely, errors at once. */
export function ToastHost() {
  const t = useT();
  const toasts = useToasts((s) => s.toasts);
  const errors = toasts.filter((x) => x.kind === "error");
  const others = toasts.filter((x) => x.kind !== "error");
  return (
    <section
      aria-label={t("common.notifications")}
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex max-w-[calc(100vw-2rem)] flex-col gap-2"
    >
      <div role="status" aria-live="polite" className="contents">
        {others.map((x) => (
          <ToastCard key={x.id} toast={x} />
        ))}
      </div>
      <div role="alert" className="contents">
        {errors.map((x) => (
          <ToastCard key={x.id} toast={x} />
        ))}
      </div>
    </section>
  );
}
