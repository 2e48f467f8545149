import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { navigate, paths } from "@/app/router";
import { backend } from "@/backend";
import type { Bot } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field, Input } from "@/ui/Field";
import { Skeleton } from "@/ui/parts";
import { toast } from "@/ui/toast";

/** Says exactly what goes and what stays, and asks for the Bot's name when it owns conversations. */
export function DeleteBotDialog({ bot, onClose }: { bot: Bot; onClose(): void }) {
  const t = useT();
  const [typed, setTyped] = useState("");
  const [deleting, setDeleting] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const owned = useQuery({
    queryKey: ["deletion", bot.id],
    queryFn: async () => {
      const [listed, trashed] = await Promise.all([
        backend.Sessions.List({ bot_id: bot.id, limit: 1 }),
        backend.Sessions.List({ bot_id: bot.id, trash: true, limit: 1 }),
      ]);
      return { listed: listed.total, trashed: trashed.total };
    },
    staleTime: 0,
    gcTime: 0,
  });
  const count = owned.data ? owned.data.listed + owned.data.trashed : 0;
  const confirmed = owned.isSuccess && (count === 0 || typed.trim() === bot.name);
  const remove = async () => {
    setDeleting(true);
    setRefusal(null);
    try {
      const gone = await backend.Bots.Delete(bot.id, bot.config.revision);
      navigate(paths.bots, { replace: true });
      toast({ kind: "success", text: t("bots.deleted", { name: bot.name, count: gone.session_ids?.length ?? 0 }) });
    } catch (reason) {
      setRefusal(reason);
      setDeleting(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("bots.delete.title", { name: bot.name })}
      description={t("bots.delete.noUndo")}
      footer={
        <>
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button kind="danger" busy={deleting} disabled={!confirmed} onClick={() => void remove()}>
            {t("bots.delete.confirm")}
          </Button>
        </>
      }
    >
      {owned.isPending && <Skeleton className="h-16" />}
      {owned.isError && <ErrorNote reason={owned.error} />}
      {owned.data && (
        <div className="flex flex-col gap-4">
          <div>
            <h3 className="mb-1 font-medium">{t("bots.delete.goes")}</h3>
            <ul className="list-disc pl-5">
              <li>{t("bots.delete.profile")}</li>
              <li>{t("bots.delete.chats", { count: owned.data.listed })}</li>
              {owned.data.trashed > 0 && <li>{t("bots.delete.trashed", { count: owned.data.trashed })}</li>}
            </ul>
          </div>
          <div>
            <h3 className="mb-1 font-medium">{t("bots.delete.stays")}</h3>
            <ul className="list-disc pl-5">
              <li>{t("bots.delete.folders")}</li>
              <li>{t("bots.delete.providers")}</li>
            </ul>
          </div>
          {count > 0 && (
            <Field label={t("bots.delete.type", { name: bot.name })}>
              <Input value={typed} onChange={(event) => setTyped(event.target.value)} />
            </Field>
          )}
          {refusal !== null && <ErrorNote reason={refusal} />}
        </div>
      )}
    </Dialog>
  );
}
