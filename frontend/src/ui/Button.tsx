import { LoaderCircle, type LucideIcon } from "lucide-react";
import { Tooltip } from "radix-ui";
import type { ButtonHTMLAttributes, Ref } from "react";
import { cx } from "./cx";

type Kind = "primary" | "secondary" | "quiet" | "danger" | "risky";
type Size = "small" | "normal";

const LOOK: Record<Kind, string> = {
  primary: "bg-accent text-on-accent enabled:hover:bg-accent-hover",
  secondary: "bg-raised text-text border border-line-strong/60 shadow-low enabled:hover:bg-hover",
  quiet: "text-muted enabled:hover:bg-hover enabled:hover:text-text",
  /** Leads to something that destroys; the deed itself is "danger". */
  risky: "bg-raised text-danger border border-line-strong/60 shadow-low enabled:hover:bg-danger-soft",
  danger: "bg-danger text-on-danger enabled:hover:bg-danger-hover",
};

const SIZE: Record<Size, string> = { small: "h-7 px-2.5 text-sm gap-1.5", normal: "h-8.5 px-3.5 gap-2" };

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  size?: Size;
  icon?: LucideIcon;
  /** Shows that it is at work, and takes no clicks meanwhile. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = "secondary", size = "normal", icon, busy, className, children, ...rest }: ButtonProps) {
  const Icon = busy ? LoaderCircle : icon;
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={cx(
        "inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded font-medium",
        "transition-colors disabled:opacity-50",
        LOOK[kind],
        SIZE[size],
        className,
      )}
    >
      {Icon && <Icon aria-hidden className={cx("size-4 shrink-0", busy && "animate-spin")} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "kind"> {
  /** Name of the button, shown as its tooltip. */
  label: string;
  icon: LucideIcon;
  /** The shortcut, as text, shown beside the name. */
  hint?: string;
}

export function IconButton({ label, icon: Icon, hint, size = "normal", className, busy, ...rest }: IconButtonProps) {
  return (
    <Hint text={hint ? `${label} (${hint})` : label}>
      <button
        type="button"
        aria-label={label}
        aria-busy={busy || undefined}
        {...rest}
        className={cx(
          "inline-flex shrink-0 items-center justify-center rounded text-muted transition-colors",
          "enabled:hover:bg-hover enabled:hover:text-text disabled:opacity-40",
          "data-[state=open]:bg-hover data-[state=open]:text-text aria-pressed:bg-active aria-pressed:text-text",
          size === "small" ? "size-6.5" : "size-8",
          className,
        )}
      >
        {busy ? <LoaderCircle aria-hidden className="size-4 animate-spin" /> : <Icon aria-hidden className="size-4" />}
      </button>
    </Hint>
  );
}

/** A tooltip. It only repeats or lengthens a name that the element has anyway. */
export function Hint({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={5}
          collisionPadding={8}
          className="z-50 max-w-80 animate-fade rounded bg-text px-2 py-1 text-canvas text-sm shadow-high"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
