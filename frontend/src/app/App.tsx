import { Tooltip } from "radix-ui";
import { useEffect } from "react";
import { BackendProvider, type Connection, RejectionError, useSettings } from "@/backend";
import { FolderHost } from "@/folders";
import { I18nProvider, resolveLanguage } from "@/i18n";
import { mirroredLanguage, useAppearance } from "@/settings/appearance";
import { AnnounceHost } from "@/ui/announce";
import { AskHost } from "@/ui/ask";
import { ToastHost } from "@/ui/toast";
import { ConnectionNotice } from "./ConnectionNotice";
import { Frame } from "./Frame";
import { LinkHost } from "./LinkHost";
import { useRoute } from "./router";
import { screen } from "./screen";
import { usePainted } from "./usePainted";

const Welcome = screen(() => import("@/setup/Welcome").then((m) => m.default));
const RescueScreen = screen(() => import("@/rescue/RescueScreen").then((m) => m.RescueScreen));

/** While the backend opens its data it answers gateway_stopped; it is asked again until it is there. */
const STARTING_MS = 300;

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
    <I18nProvider language={resolveLanguage(settings?.language || mirroredLanguage())}>
      <Tooltip.Provider delayDuration={500} skipDelayDuration={200}>
        <Shown />
        <ConnectionNotice />
        <AskHost />
        <FolderHost />
        <LinkHost />
        <ToastHost />
        <AnnounceHost />
      </Tooltip.Provider>
    </I18nProvider>
  );
}

/** The rescue screen when the data cannot be opened, the first start until it is done, else the frame. */
function Shown() {
  const route = useRoute();
  const settings = useSettings();
  const { error, data, refetch } = settings;
  const starting = error instanceof RejectionError && error.code === "gateway_stopped";
  useEffect(() => {
    if (!starting) return;
    const timer = setInterval(() => void refetch(), STARTING_MS);
    return () => clearInterval(timer);
  }, [starting, refetch]);

  usePainted(data !== undefined);
  if (!data) {
    if (!error || starting) return null;
    return <RescueScreen failure={error} />;
  }
  if (route.name === "welcome" || !data.setup_done) {
    return <Welcome />;
  }
  return <Frame />;
}
