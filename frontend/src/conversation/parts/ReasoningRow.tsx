import { Brain } from "lucide-react";
import { memo } from "react";
import { useT } from "@/i18n";
import { useFormats } from "../format";
import type { Row } from "../rows";
import { useNow } from "../useNow";
import { Disclosure } from "./Disclosure";
import { Lead } from "./Lead";

/** What the model thought, folded, with how long that took. */
export const ReasoningRow = memo(function ReasoningRow({ row }: { row: Extract<Row, { kind: "reasoning" }> }) {
  const t = useT();
  const formats = useFormats();
  const thinking = row.since !== undefined;
  const now = useNow(thinking);
  const words = thinking
    ? t("conversation.thinking", { time: formats.duration(Math.max(1000, now - (row.since ?? now))) })
    : row.duration && row.duration >= 1000
      ? t("conversation.thoughtFor", { time: formats.duration(row.duration) })
      : t("conversation.thought");
  return (
    <div className="py-0.5">
      {row.lead && <Lead />}
      <Disclosure
        id={row.key}
        className="-mx-2"
        summary={
          <>
            <Brain aria-hidden className="size-4 shrink-0" />
            <span className="min-w-0 truncate tabular-nums">{words}</span>
          </>
        }
      >
        {() => (
          <p className="mx-2 mt-1 mb-2 ml-4 whitespace-pre-wrap border-l-2 pl-4 text-muted text-sm leading-relaxed [overflow-wrap:anywhere]">
            {row.text.trim()}
          </p>
        )}
      </Disclosure>
    </div>
  );
});
