import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import {
  Bot as BotIcon,
  type LucideIcon,
  MessageSquare,
  Moon,
  Plus,
  Settings,
  SquarePen,
  Stethoscope,
  Sun,
  Trash2,
  Unplug,
} from "lucide-react";
import { Dialog } from "radix-ui";
import { type ReactNode, useDeferredValue, useState } from "react";
import { backend, useBots } from "@/backend";
import { useT } from "@/i18n";
import { useSaveSettings } from "@/settings/useSaveSettings";
import { Face } from "@/ui/Face";
import { usePalette } from "./palette";
import { navigate, paths } from "./router";

const ITEM =
  "flex h-9 items-center gap-2.5 rounded px-2.5 data-[selected=true]:bg-highlight [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted";
const GROUP =
  "p-1 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted";
const MOST_RECENT = 6;
const MOST_FOUND = 20;

interface Entry {
  id: string;
  label: string;
  icon: LucideIcon;
  run(): void;
}

/** Finds conversations, Bots and commands. Conversations are looked up by the backend, so all of them are found. */
export default function Palette() {
  const t = useT();
  const { isOpen, close } = usePalette();
  const [text, setText] = useState("");
  const wanted = useDeferredValue(text.trim());
  const bots = useBots().data ?? [];
  const saveSettings = useSaveSettings();
  const found = useQuery({
    queryKey: ["search", wanted],
    queryFn: () => backend.Sessions.List({ text: wanted, limit: wanted ? MOST_FOUND : MOST_RECENT }),
    enabled: isOpen,
    staleTime: 0,
    placeholderData: (former) => former,
  });
  const act = (run: () => void) => () => {
    close();
    setText("");
    run();
  };
  const go = (path: string) => () => navigate(path);
  const commands: Entry[] = [
    { id: "new", label: t("app.newChat"), icon: SquarePen, run: go(paths.newChat()) },
    { id: "new-bot", label: t("bots.new"), icon: Plus, run: go(paths.newBot) },
    { id: "bots", label: t("app.bots"), icon: BotIcon, run: go(paths.bots) },
    { id: "providers", label: t("settings.providers"), icon: Unplug, run: go(paths.settings("providers")) },
    { id: "settings", label: t("app.settings"), icon: Settings, run: go(paths.settings()) },
    { id: "diagnostics", label: t("settings.diagnostics"), icon: Stethoscope, run: go(paths.settings("diagnostics")) },
    { id: "trash", label: t("app.trash"), icon: Trash2, run: go(paths.trash) },
    { id: "light", label: t("palette.light"), icon: Sun, run: () => saveSettings({ theme: "light" }) },
    { id: "dark", label: t("palette.dark"), icon: Moon, run: () => saveSettings({ theme: "dark" }) },
  ];
  const matches = (label: string) => label.toLowerCase().includes(wanted.toLowerCase());
  const shownCommands = commands.filter((c) => matches(c.label));
  const shownBots = bots.filter((b) => matches(b.name) || matches(b.handle));
  const sessions = found.data?.sessions ?? [];
  const first = sessions[0]
    ? `chat ${sessions[0].id}`
    : shownBots[0]
      ? `bot ${shownBots[0].id}`
      : shownCommands[0]
        ? `command ${shownCommands[0].id}`
        : "";
  const [chosen, setChosen] = useState({ by: "", value: "" });
  // The first entry is chosen until the arrow keys or the pointer choose another one of the same list.
  const value = chosen.by === first + wanted ? chosen.value : first;
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-backdrop" />
        <Dialog.Content
          aria-describedby={undefined}
          className="-translate-x-1/2 fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-3rem)] max-w-150 animate-appear overflow-hidden rounded border border-line bg-raised shadow-high"
        >
          <Dialog.Title className="sr-only">{t("app.search")}</Dialog.Title>
          <Command
            shouldFilter={false}
            loop
            label={t("app.search")}
            value={value}
            onValueChange={(next) => setChosen({ by: first + wanted, value: next })}
          >
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder={t("palette.placeholder")}
              className="h-12 w-full border-line border-b bg-transparent px-4 text-md outline-none"
            />
            <Command.List className="max-h-[min(24rem,60vh)] overflow-y-auto">
              {!found.isFetching && (
                <Command.Empty className="px-4 py-8 text-center text-muted">
                  {t("palette.nothing", { text })}
                </Command.Empty>
              )}
              <Group heading={t("chats.title")} show={sessions.length > 0}>
                {sessions.map((s) => (
                  <Command.Item key={s.id} value={`chat ${s.id}`} onSelect={act(go(paths.chat(s.id)))} className={ITEM}>
                    <MessageSquare aria-hidden />
                    <span className="min-w-0 flex-1 truncate">{s.title}</span>
                    <span className="max-w-40 truncate text-muted text-sm">
                      {bots.find((b) => b.id === s.bot_id)?.name}
                    </span>
                  </Command.Item>
                ))}
              </Group>
              <Group heading={t("app.bots")} show={shownBots.length > 0}>
                {shownBots.map((b) => (
                  <Command.Item key={b.id} value={`bot ${b.id}`} onSelect={act(go(paths.bot(b.id)))} className={ITEM}>
                    <Face seed={b.id} tint={b.tint} className="size-5" />
                    <span className="min-w-0 flex-1 truncate">{b.name}</span>
                    <span className="text-muted text-sm">@{b.handle}</span>
                  </Command.Item>
                ))}
              </Group>
              <Group heading={t("palette.commands")} show={shownCommands.length > 0}>
                {shownCommands.map((c) => (
                  <Command.Item key={c.id} value={`command ${c.id}`} onSelect={act(c.run)} className={ITEM}>
                    <c.icon aria-hidden />
                    {c.label}
                  </Command.Item>
                ))}
              </Group>
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ heading, show, children }: { heading: string; show: boolean; children: ReactNode }) {
  return show ? (
    <Command.Group heading={heading} className={GROUP}>
      {children}
    </Command.Group>
  ) : null;
}
