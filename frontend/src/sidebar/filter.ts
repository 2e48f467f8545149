import { create } from "zustand";
import { persist } from "zustand/middleware";

/** Which conversations the sidebar lists. At most one of the two is set. */
interface ChatFilter {
  botId: string;
  workspace: string;
  byBot(id: string): void;
  byFolder(path: string): void;
  clear(): void;
}

export const useChatFilter = create<ChatFilter>()(
  persist(
    (set) => ({
      botId: "",
      workspace: "",
      byBot: (botId) => set({ botId, workspace: "" }),
      byFolder: (workspace) => set({ workspace, botId: "" }),
      clear: () => set({ botId: "", workspace: "" }),
    }),
    { name: "mobius.filter" },
  ),
);

/** The last part of a path, for display. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
