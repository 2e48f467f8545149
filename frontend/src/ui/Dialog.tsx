import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useT } from "@/i18n";
import { IconButton } from "./Button";
import { cx } from "./cx";

export interface DialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  /** One sentence below the title. */
  description?: string;
  /** Buttons at the bottom, the main one last. */
  footer?: ReactNode;
  children?: ReactNode;
  width?: "narrow" | "normal" | "wide";
  /** Neither Escape nor a click beside it closes it. */
  firm?: boolean;
}

/** The first field gets the focus, not the button that closes; without a field the dialog itself does. */
function focusFirstField(event: Event): void {
  event.preventDefault();
  const dialog = event.currentTarget as HTMLElement;
  const wanted = "[autofocus], input:not([type=radio]):not([disabled]), textarea, select";
  (dialog.querySelector<HTMLElement>(wanted) ?? dialog).focus();
}

const WIDTH = { narrow: "max-w-105", normal: "max-w-140", wide: "max-w-210" };

export function Dialog({ open, onClose, title, description, footer, children, width = "normal", firm }: DialogProps) {
  const t = useT();
  const hold = (event: Event) => firm && event.preventDefault();
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-backdrop" />
        <Radix.Content
          onEscapeKeyDown={hold}
          onPointerDownOutside={hold}
          onOpenAutoFocus={focusFirstField}
          {...(description ? {} : { "aria-describedby": undefined })}
          className={cx(
            "-translate-x-1/2 -translate-y-1/2 fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100vh-3rem)] w-[calc(100vw-3rem)]",
            "animate-appear flex-col rounded border border-line bg-raised shadow-high",
            WIDTH[width],
          )}
        >
          <div className="flex items-start gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-semibold text-md leading-tight">{title}</Radix.Title>
              {description && <Radix.Description className="mt-1 text-muted">{description}</Radix.Description>}
            </div>
            {!firm && (
              <Radix.Close asChild>
                <IconButton size="small" icon={X} label={t("common.close")} className="-mr-1.5" />
              </Radix.Close>
            )}
          </div>
          {children && <div className="@container min-h-0 flex-1 overflow-y-auto px-5 pb-4">{children}</div>}
          {footer && <div className="flex justify-end gap-2 border-line border-t px-5 py-3">{footer}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
