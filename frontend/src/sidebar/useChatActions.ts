import { useCallback } from "react";
import { navigate, parseRoute, paths } from "@/app/router";
import { backend, useConnection } from "@/backend";
import type { Session } from "@/backend/types";
import { useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { toast } from "@/ui/toast";

/** What can be done to a conversation from a list. Each shows its own refusal. */
export function useChatActions() {
  const t = useT();
  const { catalog } = useConnection();
  const showError = useErrorToast();

  const rename = useCallback(
    async (session: Session, title: string) => {
      const wanted = title.trim();
      if (!wanted || wanted === session.title) return;
      catalog.takeSession({ ...session, title: wanted });
      try {
        catalog.takeSession(await backend.Sessions.Rename(session.id, wanted));
      } catch (reason) {
        catalog.takeSession(session);
        showError(reason);
      }
    },
    [catalog, showError],
  );

  const pin = useCallback(
    async (session: Session) => {
      try {
        catalog.takeSession(await backend.Sessions.Pin(session.id, !session.pinned));
      } catch (reason) {
        showError(reason);
      }
    },
    [catalog, showError],
  );

  const restore = useCallback(
    async (ids: string[]) => {
      try {
        await backend.Sessions.Undelete(ids);
      } catch (reason) {
        showError(reason);
      }
    },
    [showError],
  );

  /** Moves a conversation to the trash; a toast takes it back. */
  const remove = useCallback(
    async (session: Session) => {
      try {
        await backend.Sessions.Delete([session.id]);
      } catch (reason) {
        showError(reason);
        return;
      }
      const route = parseRoute(window.location.hash.slice(1));
      const wasOpen = route.name === "chat" && route.id === session.id;
      if (wasOpen) navigate(paths.newChat(), { replace: true });
      toast({
        text: t("chats.deleted", { title: session.title }),
        lasts: 10_000,
        action: {
          label: t("common.undo"),
          run: () => void restore([session.id]).then(() => wasOpen && navigate(paths.chat(session.id))),
        },
      });
    },
    [restore, showError, t],
  );

  return { rename, pin, remove, restore };
}
