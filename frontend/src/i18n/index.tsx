import { type ReactNode, useCallback, useEffect, useState } from "react";
import { FormattedMessage, IntlProvider, useIntl } from "react-intl";

export type Language = "en" | "de";
export const LANGUAGES: readonly Language[] = ["en", "de"];

type Messages = Record<string, string>;

/** Every `i18n` folder of the page adds its own catalogue; ids are prefixed with the folder's screen. */
const english = import.meta.glob<Messages>("../**/i18n/en.json", { eager: true, import: "default" });
const englishHere = import.meta.glob<Messages>("./en.json", { eager: true, import: "default" });
const german = import.meta.glob<Messages>(["../**/i18n/de.json", "./de.json"], { import: "default" });

const merge = (parts: Messages[]): Messages => Object.assign({}, ...parts);
const ENGLISH = merge([...Object.values(englishHere), ...Object.values(english)]);

export async function loadMessages(language: Language): Promise<Messages> {
  if (language === "en") return ENGLISH;
  const parts = await Promise.all(Object.values(german).map((load) => load()));
  // A text that is missing is shown in English rather than as its id.
  return { ...ENGLISH, ...merge(parts) };
}

/** The language of a settings value; "system" follows the person's environment. */
export function resolveLanguage(setting: string | undefined): Language {
  if (setting === "en" || setting === "de") return setting;
  return navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
}

interface Loaded {
  language: Language;
  messages: Messages;
}

/** Draws nothing until the texts of the first language are there; a change of language keeps the old ones meanwhile. */
export function I18nProvider({ language, children }: { language: Language; children: ReactNode }) {
  const [loaded, setLoaded] = useState<Loaded | null>(() =>
    language === "en" ? { language, messages: ENGLISH } : null,
  );
  useEffect(() => {
    let current = true;
    void loadMessages(language).then((messages) => {
      if (!current) return;
      document.documentElement.lang = language;
      setLoaded({ language, messages });
    });
    return () => {
      current = false;
    };
  }, [language]);
  if (!loaded) return null;
  return (
    <IntlProvider locale={loaded.language} messages={loaded.messages} defaultLocale="en">
      {children}
    </IntlProvider>
  );
}

type Value = string | number | boolean | Date | null | undefined;
export type Translate = (id: string, values?: Record<string, Value>) => string;

/** `t("chats.delete", { count })`. Ids are written out in the source, since a test looks them up there. */
export function useT(): Translate {
  const intl = useIntl();
  return useCallback((id, values) => intl.formatMessage({ id }, values), [intl]);
}

/** A text with parts that are elements: `<T id="…" values={{ b: (chunks) => <b>{chunks}</b> }} />`. */
export const T = FormattedMessage;
