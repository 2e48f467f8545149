import { useEffect } from "react";
import { backend } from "@/backend";

/**
 * Tells the backend when a person first sees the page, which is the second frame after it has something to show; its log
 * keeps how long a start took until then.
 */
export function usePainted(shown: boolean): void {
  useEffect(() => {
    if (!shown) return;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => void backend.System.Painted().catch(() => undefined));
    });
    return () => cancelAnimationFrame(frame);
  }, [shown]);
}
