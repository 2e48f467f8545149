import { useRef, useState } from "react";
import { Page } from "@/app/Page";
import { navigate, paths } from "@/app/router";
import { backend, useBots, useConnection, useDefaults } from "@/backend";
import { type BotDefaults, TINTS } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { CapabilityFields, IdentityFields, ModelFields, PromptField } from "./BotFields";
import { type BotForm, changesOf, configWith, formOfDefaults, problemsOf } from "./draft";
import { keepDraft } from "./useBotDraft";

/** Makes a Bot, starting from the defaults. */
export default function NewBotView() {
  const t = useT();
  const defaults = useDefaults();
  return (
    <Page title={t("bots.new")}>
      {defaults.isError && <ErrorNote reason={defaults.error} />}
      {defaults.data && <NewBotForm defaults={defaults.data} />}
    </Page>
  );
}

function NewBotForm({ defaults }: { defaults: BotDefaults }) {
  const t = useT();
  const { catalog } = useConnection();
  const bots = useBots().data ?? [];
  const [form, setForm] = useState<BotForm>(() => ({
    ...formOfDefaults(defaults),
    // The tint that the backend would take: the first that no Bot has.
    tint: TINTS.find((tint) => !bots.some((b) => b.tint === tint)) ?? TINTS[bots.length % TINTS.length] ?? "blue",
  }));
  const latest = useRef(form);
  const [tried, setTried] = useState(false);
  const [saving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const problems = problemsOf(form);
  const set = (change: Partial<BotForm>) => {
    latest.current = { ...latest.current, ...change };
    setForm(latest.current);
  };

  const create = async () => {
    setTried(true);
    if (Object.keys(problems).length > 0) return;
    setSaving(true);
    setRefusal(null);
    const sent = latest.current;
    try {
      const bot = await backend.Bots.Create({
        name: sent.name.trim(),
        description: sent.description.trim(),
        tint: sent.tint,
        handle: sent.handle || undefined,
        config: configWith(defaults.config, sent),
      });
      catalog.takeBot(bot);
      // What was typed while it was being made goes on as unsaved changes of its profile.
      keepDraft(bot, changesOf(sent, latest.current));
      navigate(paths.bot(bot.id), { replace: true });
    } catch (reason) {
      setRefusal(reason);
      setSaving(false);
    }
  };
  return (
    <form
      noValidate
      className="flex flex-col gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        if (!saving) void create();
      }}
    >
      <IdentityFields isNew form={form} seed={form.name || "new"} problems={tried ? problems : {}} set={set} />
      <ModelFields form={form} set={set} />
      <PromptField form={form} problems={tried ? problems : {}} set={set} />
      <CapabilityFields form={form} set={set} />
      {refusal !== null && <ErrorNote reason={refusal} />}
      <div className="flex justify-end gap-2 border-line border-t pt-5">
        <Button onClick={() => navigate(paths.bots)}>{t("common.cancel")}</Button>
        <Button kind="primary" type="submit" busy={saving}>
          {t("bots.create")}
        </Button>
      </div>
    </form>
  );
}
