import { type RenderResult, render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import axe from "axe-core";
import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";
import { expect } from "vitest";
import { App } from "@/app/App";
import { installWindowGuards } from "@/app/guards";
import { usePalette, useSheet } from "@/app/palette";
import { BackendProvider, type Connection, connect } from "@/backend";
import { FolderHost } from "@/folders";
import { I18nProvider, type Language } from "@/i18n";
import { AskHost } from "@/ui/ask";
import { ToastHost } from "@/ui/toast";
import { FakeBackend, type FakeOptions } from "./fakeBackend";

export interface Rendered extends RenderResult {
  fake: FakeBackend;
  connection: Connection;
  user: UserEvent;
}

export interface RenderOptions extends FakeOptions {
  /** The place in the page, such as "/bots". */
  path?: string;
  language?: Language;
}

let removeGuards: (() => void) | undefined;

function prepare(options: RenderOptions): { fake: FakeBackend; connection: Connection } {
  usePalette.setState({ isOpen: false });
  useSheet.setState({ isOpen: false });
  const fake = new FakeBackend(options);
  fake.install(window);
  removeGuards?.();
  removeGuards = installWindowGuards(window);
  window.history.replaceState(null, "", `#${options.path ?? ""}`);
  return { fake, connection: connect() };
}

/** The whole page over an in-memory backend. */
export function renderApp(options: RenderOptions = {}): Rendered {
  const { fake, connection } = prepare(options);
  const result = render(<App connection={connection} />);
  return { ...result, fake, connection, user: userEvent.setup() };
}

/** One component with everything that it may need around it. */
export function renderInPage(children: ReactNode, options: RenderOptions = {}): Rendered {
  const { fake, connection } = prepare(options);
  const result = render(
    <BackendProvider connection={connection}>
      <I18nProvider language={options.language ?? "en"}>
        <Tooltip.Provider>
          {children}
          <AskHost />
          <FolderHost />
          <ToastHost />
        </Tooltip.Provider>
      </I18nProvider>
    </BackendProvider>,
  );
  return { ...result, fake, connection, user: userEvent.setup() };
}

/** Checks the document against WCAG 2.2 AA, as far as it can be done without layout. Contrast is checked on the tokens. */
export async function expectAccessible(container: Element = document.body): Promise<void> {
  const { violations } = await axe.run(container, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    rules: { "color-contrast": { enabled: false } },
  });
  expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" ")}`)).toEqual([]);
}
