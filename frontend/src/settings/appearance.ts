import { useEffect } from "react";
import type { Settings } from "@/backend/types";
import { resolveLanguage } from "@/i18n";

const KEY = "mobius.appearance";

/** What public/theme.js reads before the first paint. */
interface Mirror {
  theme: string;
  fontSize: number;
  reducedMotion: boolean;
  language: string;
}

export function mirroredLanguage(): string | undefined {
  try {
    return (JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Mirror>).language;
  } catch {
    return undefined;
  }
}

const darkQuery = () => window.matchMedia("(prefers-color-scheme: dark)");
const contrastQuery = () => window.matchMedia("(prefers-contrast: more)");

function apply(settings: Settings): void {
  const { dataset, style } = document.documentElement;
  const dark = settings.theme === "dark" || (settings.theme !== "light" && darkQuery().matches);
  dataset.theme = dark ? "dark" : "light";
  if (settings.theme === "contrast" || contrastQuery().matches) dataset.contrast = "more";
  else delete dataset.contrast;
  if (settings.reduced_motion) dataset.motion = "reduced";
  else delete dataset.motion;
  if (settings.font_size > 0) style.setProperty("--font-size", `${settings.font_size}px`);
}

/** Draws the page as the settings say, and again whenever the system's own theme changes. */
export function useAppearance(settings: Settings | undefined): void {
  useEffect(() => {
    if (!settings) return;
    apply(settings);
    const mirror: Mirror = {
      theme: settings.theme,
      fontSize: settings.font_size,
      reducedMotion: settings.reduced_motion,
      language: resolveLanguage(settings.language),
    };
    localStorage.setItem(KEY, JSON.stringify(mirror));
    const again = () => apply(settings);
    const queries = [darkQuery(), contrastQuery()];
    for (const query of queries) query.addEventListener("change", again);
    return () => {
      for (const query of queries) query.removeEventListener("change", again);
    };
  }, [settings]);
}
