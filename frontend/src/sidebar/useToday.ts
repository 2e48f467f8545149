import { useEffect, useState } from "react";
import { dayOf } from "./groups";

/** Local midnight of today; changes at midnight, or when the window is shown again after it. */
export function useToday(): number {
  const [today, setToday] = useState(() => dayOf(Date.now()));
  useEffect(() => {
    const check = () => setToday(dayOf(Date.now()));
    const timer = setInterval(check, 60_000);
    document.addEventListener("visibilitychange", check);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", check);
    };
  }, []);
  return today;
}
