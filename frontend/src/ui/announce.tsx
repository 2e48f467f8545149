import { create } from "zustand";

const useAnnounced = create<{ text: string; count: number }>(() => ({ text: "", count: 0 }));

/** Speaks a change of state to screen readers, such as "Mobius has answered". Never text as it streams. */
export function announce(text: string): void {
  useAnnounced.setState((s) => ({ text, count: s.count + 1 }));
}

/** The live region of `announce`. Once in the page. */
export function AnnounceHost() {
  const { text, count } = useAnnounced();
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {/* The same words twice must be spoken twice. */}
      <span key={count}>{text}</span>
    </div>
  );
}
