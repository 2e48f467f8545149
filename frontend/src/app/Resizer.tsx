import type { KeyboardEvent, PointerEvent } from "react";
import { useRef } from "react";
import { FONT_USUAL } from "@/settings/fontSize";
import { rem } from "@/ui/rem";

export interface ResizerProps {
  label: string;
  width: number;
  min: number;
  max: number;
  /** Which pane it belongs to: one on its left grows to the right. */
  pane: "left" | "right";
  onResize(width: number): void;
  onReset(): void;
}

const STEP = 16;

/** Widths are kept as for the usual font size; what is drawn grows with the person's. */
const scale = () => rem(1) / FONT_USUAL;

/** A kept width as it is drawn. */
export const paneWidth = (width: number) => `${width / FONT_USUAL}rem`;

/** The line between two panes: drag it, use the arrow keys, or double-click to go back to the usual width. */
export function Resizer({ label, width, min, max, pane, onResize, onReset }: ResizerProps) {
  const drag = useRef<{ x: number; width: number } | null>(null);
  const sign = pane === "left" ? 1 : -1;
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current) onResize(drag.current.width + (sign * (event.clientX - drag.current.x)) / scale());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? STEP : event.key === "ArrowLeft" ? -STEP : 0;
    if (step) onResize(width + sign * step);
    else if (event.key === "Home") onResize(min);
    else if (event.key === "End") onResize(max);
    else if (event.key === "Enter") onReset();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        drag.current = null;
      }}
      onDoubleClick={onReset}
      onKeyDown={onKeyDown}
      className={`group absolute inset-y-0 z-10 w-2 cursor-col-resize touch-none ${pane === "left" ? "-right-1" : "-left-1"}`}
    >
      <span className="absolute inset-y-0 left-1/2 w-0.5 -translate-x-1/2 bg-transparent transition-colors group-hover:bg-accent/50 group-focus-visible:bg-accent group-active:bg-accent" />
    </div>
  );
}
