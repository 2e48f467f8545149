import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useT } from "@/i18n";

/** A connection that is back within this time was never worth a word. */
const PATIENCE_MS = 1500;

/** Says quietly that a page in a browser has lost its server, for as long as that lasts. */
export function ConnectionNotice() {
  const t = useT();
  const [lost, setLost] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const off = window.runtime?.EventsOnMultiple(
      "connection",
      (state) => {
        clearTimeout(timer);
        if ((state as { up: boolean }).up) setLost(false);
        else timer = setTimeout(() => setLost(true), PATIENCE_MS);
      },
      -1,
    );
    return () => {
      clearTimeout(timer);
      off?.();
    };
  }, []);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-2 z-50 flex justify-center">
      {lost && (
        <p className="flex animate-appear items-center gap-2 rounded border border-line bg-raised px-3 py-1.5 shadow-high">
          <CloudOff aria-hidden className="size-4 text-warning" />
          {t("app.connection.lost")}
        </p>
      )}
    </div>
  );
}
