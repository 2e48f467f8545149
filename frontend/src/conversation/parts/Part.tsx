import { useExplain } from "@/errors";
import type { Translate } from "@/i18n";
import { Note } from "@/ui/parts";
import type { Row } from "../rows";
import { AnswerRow } from "./AnswerRow";
import { EndRow } from "./EndRow";
import { MessageRow } from "./MessageRow";
import { ReasoningRow } from "./ReasoningRow";
import { ToolsRow } from "./ToolsRow";

function NoticeRow({ row }: { row: Extract<Row, { kind: "notice" }> }) {
  const { title } = useExplain()({ ...row.notice, message: row.notice.text, fatal: false });
  return (
    <Note tone="warning" className="my-2">
      {row.notice.text || title}
    </Note>
  );
}

function Content({ row }: { row: Row }) {
  switch (row.kind) {
    case "message":
      return <MessageRow row={row} />;
    case "answer":
      return <AnswerRow row={row} />;
    case "reasoning":
      return <ReasoningRow row={row} />;
    case "tools":
      return <ToolsRow row={row} />;
    case "end":
      return <EndRow row={row} />;
    case "notice":
      return <NoticeRow row={row} />;
  }
}

/** Draws one row in the column of the conversation. */
export function renderRow(row: Row) {
  return (
    <div className="mx-auto w-full max-w-192 px-6">
      <Content row={row} />
    </div>
  );
}

/** What a row is called by assistive software. */
export function labelOfRow(t: Translate, bot: string, row: Row): string {
  switch (row.kind) {
    case "message":
      return t(row.message.author === "peer" ? "conversation.row.peer" : "conversation.row.you");
    case "answer":
      return t("conversation.row.answer", { bot });
    case "reasoning":
      return t("conversation.row.reasoning", { bot });
    case "tools":
      return t("conversation.row.tools", { bot, count: row.calls.length });
    case "notice":
      return t("conversation.row.notice");
    case "end":
      if (!row.turn.outcome) return t("conversation.row.running", { bot });
      if (row.turn.outcome.status === "completed") return t("conversation.row.completed", { bot });
      return t(row.turn.outcome.status === "failed" ? "conversation.row.failed" : "conversation.row.aborted", { bot });
  }
}

/** A first guess of a row's height, in pixels; it is measured once it is drawn. */
export function guessHeight(row: Row): number {
  switch (row.kind) {
    case "message":
      return (
        62 + 21 * Math.min(17, Math.floor(row.message.text.length / 70) + row.message.text.split("\n", 18).length - 1)
      );
    case "answer": {
      let height = 12;
      for (const block of row.chunk.blocks) {
        if (block.kind === "code") height += 60 + 20 * block.text.split("\n").length;
        else if (block.kind === "table") height += 36 * (block.rows.length + 1);
        else if ("text" in block) height += 10 + 23 * Math.ceil((block.text.length + 1) / 88);
        else height += 30;
      }
      return height;
    }
    case "reasoning":
      return 34;
    case "tools":
      return 42;
    case "end":
      return 40;
    case "notice":
      return 60;
  }
}
