import "./conversation.css";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Folder, FolderPlus } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useSheet } from "@/app/palette";
import { navigate, paths, useRoute } from "@/app/router";
import { Slot } from "@/app/slots";
import { backend, useBots, useConnection, useSettings } from "@/backend";
import type { Bot } from "@/backend/types";
import { useErrorToast } from "@/errors";
import { chooseFolder } from "@/folders";
import { useT } from "@/i18n";
import { useSaveSettings } from "@/settings/useSaveSettings";
import { Face } from "@/ui/Face";
import { Menu, type MenuItem } from "@/ui/Menu";
import { toast } from "@/ui/toast";
import { Composer, type ComposerHandle } from "./composer/Composer";
import { THEMES } from "./composer/commands";
import { draftOf } from "./drafts";
import { newId } from "./ids";
import { StatusLine } from "./StatusLine";
import { useWorkspace } from "./useWorkspace";

/** Things that every Bot can be asked, the built-in demonstration included. */
const IDEAS = ["conversation.idea.files", "conversation.idea.readme", "conversation.idea.markdown"] as const;

const RECENT = 8;

/** The Bot of a new chat: the one that was asked for, else the person's default, else the built-in one. */
function useChosenBot(): [Bot | undefined, readonly Bot[], (id: string) => void] {
  const route = useRoute();
  const bots = useBots().data ?? NO_BOTS;
  const preferred = useSettings().data?.default_bot_id;
  const [chosen, setChosen] = useState<string | null>(null);
  const asked = route.name === "new" ? route.bot : undefined;
  const find = (id: string | null | undefined) => (id ? bots.find((bot) => bot.id === id) : undefined);
  const bot = find(chosen) ?? find(asked) ?? find(preferred) ?? bots.find((b) => b.builtin) ?? bots[0];
  return [bot, bots, setChosen];
}

const NO_BOTS: readonly Bot[] = [];

/** Makes the conversation and sends its first message. The ids are made once, so that trying again never makes a second. */
function useBegin(bot: Bot | undefined, folder: string) {
  const { catalog } = useConnection();
  const made = useRef<{ bot: string; folder: string; id: string } | null>(null);
  const message = useRef<{ text: string; id: string } | null>(null);
  return async (text: string): Promise<void> => {
    if (!bot) return;
    if (made.current?.bot !== bot.id || made.current.folder !== folder) {
      const session = await backend.Sessions.Create({ bot_id: bot.id, ...(folder ? { workspace: folder } : {}) });
      catalog.takeSession(session);
      made.current = { bot: bot.id, folder, id: session.id };
    }
    if (message.current?.text !== text) message.current = { text, id: newId() };
    await backend.Sessions.Submit({ session_id: made.current.id, id: message.current.id, message: { text } });
    navigate(paths.chat(made.current.id), { replace: true });
  };
}

