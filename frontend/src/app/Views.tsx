import { ErrorBoundary } from "./ErrorBoundary";
import { type Route, useRoute } from "./router";
import { screen } from "./screen";

const ConversationView = screen(() => import("@/conversation").then((m) => m.ConversationView));
const NewChatView = screen(() => import("@/conversation").then((m) => m.NewChatView));
const BotsView = screen(() => import("@/bots/BotsView").then((m) => m.default));
const BotView = screen(() => import("@/bots/BotView").then((m) => m.default));
const NewBotView = screen(() => import("@/bots/NewBotView").then((m) => m.default));
const SettingsView = screen(() => import("@/settings/SettingsView").then((m) => m.default));
const TrashView = screen(() => import("@/trash/TrashView").then((m) => m.default));

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
      <View route={route} />
    </ErrorBoundary>
  );
}
