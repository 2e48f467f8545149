import { MessageSquare, SquarePen, UserRound } from "lucide-react";
import { useMemo } from "react";
import { Link, navigate, paths, usePath } from "@/app/router";
import { useBots, useSessions } from "@/backend";
import type { Bot, Session } from "@/backend/types";
import { useT } from "@/i18n";
import { Face } from "@/ui/Face";
import { ContextMenu, type MenuItem } from "@/ui/Menu";
import { useChatFilter } from "./filter";

const MOST = 5;
const NO_FILTER = {};

/** What each Bot is doing: whether it works somewhere, and its newest words. */
export function presenceOf(bots: readonly Bot[], sessions: readonly Session[]) {
  const out = new Map<string, { working: boolean; waiting: boolean; last: string }>();
  for (const bot of bots) out.set(bot.id, { working: false, waiting: false, last: "" });
  const newest = new Map<string, number>();
  for (const session of sessions) {
    const presence = out.get(session.bot_id);
    if (!presence) continue;
    if (session.activity === "running") presence.working = true;
    if (session.activity === "awaiting_approval") presence.waiting = true;
    if (session.last_message && session.updated_at > (newest.get(session.bot_id) ?? 0)) {
      newest.set(session.bot_id, session.updated_at);
      presence.last = session.last_message;
    }
  }
  return out;
}

/** The Bots below their heading, once there is more than the built-in one. The rest is on the page of all Bots. */
export function BotStrip() {
  const t = useT();
  const path = usePath();
  const bots = useBots().data;
  const sessions = useSessions(NO_FILTER).sessions;
  const filterByBot = useChatFilter((s) => s.byBot);
  const presence = useMemo(() => presenceOf(bots ?? [], sessions ?? []), [bots, sessions]);
  if (!bots || bots.length < 2) return null;
  const menu = (bot: Bot): MenuItem[] => [
    {
      id: "new",
      label: t("bots.chatWith", { name: bot.name }),
      icon: SquarePen,
      run: () => navigate(paths.newChat(bot.id)),
    },
    { id: "filter", label: t("bots.showChats"), icon: MessageSquare, run: () => filterByBot(bot.id) },
    { id: "profile", label: t("bots.openProfile"), icon: UserRound, run: () => navigate(paths.bot(bot.id)) },
  ];
  return (
    <ul className="flex shrink-0 flex-col gap-px px-2 pt-0.5" aria-label={t("app.bots")}>
      {bots.slice(0, MOST).map((bot) => {
        const { working, waiting, last } = presence.get(bot.id) ?? { working: false, waiting: false, last: "" };
        const state = waiting
          ? t("bots.presence.waiting")
          : working
            ? t("bots.presence.working")
            : last || bot.description;
        return (
          <li key={bot.id}>
            <ContextMenu items={menu(bot)}>
              <Link
                to={paths.bot(bot.id)}
                aria-current={path === paths.bot(bot.id) ? "page" : undefined}
                className="flex h-10.5 items-center gap-2.5 rounded px-2 hover:bg-hover aria-[current=page]:bg-active"
              >
                <span className="relative flex shrink-0">
                  <Face seed={bot.id} tint={bot.tint} className="size-7" />
                  {(working || waiting) && (
                    <span
                      className={`absolute -right-0.5 -bottom-0.5 size-2.5 rounded-full border-2 border-sidebar ${waiting ? "bg-warning" : "bg-success"}`}
                    />
                  )}
                </span>
                <span className="min-w-0 flex-1 leading-tight">
                  <span className="block truncate">{bot.name}</span>
                  <span className="block truncate text-muted text-xs">{state}</span>
                </span>
              </Link>
            </ContextMenu>
          </li>
        );
      })}
    </ul>
  );
}
