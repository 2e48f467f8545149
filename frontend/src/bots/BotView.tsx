import { SquarePen, Trash2, UserX } from "lucide-react";
import { useEffect, useState } from "react";
import { Page } from "@/app/Page";
import { navigate, paths } from "@/app/router";
import { useBots } from "@/backend";
import type { Bot } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { useShortcut } from "@/keyboard/shortcuts";
import { Button } from "@/ui/Button";
import { Face } from "@/ui/Face";
import { Empty, Note, Section } from "@/ui/parts";
import { BehaviourFields, CapabilityFields, IdentityFields, ModelFields, PromptField } from "./BotFields";
import { ConflictDialog } from "./ConflictDialog";
import { DeleteBotDialog } from "./DeleteBotDialog";
import { problemsOf } from "./draft";
import { useBotDraft } from "./useBotDraft";

/** The profile of one Bot. */
export default function BotView({ id }: { id: string }) {
  const t = useT();
  const bots = useBots();
  const bot = bots.data?.find((b) => b.id === id);
  if (bots.isPending) return null;
  if (bot) return <Profile bot={bot} />;
  return (
    <Page title={t("app.bots")}>
      {bots.isError ? (
        <ErrorNote reason={bots.error} />
      ) : (
        <Empty
          icon={UserX}
          title={t("bots.gone")}
          text={t("bots.gone.text")}
          action={<Button onClick={() => navigate(paths.bots)}>{t("bots.all")}</Button>}
        />
      )}
    </Page>
  );
}

function Profile({ bot }: { bot: Bot }) {
  const t = useT();
  const draft = useBotDraft(bot);
  const { form, dirty, saving, set } = draft;
  const [deleting, setDeleting] = useState(false);
  const problems = problemsOf(form);
  const blocked = Object.keys(problems).length > 0;
  useShortcut(
    { id: "save-bot", combos: ["mod+s"], label: "bots.save", group: "app.bots", disabled: !dirty || blocked || saving },
    () => void draft.save(),
  );
  return (
    <Page
      title={bot.name}
      actions={
        <Button size="small" icon={SquarePen} onClick={() => navigate(paths.newChat(bot.id))}>
          {t("bots.chat")}
        </Button>
      }
      footer={
        (dirty || draft.refusal !== null) && (
          <SaveBar
            saving={saving}
            blocked={blocked}
            refusal={draft.refusal}
            onSave={() => void draft.save()}
            onDiscard={draft.discard}
          />
        )
      }
    >
      <div className="mb-7 flex items-center gap-4">
        <Face seed={bot.id} tint={form.tint} className="size-14" />
        <div className="min-w-0">
          <p className="truncate font-semibold text-lg leading-tight">{form.name || t("bots.unnamed")}</p>
          <p className="truncate text-muted">
            @{bot.handle}
            {bot.builtin && ` · ${t("bots.builtin")}`}
            {` · ${t("bots.revision", { revision: bot.config.revision })}`}
          </p>
        </div>
      </div>
      {draft.changedElsewhere && (
        <Note
          tone="warning"
          live
          className="mb-6"
          title={t("bots.changedElsewhere")}
          action={
            <Button size="small" onClick={draft.compare}>
              {t("bots.compare")}
            </Button>
          }
        >
          {t("bots.changedElsewhere.text")}
        </Note>
      )}
      <div className="flex flex-col gap-8">
        <IdentityFields form={form} seed={bot.id} problems={problems} set={set} />
        <ModelFields form={form} set={set} />
        <PromptField form={form} problems={problems} set={set} />
        <CapabilityFields form={form} set={set} />
        <BehaviourFields form={form} problems={problems} set={set} />
        {!bot.builtin && (
          <Section title={t("bots.delete")} text={t("bots.delete.text")}>
            <Button kind="risky" icon={Trash2} className="self-start" onClick={() => setDeleting(true)}>
              {t("bots.delete.open")}
            </Button>
          </Section>
        )}
      </div>
      {draft.conflict && (
        <ConflictDialog
          key={draft.conflict.theirs.config.revision}
          conflict={draft.conflict}
          onResolve={(theirs, chosen) => void draft.resolve(theirs, chosen)}
          onClose={draft.closeConflict}
        />
      )}
      {deleting && <DeleteBotDialog bot={bot} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

interface SaveBarProps {
  saving: boolean;
  blocked: boolean;
  refusal: unknown;
  onSave(): void;
  onDiscard(): void;
}

function SaveBar({ saving, blocked, refusal, onSave, onDiscard }: SaveBarProps) {
  const t = useT();
  // A save that takes a moment only is not worth a spinner.
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!saving) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), 200);
    return () => clearTimeout(timer);
  }, [saving]);
  return (
    <section aria-label={t("bots.unsaved")} className="animate-fade border-t bg-canvas px-8 py-3">
      <div className="mx-auto flex max-w-160 flex-col gap-2.5">
        {refusal !== null && <ErrorNote reason={refusal} />}
        <div className="flex items-center gap-2">
          <p className="min-w-0 flex-1 truncate text-muted">{t(blocked ? "bots.unsaved.blocked" : "bots.unsaved")}</p>
          <Button onClick={onDiscard} disabled={saving}>
            {t("bots.discard")}
          </Button>
          <Button kind="primary" onClick={onSave} busy={slow} disabled={blocked || saving}>
            {t("common.save")}
          </Button>
        </div>
      </div>
    </section>
  );
}
