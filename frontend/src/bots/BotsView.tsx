import { Plus } from "lucide-react";
import { useMemo } from "react";
import { Page } from "@/app/Page";
import { Link, navigate, paths } from "@/app/router";
import { useBots, useKnownModels, useProviders, useSessions } from "@/backend";
import type { Bot } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { presenceOf } from "@/sidebar/BotStrip";
import { Button } from "@/ui/Button";
import { Face } from "@/ui/Face";
import { Skeleton } from "@/ui/parts";
import { useHasDraft } from "./useBotDraft";

const NO_FILTER = {};

/** All Bots as cards. */
export default function BotsView() {
  const t = useT();
  const bots = useBots();
  const sessions = useSessions(NO_FILTER).sessions;
  const presence = useMemo(() => presenceOf(bots.data ?? [], sessions ?? []), [bots.data, sessions]);
  return (
    <Page
      wide
      title={t("app.bots")}
      actions={
        <Button size="small" kind="primary" icon={Plus} onClick={() => navigate(paths.newBot)}>
          {t("bots.new")}
        </Button>
      }
    >
      <p className="mb-5 max-w-140 text-muted">{t("bots.intro")}</p>
      {bots.isPending && <Skeleton className="h-28" />}
      {bots.isError && <ErrorNote reason={bots.error} />}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(19rem,1fr))] gap-3">
        {bots.data?.map((bot) => (
          <li key={bot.id} className="flex">
            <BotCard bot={bot} working={presence.get(bot.id)?.working ?? false} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

function BotCard({ bot, working }: { bot: Bot; working: boolean }) {
  const t = useT();
  const { provider } = bot.config.config;
  const instance = useProviders().data?.find((p) => p.id === provider.instance);
  const model = useKnownModels(instance?.id ?? "")?.find((m) => m.id === provider.model);
  const unsaved = useHasDraft(bot.id);
  return (
    <Link
      to={paths.bot(bot.id)}
      className="flex min-w-0 flex-1 flex-col rounded border border-line bg-raised p-4 shadow-low transition-colors hover:border-line-strong"
    >
      <span className="flex items-center gap-3">
        <Face seed={bot.id} tint={bot.tint} className="size-10" />
        <span className="min-w-0 flex-1 leading-tight">
          <span className="block truncate font-semibold">{bot.name}</span>
          <span className="block truncate text-muted text-sm">@{bot.handle}</span>
        </span>
        {working && (
          <span className="rounded bg-success-soft px-1.5 py-0.5 text-success text-sm">
            {t("bots.presence.working")}
          </span>
        )}
        {unsaved && (
          <span className="rounded bg-warning-soft px-1.5 py-0.5 text-sm text-warning">{t("bots.unsaved.short")}</span>
        )}
      </span>
      <span className="mt-3 line-clamp-2 flex-1 text-muted">{bot.description}</span>
      <span className="mt-3 truncate border-line border-t pt-2.5 text-sm">
        {instance ? `${instance.name} · ${model?.name || provider.model || t("model.choose")}` : t("bots.noModel")}
      </span>
    </Link>
  );
}
