import type { ComponentType } from "react";

interface ConversationModule {
  ConversationView: ComponentType<{ sessionId: string }>;
  NewChatView: ComponentType;
}

const found = Object.values(import.meta.glob<ConversationModule>("../conversation/index.{ts,tsx}"))[0];
const module = found ? await found() : await import("./fallback");

export const { ConversationView, NewChatView } = module;
