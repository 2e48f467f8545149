import { CircleStop, Copy, Ellipsis, FileCode, Play, Quote, RotateCcw, Square } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { desktop } from "@/backend";
import type { RetryNotice } from "@/backend/types";
import { explain, useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { CopyButton } from "@/markdown";
import { Button, IconButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Menu, type MenuItem } from "@/ui/Menu";
import { useActions } from "../context";
import { useFormats } from "../format";
import type { Row } from "../rows";
import { answerText, cutShort, rawTurn, requestText } from "../source";
import type { Turn } from "../state";
import { useNow } from "../useNow";
import { Failure } from "./Failure";
import { Lead } from "./Lead";

/** The last line of a turn: what it is doing, or how it ended and what can be done with it. Both are equally high. */
export const EndRow = memo(function EndRow({ row }: { row: Extract<Row, { kind: "end" }> }) {
  const { turn, retry, lead } = row;
  return (
    <div className="pb-2">
      {lead && <Lead />}
      {turn.outcome ? <Ended turn={turn} last={row.last} /> : <Working turn={turn} retry={retry} />}
    </div>
  );
});

function Working({ turn, retry }: { turn: Turn; retry?: RetryNotice }) {
  const t = useT();
  const formats = useFormats();
  const { stop } = useActions();
  const now = useNow(true);
  if (retry) {
    const left = Math.max(0, retry.until - now);
    return (
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 rounded bg-warning-soft px-3 py-1.5 text-sm">
        <span className="min-w-0 flex-1">
          {explain(t, retry).title}{" "}
          <span className="tabular-nums">
            {left > 0
              ? t("conversation.retryIn", {
                  time: formats.duration(Math.ceil(left / 1000) * 1000),
                  attempt: retry.attempt + 1,
                })
              : t("conversation.retryNow", { attempt: retry.attempt + 1 })}
          </span>
        </span>
        <Button size="small" icon={Square} onClick={stop}>
          {t("conversation.stop")}
        </Button>
      </div>
    );
  }
  const elapsed = now - turn.at;
  return (
    <div className="flex h-8 items-center gap-2 text-muted text-sm" data-nocopy>
      <span aria-hidden className="working-mark" />
      <span className="tabular-nums">
        {elapsed >= 2000
          ? t("conversation.workingFor", { time: formats.duration(elapsed) })
          : t("conversation.working")}
      </span>
    </div>
  );
}

function Ended({ turn, last }: { turn: Turn; last: boolean }) {
  const t = useT();
  const { send } = useActions();
  const outcome = turn.outcome;
  const stopped = outcome?.status === "aborted";
  const restart = stopped && outcome.reason !== "interrupted";
  const cut = stopped ? null : cutShort(turn);
  return (
    <>
      {outcome?.status === "failed" && outcome.error && <Failure turn={turn} error={outcome.error} last={last} />}
      {(stopped || cut) && (
        <div className="mt-1 flex min-h-8 items-center gap-3 text-muted text-sm">
          <span className="flex items-center gap-2">
            <CircleStop aria-hidden className="size-4" />
            {t(
              cut === "length"
                ? "conversation.cutByLength"
                : cut
                  ? "conversation.cutByFilter"
                  : restart
                    ? "conversation.cutByRestart"
                    : "conversation.stopped",
            )}
          </span>
          {last && cut !== "content_filter" && (
            <Button size="small" icon={Play} onClick={() => send(t("conversation.continueText"))}>
              {t("conversation.continue")}
            </Button>
          )}
        </div>
      )}
      <TurnActions turn={turn} last={last} />
    </>
  );
}

function TurnActions({ turn, last }: { turn: Turn; last: boolean }) {
  const t = useT();
  const formats = useFormats();
  const { send, quote } = useActions();
  const showError = useErrorToast();
  const [raw, setRaw] = useState(false);
  const text = useMemo(() => answerText(turn), [turn]);
  const request = requestText(turn);
  const items: MenuItem[] = [
    {
      id: "copy",
      label: t("conversation.copy"),
      icon: Copy,
      disabled: !text,
      run: () => void desktop.copy(text).catch(showError),
    },
    { id: "quote", label: t("conversation.quote"), icon: Quote, disabled: !text, run: () => quote(text) },
    ...(last && request
      ? [{ id: "retry", label: t("conversation.retry"), icon: RotateCcw, run: () => send(request) }]
      : []),
    { id: "raw", label: t("conversation.showRaw"), icon: FileCode, run: () => setRaw(true) },
  ];
  const took = turn.endedAt ? Math.max(0, turn.endedAt - turn.at) : 0;
  const output = turn.outcome?.usage.output ?? 0;
  return (
    <div className="-ml-1.5 flex h-8 items-center gap-0.5" data-nocopy>
      {text && <CopyButton text={text} label={t("conversation.copyAnswer")} />}
      {last && request && (
        <IconButton size="small" icon={RotateCcw} label={t("conversation.retry")} onClick={() => send(request)} />
      )}
      <Menu items={items} align="start">
        <IconButton size="small" icon={Ellipsis} label={t("conversation.answerMenu")} />
      </Menu>
      <span className="truncate pl-2 text-faint text-xs tabular-nums" title={formats.moment(turn.endedAt ?? turn.at)}>
        {[
          formats.time(turn.endedAt ?? turn.at),
          took > 0 && formats.duration(took),
          output > 0 && t("conversation.tokens", { count: formats.tokens(output) }),
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
      <Dialog
        open={raw}
        onClose={() => setRaw(false)}
        title={t("conversation.raw.title")}
        description={t("conversation.raw.text")}
        width="wide"
        footer={<Button onClick={() => setRaw(false)}>{t("common.close")}</Button>}
      >
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
          tabIndex={0}
          className="max-h-120 overflow-auto whitespace-pre-wrap rounded bg-code p-3 font-mono text-xs leading-relaxed [overflow-wrap:anywhere]"
        >
          {raw && rawTurn(turn)}
        </pre>
      </Dialog>
    </div>
  );
}
