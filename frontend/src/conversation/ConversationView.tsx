import "./conversation.css";
import { FolderX } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useSheet } from "@/app/palette";
import { navigate, paths } from "@/app/router";
import { Slot } from "@/app/slots";
import { backend, desktop, type RejectionError, useBot, useConnection, useSession } from "@/backend";
import type { QueuedMessage } from "@/backend/types";
import { ErrorNote, useErrorToast } from "@/errors";
import { chooseFolder } from "@/folders";
import { useT } from "@/i18n";
import { useSaveSettings } from "@/settings/useSaveSettings";
import { Button } from "@/ui/Button";
import { Note } from "@/ui/parts";
import { toast } from "@/ui/toast";
import { Composer, type ComposerHandle } from "./composer/Composer";
import { THEMES } from "./composer/commands";
import { Queue } from "./composer/Queue";
import type { Delivery } from "./composer/SendButtons";
import { type Actions, ActionsProvider } from "./context";
import { draftOf } from "./drafts";
import { Loading, MessageList, type MessageListHandle } from "./MessageList";
import { StatusLine } from "./StatusLine";
import { answerText, requestText } from "./source";
import { runningTurn } from "./state";
import type { ConversationStore } from "./store";
import { Title } from "./Title";
import { useAnnouncements } from "./useAnnouncements";
import { useConversationStore, useView } from "./useConversation";
import { useDoubleEscape } from "./useDoubleEscape";
import { useWorkspace } from "./useWorkspace";

/** One conversation: its messages, what waits, the composer and the lines around them. */
export function ConversationView({ sessionId }: { sessionId: string }) {
  const store = useConversationStore(sessionId);
  if (!store) return null;
  return <Opened key={sessionId} store={store} />;
}

function Opened({ store }: { store: ConversationStore }) {
  const t = useT();
  const status = useView(store, (view) => view.status);
  const error = useView(store, (view) => view.error);
  if (status === "failed" && error) {
    return (
      <div className="mx-auto max-w-176 px-8 py-10">
        <Slot name="title">
          <h1 className="truncate font-semibold">{t("conversation.cannotOpen")}</h1>
        </Slot>
        <ErrorNote
          reason={error}
          action={
            <Button size="small" onClick={store.retryOpen}>
              {t("conversation.tryAgain")}
            </Button>
          }
        />
      </div>
    );
  }
  return <Chat store={store} />;
}

const NO_QUEUE: readonly QueuedMessage[] = [];

/** Chooses another folder for the conversation. */
function useRelink(store: ConversationStore): () => void {
  const t = useT();
  const { catalog } = useConnection();
  const showError = useErrorToast();
  return useCallback(() => {
    void (async () => {
      try {
        const path = await chooseFolder();
        if (!path) return;
        catalog.takeSession(await backend.Sessions.Relink(store.id, path));
        toast({ kind: "success", text: t("conversation.relinked", { path }) });
      } catch (reason) {
        showError(reason);
      }
    })();
  }, [store, catalog, showError, t]);
}

