import { createContext, useCallback, useContext, useMemo, useState } from "react";
import type { Bot } from "@/backend/types";
import type { ConversationStore, Pending } from "./store";

/** What the rows of a conversation need. The value stays the same while an answer streams. */
export interface Actions {
  bot: Bot | undefined;
  send(text: string): void;
  sendAgain(pending: Pending): void;
  /** Takes a message that is not known to have arrived back into the composer. */
  takeBack(pending: Pending): void;
  stop(): void;
  quote(text: string): void;
  relink(): void;
  /** Which cards are open; kept while the conversation is. */
  opened: Map<string, boolean>;
  store: ConversationStore;
}

const ActionsContext = createContext<Actions | null>(null);

export const ActionsProvider = ActionsContext.Provider;

export function useActions(): Actions {
  const actions = useContext(ActionsContext);
  if (!actions) throw new Error("There is no conversation above this component.");
  return actions;
}

/** Whether a card is open, also after it was scrolled away and back. */
export function useOpened(key: string, initially = false): [open: boolean, toggle: () => void] {
  const { opened } = useActions();
  const [open, setOpen] = useState(opened.get(key) ?? initially);
  const toggle = useCallback(() => {
    setOpen((was) => {
      opened.set(key, !was);
      return !was;
    });
  }, [opened, key]);
  return useMemo(() => [open, toggle], [open, toggle]);
}