/** Where a conversation begins: who to talk to, in which folder, and what to try. */
export function NewChatView() {
  const t = useT();
  const [bot, bots, chooseBot] = useChosenBot();
  const settings = useSettings().data;
  const [folder, setFolder] = useState("");
  const [busy, setBusy] = useState(false);
  const path = folder || settings?.default_folder || "";
  const workspace = useWorkspace(path, undefined);
  const begin = useBegin(bot, folder);
  const composer = useRef<ComposerHandle>(null);
  const draft = draftOf("new");
  const onCommand = useNewCommands(bot);
  const showError = useErrorToast();
  const route = useRoute();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a Bot that is asked for anew takes the place of the chosen one
  useEffect(() => {
    composer.current?.focus();
  }, [route]);

  const send = async (text: string) => {
    setBusy(true);
    try {
      await begin(text);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className="flex h-full flex-col overflow-y-auto">
      <Slot name="title">
        <h1 className="truncate font-semibold">{t("conversation.new")}</h1>
      </Slot>
      <div className="mx-auto my-auto w-full max-w-160 px-6 py-8">
        <div className="flex flex-col items-center pb-7 text-center">
          <Face seed={bot?.id ?? ""} tint={bot?.tint} className="size-14" />
          <h2 className="mt-4 text-balance font-semibold text-xl leading-tight tracking-tight">
            {bot?.builtin ? t("conversation.greeting") : t("conversation.greeting.bot", { bot: bot?.name ?? "" })}
          </h2>
          {bot && <p className="mt-1.5 max-w-110 text-balance text-muted">{bot.description}</p>}
        </div>
        <Composer
          ref={composer}
          draft={draft}
          label={t("conversation.message", { bot: bot?.name ?? "" })}
          placeholder={t("conversation.placeholder", { bot: bot?.name ?? "" })}
          running={false}
          delivery="steer"
          queue={NO_QUEUE}
          onSend={send}
          onStop={() => {}}
          onCommand={onCommand}
          start={
            <>
              <BotChoice bot={bot} bots={bots} onChoose={chooseBot} />
              <FolderChoice path={path} name={workspace?.name} onChoose={setFolder} />
            </>
          }
        />
        <ul aria-label={t("conversation.ideas")} className="mt-3 grid gap-1.5">
          {IDEAS.map((id) => (
            <li key={id}>
              <button
                type="button"
                disabled={busy || !bot}
                onClick={() => {
                  const before = draft.get();
                  void send(t(id)).catch((reason) => {
                    // What was being written stays; the idea is put in front of it.
                    draft.restore({ text: before.text ? "" : t(id), pastes: [] });
                    showError(reason);
                  });
                }}
                className="flex w-full items-center justify-between gap-3 rounded px-3.5 py-2 text-left text-muted transition-colors enabled:hover:bg-hover enabled:hover:text-text disabled:opacity-60"
              >
                <span>{t(id)}</span>
                <span aria-hidden className="text-faint">
                  ↵
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <StatusLine bot={bot} workspace={workspace} />
    </div>
  );
}

const NO_QUEUE: never[] = [];

const CHIP =
  "flex h-7 min-w-0 items-center gap-1.5 rounded px-2 text-muted text-sm transition-colors hover:bg-hover hover:text-text data-[state=open]:bg-hover";

function BotChoice({ bot, bots, onChoose }: { bot?: Bot; bots: readonly Bot[]; onChoose(id: string): void }) {
  const t = useT();
  const items: MenuItem[] = bots.map((other) => ({
    id: other.id,
    label: other.name,
    checked: other.id === bot?.id,
    run: () => onChoose(other.id),
  }));
  return (
    <Menu items={items} align="start" side="top">
      <button type="button" aria-label={t("conversation.chooseBot", { bot: bot?.name ?? "" })} className={CHIP}>
        <Face seed={bot?.id ?? ""} tint={bot?.tint} className="size-4.5" />
        <span className="truncate">{bot?.name}</span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </button>
    </Menu>
  );
}

function FolderChoice({ path, name, onChoose }: { path: string; name?: string; onChoose(path: string): void }) {
  const t = useT();
  const recent = useQuery({
    queryKey: ["folders", "recent"],
    queryFn: backend.Workspace.Recent,
    staleTime: 10_000,
  }).data;
  const items = useMemo<MenuItem[]>(() => {
    const known = (recent ?? []).filter((info) => info.exists).slice(0, RECENT);
    return [
      ...known.map((info) => ({
        id: info.path,
        label: info.name || info.path,
        hint: info.branch,
        checked: info.path === path,
        run: () => onChoose(info.path),
      })),
      ...(known.length > 0 ? (["separator"] as const) : []),
      {
        id: "choose",
        label: t("conversation.chooseFolder"),
        icon: FolderPlus,
        run: () => void chooseFolder({ start: path }).then((chosen) => chosen && onChoose(chosen)),
      },
    ];
  }, [recent, path, onChoose, t]);
  return (
    <Menu items={items} align="start" side="top">
      <button type="button" aria-label={t("conversation.folder", { path })} title={path} className={CHIP}>
        <Folder aria-hidden className="size-4 shrink-0" />
        <span className="truncate">{name || path.split("/").at(-1) || t("conversation.folder.none")}</span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </button>
    </Menu>
  );
}

function useNewCommands(bot: Bot | undefined) {
  const t = useT();
  const save = useSaveSettings();
  const setSheet = useSheet((s) => s.setOpen);
  return (name: string, argument: string) => {
    switch (name) {
      case "model":
        return bot && navigate(paths.bot(bot.id));
      case "help":
        return setSheet(true);
      case "theme":
        if (!THEMES.includes(argument)) return toast({ text: t("conversation.command.theme.how") });
        return void save({ theme: argument });
    }
  };
}