function Chat({ store }: { store: ConversationStore }) {
  const showError = useErrorToast();
  const conversation = useView(store, (view) => view.conversation);
  const pending = useView(store, (view) => view.pending);
  const session = useSession(store.id, conversation?.session);
  const bot = useBot(session?.bot_id);
  const draft = draftOf(store.id);
  const composer = useRef<ComposerHandle>(null);
  const list = useRef<MessageListHandle>(null);
  const relink = useRelink(store);
  const last = conversation?.turns.findLast((turn) => !turn.loose);
  const workspace = useWorkspace(session?.workspace, last?.outcome ? last.id : undefined);
  useAnnouncements(last, session?.activity, bot?.name ?? "");

  const send = useCallback(
    (text: string, delivery?: Delivery): Promise<void> => {
      const sent = store.send(text, delivery);
      list.current?.toEnd();
      return sent;
    },
    [store],
  );
  const stop = useCallback(() => void store.stop().catch(showError), [store, showError]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: cards stay open for as long as the conversation is shown
  const opened = useMemo(() => new Map<string, boolean>(), [store]);
  const actions = useMemo<Actions>(
    () => ({
      bot,
      store,
      opened,
      stop,
      relink,
      send: (text) => void send(text).catch(showError),
      sendAgain: (message) => void store.sendAgain(message).catch(showError),
      takeBack(message) {
        store.forget(message.id);
        draft.restore({ text: message.text, pastes: [] });
        composer.current?.focus();
      },
      quote(text) {
        draft.quote(text);
        composer.current?.focus();
      },
    }),
    [bot, store, opened, stop, relink, send, showError, draft],
  );

  useEffect(() => composer.current?.focus(), []);

  return (
    <ActionsProvider value={actions}>
      <div className="flex h-full flex-col">
        {session && <Title session={session} />}
        {workspace && !workspace.exists && <FolderGone path={workspace.path} onRelink={relink} />}
        {conversation ? (
          <MessageList ref={list} store={store} conversation={conversation} pending={pending} />
        ) : (
          <div className="min-h-0 flex-1">
            <Loading />
          </div>
        )}
        <Below store={store} composer={composer} send={send} stop={stop} />
        <StatusLine bot={bot} workspace={workspace} totals={conversation?.totals} queued={conversation?.queue.length} />
      </div>
    </ActionsProvider>
  );
}

function FolderGone({ path, onRelink }: { path: string; onRelink(): void }) {
  const t = useT();
  return (
    <div className="px-6 pt-3">
      <Note
        tone="warning"
        live
        title={t("conversation.folderGone")}
        className="mx-auto max-w-180"
        action={
          <Button size="small" icon={FolderX} onClick={onRelink}>
            {t("conversation.relink")}
          </Button>
        }
      >
        {t("conversation.folderGone.text", { path })}
      </Note>
    </div>
  );
}

/** What is shown may be old. That the whole program does not answer is said elsewhere. */
function NotLive({ error, onRetry }: { error: RejectionError; onRetry(): void }) {
  const t = useT();
  if (error.code === "unreachable") return null;
  return (
    <div className="mb-2">
      <ErrorNote
        reason={error}
        action={
          <Button size="small" onClick={onRetry}>
            {t("conversation.tryAgain")}
          </Button>
        }
      />
    </div>
  );
}

interface BelowProps {
  store: ConversationStore;
  composer: React.RefObject<ComposerHandle | null>;
  send(text: string, delivery?: Delivery): Promise<void>;
  stop(): void;
}

/** The queue and the composer. They are drawn again when a turn begins or ends, and not while it streams. */
function Below({ store, composer, send, stop }: BelowProps) {
  const t = useT();
  const turnId = useView(store, (view) => (view.conversation ? runningTurn(view.conversation)?.id : undefined));
  const stopping = useView(store, (view) => view.stopping !== null);
  const error = useView(store, (view) => view.error);
  const queue = useView(store, (view) => view.conversation?.queue ?? NO_QUEUE);
  const pending = useView(store, (view) => view.pending);
  const bot = useBot(useView(store, (view) => view.conversation?.session.bot_id));
  const draft = draftOf(store.id);
  const onCommand = useCommands(store, send, stop);
  const running = turnId !== undefined;
  useDoubleEscape(running && !stopping, () => toast({ text: t("conversation.escapeAgain"), lasts: 1500 }), stop);
  return (
    <div className="px-6 pb-3">
      <div className="mx-auto w-full max-w-180">
        {error && <NotLive error={error} onRetry={store.retryOpen} />}
        <Queue store={store} queue={queue} pending={pending} />
        <Composer
          ref={composer}
          draft={draft}
          sessionId={store.id}
          label={t("conversation.message", { bot: bot?.name ?? "" })}
          placeholder={
            running ? t("conversation.placeholder.running") : t("conversation.placeholder", { bot: bot?.name ?? "" })
          }
          running={running}
          stopping={stopping}
          delivery={bot?.config.config.delivery === "queue" ? "queue" : "steer"}
          queue={queue}
          onSend={send}
          onStop={stop}
          onCommand={onCommand}
          onEditQueued={store.editQueued}
        />
      </div>
    </div>
  );
}

/** Carries out the commands of the composer. */
function useCommands(store: ConversationStore, send: BelowProps["send"], stop: () => void) {
  const t = useT();
  const { catalog } = useConnection();
  const showError = useErrorToast();
  const save = useSaveSettings();
  const setSheet = useSheet((s) => s.setOpen);
  return (name: string, argument: string) => {
    const { conversation } = store.get();
    const last = conversation?.turns.findLast((turn) => !turn.loose);
    switch (name) {
      case "new":
        return navigate(paths.newChat(conversation?.session.bot_id));
      case "model":
        return conversation && navigate(paths.bot(conversation.session.bot_id));
      case "help":
        return setSheet(true);
      case "stop":
        return stop();
      case "rename":
        if (!argument) return toast({ text: t("conversation.command.rename.how") });
        return void backend.Sessions.Rename(store.id, argument).then((s) => catalog.takeSession(s), showError);
      case "theme":
        if (!THEMES.includes(argument)) return toast({ text: t("conversation.command.theme.how") });
        return void save({ theme: argument });
      case "copy":
        if (last) void desktop.copy(answerText(last)).then(() => toast({ text: t("conversation.copied") }), showError);
        return;
      case "retry":
        if (last) void send(requestText(last)).catch(showError);
        return;
    }
  };
}
