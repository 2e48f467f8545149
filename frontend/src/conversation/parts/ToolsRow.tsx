import { Ban, Check, CircleAlert, LoaderCircle, Wrench } from "lucide-react";
import { memo, useMemo } from "react";
import { useT } from "@/i18n";
import { cx } from "@/ui/cx";
import { useFormats } from "../format";
import type { Call, Row } from "../rows";
import { mainArgument, toolTitle } from "../source";
import { useNow } from "../useNow";
import { CallBody } from "./CallBody";
import { Disclosure } from "./Disclosure";
import { Lead } from "./Lead";

type State = "waiting" | "running" | "ok" | "error" | "interrupted";

function stateOf(call: Call): State {
  if (call.result) return call.result.status === "ok" ? "ok" : call.result.status === "error" ? "error" : "interrupted";
  return call.since === undefined ? "waiting" : "running";
}

const ICON = { waiting: LoaderCircle, running: LoaderCircle, ok: Check, error: CircleAlert, interrupted: Ban };

function StateMark({ state, words }: { state: State; words: string }) {
  const Icon = ICON[state];
  return (
    <span className={cx("flex shrink-0 items-center gap-1.5 text-xs", state === "error" && "text-danger")}>
      {words && <span className="tabular-nums">{words}</span>}
      <Icon
        aria-hidden
        className={cx(
          "size-3.5",
          state === "ok" && "text-success",
          (state === "running" || state === "waiting") && "animate-spin",
        )}
      />
    </span>
  );
}

/** The words beside a call: how it is or how long it took. */
function useStateWords(call: Call, state: State): string {
  const t = useT();
  const formats = useFormats();
  const now = useNow(state === "running");
  if (state === "error") return t("conversation.tool.failed");
  if (state === "interrupted") return t("conversation.tool.interrupted");
  if (state === "running" && call.since !== undefined && now - call.since >= 1000) {
    return formats.duration(now - call.since);
  }
  const took = call.result?.duration_ms ?? 0;
  return state === "ok" && took >= 100 ? formats.duration(took) : "";
}

/** One call as a line that opens to its arguments, its output and its time. */
const CallCard = memo(function CallCard({ call, id }: { call: Call; id: string }) {
  const state = stateOf(call);
  const words = useStateWords(call, state);
  const argument = useMemo(() => mainArgument(call.args), [call.args]);
  return (
    <Disclosure
      id={id}
      summary={
        <>
          <span className="shrink-0 font-medium text-text">{toolTitle(call.name)}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-xs">{argument}</span>
          <StateMark state={state} words={words} />
        </>
      }
    >
      {() => <CallBody call={call} />}
    </Disclosure>
  );
});

function Summary({ calls }: { calls: readonly Call[] }) {
  const t = useT();
  const states = calls.map(stateOf);
  const failed = states.filter((s) => s === "error").length;
  const current = states.findIndex((s) => s === "running" || s === "waiting");
  const names = [...new Set(calls.map((call) => toolTitle(call.name)))];
  const running = calls[current];
  const state: State = running
    ? "running"
    : failed > 0
      ? "error"
      : states.includes("interrupted")
        ? "interrupted"
        : "ok";
  return (
    <>
      <Wrench aria-hidden className="size-4 shrink-0" />
      <span className="shrink-0 font-medium text-text">{t("conversation.tools", { count: calls.length })}</span>
      <span className="min-w-0 flex-1 truncate">
        {running ? `${toolTitle(running.name)} ${mainArgument(running.args)}` : names.join(", ")}
      </span>
      <StateMark state={state} words={failed > 0 ? t("conversation.tool.someFailed", { count: failed }) : ""} />
    </>
  );
}

/** Consecutive calls: one stands alone, several fold into a group with their number. */
export const ToolsRow = memo(function ToolsRow({ row }: { row: Extract<Row, { kind: "tools" }> }) {
  const [only] = row.calls;
  return (
    <div className="py-1">
      {row.lead && <Lead />}
      <div className="rounded border border-line">
        {row.calls.length === 1 && only ? (
          <CallCard call={only} id={`c:${only.id}`} />
        ) : (
          <Disclosure id={row.key} summary={<Summary calls={row.calls} />}>
            {() => (
              <ul className="border-line border-t py-0.5">
                {row.calls.map((call) => (
                  <li key={call.id}>
                    <CallCard call={call} id={`c:${call.id}`} />
                  </li>
                ))}
              </ul>
            )}
          </Disclosure>
        )}
      </div>
    </div>
  );
});
