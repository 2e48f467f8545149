import { create } from "zustand";
import { screen } from "@/app/screen";
import { desktop } from "@/backend";

const FolderDialog = screen(() => import("./FolderDialog").then((m) => m.default));

interface Asked {
  start: string;
  answer(path: string | null): void;
}

const useAsked = create<{ asked: Asked | null }>(() => ({ asked: null }));

/**
 * Lets the person choose a folder: the system's dialog in the desktop window, else a list of the machine's folders.
 * Resolves to null when nothing was chosen.
 */
export async function chooseFolder(options: { start?: string } = {}): Promise<string | null> {
  const native = desktop.chooseFolder(options.start ?? "");
  if (native) return (await native) || null;
  useAsked.getState().asked?.answer(null);
  return new Promise((resolve) => {
    const answer = (path: string | null) => {
      useAsked.setState({ asked: null });
      resolve(path);
    };
    useAsked.setState({ asked: { start: options.start ?? "", answer } });
  });
}

/** Draws the folder dialog of `chooseFolder`. Once in the page. */
export function FolderHost() {
  const asked = useAsked((s) => s.asked);
  if (!asked) return null;
  return <FolderDialog start={asked.start} onAnswer={asked.answer} />;
}
