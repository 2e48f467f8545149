import { type ReactNode, useCallback, useEffect } from "react";
import { createPortal } from "react-dom";
import { create } from "zustand";

/** Places of the frame that the open view fills. A place is drawn only while something fills it. */
export type SlotName = "title" | "actions" | "status" | "inspector";

interface Slots {
  elements: Partial<Record<SlotName, HTMLElement>>;
  filled: Partial<Record<SlotName, number>>;
  setElement(name: SlotName, element: HTMLElement | null): void;
  fill(name: SlotName, by: 1 | -1): void;
}

const useSlots = create<Slots>((set) => ({
  elements: {},
  filled: {},
  setElement: (name, element) => set((s) => ({ elements: { ...s.elements, [name]: element ?? undefined } })),
  fill: (name, by) => set((s) => ({ filled: { ...s.filled, [name]: (s.filled[name] ?? 0) + by } })),
}));

export const useSlotFilled = (name: SlotName): boolean => useSlots((s) => (s.filled[name] ?? 0) > 0);

/** The frame's side of a place. */
export function SlotTarget({ name, className }: { name: SlotName; className?: string }) {
  const setElement = useSlots((s) => s.setElement);
  const ref = useCallback((element: HTMLElement | null) => setElement(name, element), [name, setElement]);
  return <div ref={ref} className={className} />;
}

/**
 * A view's side of a place: what is inside is drawn in the frame. `title` and `actions` are the left and right of the bar
 * above the view, `status` is the line below it and `inspector` the pane on the right, which the person can close.
 */
export function Slot({ name, children }: { name: SlotName; children: ReactNode }) {
  const element = useSlots((s) => s.elements[name]);
  const fill = useSlots((s) => s.fill);
  useEffect(() => {
    fill(name, 1);
    return () => fill(name, -1);
  }, [name, fill]);
  return element ? createPortal(children, element) : null;
}
