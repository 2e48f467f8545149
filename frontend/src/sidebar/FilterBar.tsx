import { useQuery } from "@tanstack/react-query";
import { Folder, ListFilter, X } from "lucide-react";
import { backend, keys, useBots } from "@/backend";
import { useT } from "@/i18n";
import { IconButton } from "@/ui/Button";
import { Face } from "@/ui/Face";
import { Menu, type MenuItem } from "@/ui/Menu";
import { folderName, useChatFilter } from "./filter";

const MOST_FOLDERS = 12;

/** The heading of the conversation list, with its filter by Bot or folder. */
export function FilterBar() {
  const t = useT();
  const { botId, workspace, byBot, byFolder, clear } = useChatFilter();
  const bots = useBots().data ?? [];
  const folders = useQuery({
    queryKey: [...keys.folders, "recent"],
    queryFn: backend.Workspace.Recent,
    staleTime: 30_000,
  });
  const bot = bots.find((b) => b.id === botId);
  const items: MenuItem[] = [
    { id: "all", label: t("chats.filter.all"), checked: !botId && !workspace, run: clear },
    "separator",
    ...bots.map((b): MenuItem => ({ id: b.id, label: b.name, checked: b.id === botId, run: () => byBot(b.id) })),
    "separator",
    ...(folders.data ?? []).slice(0, MOST_FOLDERS).map(
      (f): MenuItem => ({
        id: f.path,
        label: f.name || f.path,
        checked: f.path === workspace,
        icon: Folder,
        run: () => byFolder(f.path),
      }),
    ),
  ];
  return (
    <div className="flex h-8 shrink-0 items-center gap-1 pr-2 pl-4">
      <h2 className="font-medium text-muted text-sm">{t("chats.title")}</h2>
      <span className="flex min-w-0 flex-1 justify-end">
        {(botId || workspace) && (
          <button
            type="button"
            onClick={clear}
            aria-label={t("chats.filter.clear", { name: bot?.name ?? folderName(workspace) })}
            className="inline-flex h-6 min-w-0 items-center gap-1.5 rounded bg-active px-1.5 text-sm hover:bg-hover"
          >
            {bot ? (
              <Face seed={bot.id} tint={bot.tint} className="size-4" />
            ) : (
              <Folder aria-hidden className="size-3.5 shrink-0" />
            )}
            <span className="truncate">{bot?.name ?? folderName(workspace)}</span>
            <X aria-hidden className="size-3.5 shrink-0 text-muted" />
          </button>
        )}
      </span>
      <Menu items={items}>
        <IconButton size="small" icon={ListFilter} label={t("chats.filter")} />
      </Menu>
    </div>
  );
}
