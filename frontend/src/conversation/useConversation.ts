import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useSubscribeSession } from "@/backend";
import { ConversationStore, type View } from "./store";

/** The store of a conversation, opened while the view is shown. */
export function useConversationStore(id: string): ConversationStore | null {
  const subscribe = useSubscribeSession();
  const [store, setStore] = useState<ConversationStore | null>(null);
  useEffect(() => {
    const made = new ConversationStore(id, subscribe);
    made.start();
    setStore(made);
    return () => made.close();
  }, [id, subscribe]);
  return store?.id === id ? store : null;
}

/** A part of the view; the component is drawn again only when that part is another one. */
export function useView<T>(store: ConversationStore, select: (view: View) => T): T {
  const selector = useRef(select);
  selector.current = select;
  return useSyncExternalStore(store.subscribe, () => selector.current(store.get()));
}
