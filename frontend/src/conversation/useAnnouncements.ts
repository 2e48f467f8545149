import { useEffect, useRef } from "react";
import { useT } from "@/i18n";
import { announce } from "@/ui/announce";
import type { Turn } from "./state";

/** Speaks the states of the conversation, and nothing else: begun, asks for approval, finished, failed, stopped. */
export function useAnnouncements(turn: Turn | undefined, activity: string | undefined, bot: string): void {
  const t = useT();
  const before = useRef<{ id: string; over: boolean } | null>(null);
  const id = turn?.id;
  const status = turn?.outcome?.status;
  useEffect(() => {
    const was = before.current;
    before.current = id ? { id, over: status !== undefined } : { id: "", over: true };
    // What was already so when the conversation was opened is not news.
    if (!was || !id) return;
    if (was.id === id && was.over === (status !== undefined)) return;
    if (!status) announce(t("conversation.say.started", { bot }));
    else if (status === "completed") announce(t("conversation.say.completed", { bot }));
    else announce(t(status === "failed" ? "conversation.say.failed" : "conversation.say.stopped", { bot }));
  }, [id, status, bot, t]);
  useEffect(() => {
    if (activity === "awaiting_approval") announce(t("conversation.say.approval", { bot }));
  }, [activity, bot, t]);
}
