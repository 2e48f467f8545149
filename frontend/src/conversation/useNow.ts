import { useEffect, useState } from "react";

/** The time, each second while `active`. Clocks that go back count as standing still. */
export function useNow(active: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!active) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow((before) => Math.max(before, Date.now())), 1000);
    return () => clearInterval(timer);
  }, [active]);
  // Drawn again for another reason, it says the time of then.
  return active ? Math.max(now, Date.now()) : now;
}
