import { Folder, RotateCcw } from "lucide-react";
import { navigate, paths } from "@/app/router";
import { useBots, useSettings } from "@/backend";
import { chooseFolder } from "@/folders";
import { useT } from "@/i18n";
import { isMac } from "@/keyboard/shortcuts";
import { Button } from "@/ui/Button";
import { Field, Segments, Select, SwitchRow } from "@/ui/Field";
import { Section } from "@/ui/parts";
import { useSaveSettings } from "./useSaveSettings";

/** What a new chat starts with and how messages are sent. */
export function ChatSettings() {
  const t = useT();
  const settings = useSettings().data;
  const bots = useBots().data ?? [];
  const save = useSaveSettings();
  if (!settings) return null;
  const pickFolder = async () => {
    const path = await chooseFolder({ start: settings.default_folder });
    if (path) await save({ default_folder: path });
  };
  const mod = isMac ? "⌘" : t("key.ctrl");
  return (
    <>
      <Section title={t("settings.sendKey")} text={t("settings.sendKey.text")}>
        <Segments
          label={t("settings.sendKey")}
          value={settings.send_key}
          choices={[
            { value: "enter", label: t("settings.sendKey.enter") },
            { value: "mod_enter", label: t("settings.sendKey.mod", { mod }) },
          ]}
          onChange={(send_key) => void save({ send_key })}
        />
      </Section>
      <Section title={t("settings.newChats")}>
        <Field label={t("settings.defaultBot")}>
          <Select
            className="max-w-80"
            value={settings.default_bot_id}
            onChange={(event) => void save({ default_bot_id: event.target.value })}
          >
            <option value="">{t("settings.defaultBot.builtin")}</option>
            {bots.map((bot) => (
              <option key={bot.id} value={bot.id}>
                {bot.name}
              </option>
            ))}
          </Select>
        </Field>
        <div>
          <h3 className="mb-1.5 font-medium">{t("settings.folder")}</h3>
          <div className="flex items-center gap-2">
            <span className="flex min-h-8.5 min-w-0 flex-1 items-center gap-2 rounded bg-sunken px-2.5">
              <Folder aria-hidden className="size-4 shrink-0 text-muted" />
              <span className="min-w-0 break-all">{settings.default_folder || t("settings.folder.usual")}</span>
            </span>
            <Button onClick={() => void pickFolder()}>{t("settings.folder.choose")}</Button>
          </div>
          <p className="mt-1.5 text-muted text-sm">{t("settings.folder.text")}</p>
        </div>
        <SwitchRow
          label={t("settings.titles")}
          help={t("settings.titles.help")}
          checked={settings.title_model_auto}
          onChange={(title_model_auto) => void save({ title_model_auto })}
        />
      </Section>
      <Section title={t("settings.setup")} text={t("settings.setup.text")}>
        <Button icon={RotateCcw} className="self-start" onClick={() => navigate(paths.welcome)}>
          {t("settings.setup.again")}
        </Button>
      </Section>
    </>
  );
}
