import { ChevronRight } from "lucide-react";
import { type ReactNode, useId } from "react";
import { cx } from "@/ui/cx";
import { useOpened } from "../context";

export interface DisclosureProps {
  /** Remembers across scrolling whether it is open. */
  id: string;
  summary: ReactNode;
  /** What is only made once it is opened. */
  children: () => ReactNode;
  className?: string;
  /** Opening waits for nothing to show. */
  disabled?: boolean;
}

/** One line that opens to more. The inside is made when it is first opened, and not before. */
export function Disclosure({ id, summary, children, className, disabled }: DisclosureProps) {
  const [open, toggle] = useOpened(id);
  const body = useId();
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? body : undefined}
        disabled={disabled}
        onClick={toggle}
        className="group flex min-h-7.5 w-full min-w-0 items-center gap-2 rounded px-2 py-0.5 text-left text-muted text-sm transition-colors enabled:hover:bg-hover enabled:hover:text-text"
      >
        <ChevronRight
          aria-hidden
          className={cx(
            "size-3.5 shrink-0 text-faint transition-transform",
            open && "rotate-90",
            disabled && "opacity-0",
          )}
        />
        {summary}
      </button>
      {open && <div id={body}>{children()}</div>}
    </div>
  );
}
