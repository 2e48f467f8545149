export { ConversationView } from "./ConversationView";
export { NewChatView } from "./NewChatView";
