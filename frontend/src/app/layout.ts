import { create } from "zustand";
import { persist } from "zustand/middleware";

export const SIDEBAR_MIN = 220;
export const SIDEBAR_MAX = 480;
export const SIDEBAR_DEFAULT = 272;
export const INSPECTOR_MIN = 260;
export const INSPECTOR_MAX = 640;
export const INSPECTOR_DEFAULT = 340;

/** How the person has arranged the window. Kept on this machine, not in the settings: it belongs to this screen. */
interface Layout {
  sidebarWidth: number;
  sidebarOpen: boolean;
  inspectorWidth: number;
  inspectorOpen: boolean;
  setSidebarWidth(width: number): void;
  toggleSidebar(): void;
  setInspectorWidth(width: number): void;
  toggleInspector(): void;
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, Math.round(value)));

export const useLayout = create<Layout>()(
  persist(
    (set) => ({
      sidebarWidth: SIDEBAR_DEFAULT,
      sidebarOpen: true,
      inspectorWidth: INSPECTOR_DEFAULT,
      inspectorOpen: false,
      setSidebarWidth: (width) => set({ sidebarWidth: clamp(width, SIDEBAR_MIN, SIDEBAR_MAX) }),
      toggleSidebar: () => set((s) => ({ sidebarOpen: !s.sidebarOpen })),
      setInspectorWidth: (width) => set({ inspectorWidth: clamp(width, INSPECTOR_MIN, INSPECTOR_MAX) }),
      toggleInspector: () => set((s) => ({ inspectorOpen: !s.inspectorOpen })),
    }),
    { name: "mobius.layout" },
  ),
);
