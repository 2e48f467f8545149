import { Minus, Plus } from "lucide-react";
import { useSettings } from "@/backend";
import { useT } from "@/i18n";
import { Button, IconButton } from "@/ui/Button";
import { Segments, SwitchRow } from "@/ui/Field";
import { Section } from "@/ui/parts";
import { FONT_MAX, FONT_MIN, FONT_USUAL, fontSize } from "./fontSize";
import { useSaveSettings } from "./useSaveSettings";

/** Theme, size, motion, language. */
export function AppearanceSettings() {
  const t = useT();
  const settings = useSettings().data;
  const save = useSaveSettings();
  if (!settings) return null;
  const size = settings.font_size || FONT_USUAL;
  const setSize = (font_size: number) => void save({ font_size: fontSize(font_size) });
  return (
    <>
      <Section title={t("settings.theme")}>
        <Segments
          label={t("settings.theme")}
          value={settings.theme}
          choices={["system", "light", "dark", "contrast"].map((value) => ({
            value,
            label: t(`settings.theme.${value}`),
          }))}
          onChange={(theme) => void save({ theme })}
        />
      </Section>
      <Section title={t("settings.fontSize")} text={t("settings.fontSize.text")}>
        <div className="flex items-center gap-2">
          <IconButton
            icon={Minus}
            label={t("settings.fontSize.smaller")}
            disabled={size <= FONT_MIN}
            onClick={() => setSize(size - 1)}
          />
          <output aria-live="polite" className="min-w-14 text-center tabular-nums">
            {t("settings.fontSize.value", { size })}
          </output>
          <IconButton
            icon={Plus}
            label={t("settings.fontSize.larger")}
            disabled={size >= FONT_MAX}
            onClick={() => setSize(size + 1)}
          />
          {size !== FONT_USUAL && (
            <Button kind="quiet" size="small" onClick={() => setSize(FONT_USUAL)}>
              {t("settings.fontSize.reset")}
            </Button>
          )}
        </div>
      </Section>
      <Section title={t("settings.motion")}>
        <SwitchRow
          label={t("settings.motion.reduced")}
          help={t("settings.motion.help")}
          checked={settings.reduced_motion}
          onChange={(reduced_motion) => void save({ reduced_motion })}
        />
      </Section>
      <Section title={t("settings.language")}>
        <Segments
          label={t("settings.language")}
          value={settings.language}
          choices={[
            { value: "system", label: t("settings.language.system") },
            { value: "en", label: "English" },
            { value: "de", label: "Deutsch" },
          ]}
          onChange={(language) => void save({ language })}
        />
      </Section>
    </>
  );
}
