import { lazy, Suspense } from "react";
import { ErrorBoundary } from "./ErrorBoundary";
import { type Route, useRoute } from "./router";

const ConversationView = lazy(() => import("@/conversation").then((m) => ({ default: m.ConversationView })));
const NewChatView = lazy(() => import("@/conversation").then((m) => ({ default: m.NewChatView })));
const BotsView = lazy(() => import("@/bots/BotsView"));
const BotView = lazy(() => import("@/bots/BotView"));
const NewBotView = lazy(() => import("@/bots/NewBotView"));
const SettingsView = lazy(() => import("@/settings/SettingsView"));
const TrashView = lazy(() => import("@/trash/TrashView"));

function View({ route }: { route: Route }) {
  switch (route.name) {
    case "chat":
      return <ConversationView key={route.id} sessionId={route.id} />;
    case "bots":
      return <BotsView />;
    case "bot-new":
      return <NewBotView />;
    case "bot":
      return <BotView key={route.id} id={route.id} />;
    case "settings":
      return <SettingsView section={route.section} />;
    case "trash":
      return <TrashView />;
    default:
      return <NewChatView />;
  }
}

/** The view of the present place. A view that fails leaves the frame usable. */
export function Views() {
  const route = useRoute();
  return (
    <ErrorBoundary key={route.name}>
      <Suspense fallback={null}>
        <View route={route} />
      </Suspense>
    </ErrorBoundary>
  );
}
