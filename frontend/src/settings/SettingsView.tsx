import { Info, Palette, PlugZap, SlidersHorizontal, Stethoscope } from "lucide-react";
import { Page } from "@/app/Page";
import { Link, paths } from "@/app/router";
import { screen } from "@/app/screen";
import { useT } from "@/i18n";
import { ProvidersSettings } from "@/providers/ProvidersSettings";
import { AppearanceSettings } from "./AppearanceSettings";
import { ChatSettings } from "./ChatSettings";

const Diagnostics = screen(() => import("./Diagnostics").then((m) => m.default));
const About = screen(() => import("./About").then((m) => m.default));

const SECTIONS = [
  { id: "appearance", label: "settings.appearance", icon: Palette, view: AppearanceSettings },
  { id: "chats", label: "settings.chats", icon: SlidersHorizontal, view: ChatSettings },
  { id: "providers", label: "settings.providers", icon: PlugZap, view: ProvidersSettings },
  { id: "diagnostics", label: "settings.diagnostics", icon: Stethoscope, view: Diagnostics },
  { id: "about", label: "settings.about", icon: Info, view: About },
];

/** The settings: sections on the left, the chosen one on the right. */
export default function SettingsView({ section }: { section: string }) {
  const t = useT();
  const chosen = SECTIONS.find((s) => s.id === section) ?? SECTIONS[0];
  const View = chosen?.view;
  return (
    <Page title={t("app.settings")} wide>
      <div className="flex flex-col gap-6 @3xl:flex-row @3xl:gap-10">
        <nav aria-label={t("app.settings")} className="flex shrink-0 flex-wrap gap-0.5 @3xl:w-44 @3xl:flex-col">
          {SECTIONS.map(({ id, label, icon: Icon }) => (
            <Link
              key={id}
              to={paths.settings(id)}
              aria-current={id === chosen?.id ? "page" : undefined}
              className="flex h-8.5 items-center gap-2.5 rounded px-2.5 text-muted hover:bg-hover hover:text-text aria-[current=page]:bg-active aria-[current=page]:font-medium aria-[current=page]:text-text"
            >
              <Icon aria-hidden className="size-4 shrink-0" />
              {t(label)}
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 max-w-160 flex-1 flex-col gap-8">{View && <View />}</div>
      </div>
    </Page>
  );
}
