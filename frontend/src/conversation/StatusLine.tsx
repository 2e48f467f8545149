import { Folder, GitBranch, ListPlus, Shield } from "lucide-react";
import { memo, type ReactNode } from "react";
import { navigate, paths } from "@/app/router";
import { Slot } from "@/app/slots";
import { useModels } from "@/backend";
import type { Bot, Usage, WorkspaceInfo } from "@/backend/types";
import { useT } from "@/i18n";
import { Hint } from "@/ui/Button";
import { useFormats } from "./format";

const APPROVALS: Record<string, string> = {
  read_only: "conversation.approval.readOnly",
  ask: "conversation.approval.ask",
  accept_edits: "conversation.approval.acceptEdits",
  sandbox: "conversation.approval.sandbox",
  full: "conversation.approval.full",
};

function Item({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Hint text={label}>
      <span className="flex min-w-0 shrink items-center gap-1.5">
        <span className="sr-only">{label}: </span>
        {children}
      </span>
    </Hint>
  );
}

/** How full the model's window is, as a bar and in words. */
function Context({ used, size }: { used: number; size: number }) {
  const t = useT();
  const formats = useFormats();
  const share = Math.min(1, used / size);
  return (
    <Item label={t("conversation.context.text", { used: formats.tokens(used), size: formats.tokens(size) })}>
      <span aria-hidden className="h-1 w-10 overflow-hidden rounded-full bg-active">
        <span className="block h-full rounded-full bg-line-strong" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="tabular-nums">{t("conversation.context", { share: formats.percent(share) })}</span>
    </Item>
  );
}

export interface StatusProps {
  bot: Bot | undefined;
  workspace: WorkspaceInfo | undefined;
  totals?: Usage;
  queued?: number;
}

/** The line below the view: model, folder, approval, context, cost and what waits. */
export const StatusLine = memo(function StatusLine({ bot, workspace, totals, queued = 0 }: StatusProps) {
  const t = useT();
  const formats = useFormats();
  const config = bot?.config.config;
  const models = useModels(config?.provider.instance ?? "").data;
  const model = models?.find((m) => m.id === config?.provider.model);
  const tokens = totals ? totals.input + totals.output + totals.cache_read + totals.cache_write : 0;
  const effort = config?.provider.reasoning_effort;
  return (
    <Slot name="status">
      {bot && config && (
        <Hint text={t("conversation.model.change")}>
          <button
            type="button"
            onClick={() => navigate(paths.bot(bot.id))}
            className="-mx-1.5 min-w-0 shrink truncate rounded px-1.5 hover:bg-hover hover:text-text"
          >
            {model?.name || config.provider.model || t("conversation.model.none")}
            {effort && ` · ${t("conversation.effort", { effort })}`}
          </button>
        </Hint>
      )}
      {workspace && (
        <Item label={workspace.path}>
          <Folder aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{workspace.name || workspace.path}</span>
          {workspace.branch && (
            <>
              <GitBranch aria-hidden className="ml-1 size-3.5 shrink-0" />
              <span className="truncate">{workspace.branch}</span>
            </>
          )}
        </Item>
      )}
      {config && (
        <Item label={t("conversation.approval")}>
          <Shield aria-hidden className="size-3.5 shrink-0" />
          <span className="truncate">{t(APPROVALS[config.approval] ?? "conversation.approval.ask")}</span>
        </Item>
      )}
      <span className="flex-1" />
      {queued > 0 && (
        <Item label={t("conversation.queued")}>
          <ListPlus aria-hidden className="size-3.5 shrink-0" />
          <span className="tabular-nums">{t("conversation.queued.count", { count: queued })}</span>
        </Item>
      )}
      {totals && model && model.context_window > 0 && (totals.context ?? 0) > 0 && (
        <Context used={totals.context ?? 0} size={model.context_window} />
      )}
      {totals && tokens > 0 && (
        <Item
          label={t("conversation.totals", {
            input: formats.number(totals.input + totals.cache_read + totals.cache_write),
            output: formats.number(totals.output),
          })}
        >
          <span className="whitespace-nowrap tabular-nums">
            {t("conversation.tokens", { count: formats.tokens(tokens) })}
            {totals.cost_micros > 0 && ` · ${formats.cost(totals.cost_micros)}`}
          </span>
        </Item>
      )}
    </Slot>
  );
});
