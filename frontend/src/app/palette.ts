import { create } from "zustand";

interface PaletteState {
  isOpen: boolean;
  /** It was opened once, so its code is wanted. */
  wanted: boolean;
  open(): void;
  close(): void;
}

export const usePalette = create<PaletteState>((set) => ({
  isOpen: false,
  wanted: false,
  open: () => set({ isOpen: true, wanted: true }),
  close: () => set({ isOpen: false }),
}));

/** The sheet of all shortcuts. */
export const useSheet = create<{ isOpen: boolean; setOpen(open: boolean): void }>((set) => ({
  isOpen: false,
  setOpen: (isOpen) => set({ isOpen }),
}));
