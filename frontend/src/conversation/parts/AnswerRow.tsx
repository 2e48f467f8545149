import { memo } from "react";
import { MarkdownChunk } from "@/markdown/Markdown";
import type { Row } from "../rows";
import { Lead } from "./Lead";

/** A part of an answer. */
export const AnswerRow = memo(function AnswerRow({ row }: { row: Extract<Row, { kind: "answer" }> }) {
  return (
    <div className="py-[0.375em]">
      {row.lead && <Lead />}
      <MarkdownChunk chunk={row.chunk} />
    </div>
  );
});
