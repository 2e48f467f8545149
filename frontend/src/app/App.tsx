import { Tooltip } from "radix-ui";
import { BackendProvider, type Connection, useSettings } from "@/backend";
import { I18nProvider, resolveLanguage } from "@/i18n";
import { mirroredLanguage, useAppearance } from "@/settings/appearance";
import { AnnounceHost } from "@/ui/announce";
import { AskHost } from "@/ui/ask";
import { ToastHost } from "@/ui/toast";
import { Frame } from "./Frame";

export function App({ connection }: { connection: Connection }) {
  return (
    <BackendProvider connection={connection}>
      <Localised />
    </BackendProvider>
  );
}

function Localised() {
  const settings = useSettings().data;
  useAppearance(settings);
  return (
    <I18nProvider language={resolveLanguage(settings?.language ?? mirroredLanguage())}>
      <Tooltip.Provider delayDuration={500} skipDelayDuration={200}>
        <Frame />
        <AskHost />
        <ToastHost />
        <AnnounceHost />
      </Tooltip.Provider>
    </I18nProvider>
  );
}
