import "./styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { installWindowGuards } from "./app/guards";
import { restorePlace } from "./app/router";
import { connect, preload } from "./backend";
import { installImeGuard } from "./keyboard/ime";

async function start(): Promise<void> {
  if (!window.go && (import.meta.env.DEV || import.meta.env.MODE === "fake")) {
    const { installFakeBackend } = await import("./testing/scenarios");
    installFakeBackend();
  }
  restorePlace();
  // Most starts end in a conversation: its code is fetched while the settings are read.
  void import("./conversation");
  installImeGuard(window);
  installWindowGuards(window);
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no root element.");
  const connection = connect();
  preload(connection);
  createRoot(root).render(
    <StrictMode>
      <App connection={connection} />
    </StrictMode>,
  );
}

void start();
