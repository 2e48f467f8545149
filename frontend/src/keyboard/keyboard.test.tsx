import { fireEvent, render } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { installImeGuard, isImeKey } from "./ime";
import { matchesCombo, useShortcut } from "./shortcuts";

function Shortcut({ combo, run }: { combo: string; run(): void }) {
  useShortcut({ id: "x", combos: [combo], label: "x", group: "x" }, run);
  return (
    <>
      <input aria-label="field" />
      <div>text</div>
    </>
  );
}

const key = (init: KeyboardEventInit) => new KeyboardEvent("keydown", init);

describe("keys of an input method", () => {
  it.each([
    ["while composing", { isComposing: true, keyCode: 13 }, true],
    ["after compositionend, as WebKit sends it", { isComposing: false, keyCode: 229 }, true],
    ["an ordinary Enter", { isComposing: false, keyCode: 13 }, false],
  ])("%s", (_name, event, expected) => {
    expect(isImeKey(event)).toBe(expected);
    expect(isImeKey({ nativeEvent: event })).toBe(expected);
  });

  it("reach no handler below the window, and the next plain Enter does", () => {
    const remove = installImeGuard(window);
    const onKeyDown = vi.fn();
    const { getByLabelText } = render(<input aria-label="field" onKeyDown={onKeyDown} />);
    const field = getByLabelText("field");
    fireEvent.compositionEnd(field);
    fireEvent.keyDown(field, { key: "Enter", isComposing: false, keyCode: 229 });
    expect(onKeyDown).not.toHaveBeenCalled();
    fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
    expect(onKeyDown).toHaveBeenCalledOnce();
    remove();
  });
});

describe("shortcuts", () => {
  it.each([
    ["mod+k", { key: "k", ctrlKey: true }, true],
    ["mod+k", { key: "K", ctrlKey: true, shiftKey: true }, false],
    ["mod+k", { key: "k" }, false],
    ["mod+k", { key: "k", ctrlKey: true, altKey: true }, false],
    ["?", { key: "?", shiftKey: true }, true],
    ["mod+plus", { key: "+", ctrlKey: true, shiftKey: true }, true],
    ["mod+plus", { key: "=", ctrlKey: true }, true],
    ["alt+ArrowLeft", { key: "ArrowLeft", altKey: true }, true],
    ["alt+ArrowLeft", { key: "ArrowLeft", altKey: true, shiftKey: true }, false],
  ])("%s and %j", (combo, init, expected) => {
    expect(matchesCombo(key(init), combo)).toBe(expected);
  });

  it("without a modifier do nothing while typing", () => {
    const run = vi.fn();
    const { getByLabelText, getByText } = render(<Shortcut combo="?" run={run} />);
    fireEvent.keyDown(getByLabelText("field"), { key: "?" });
    expect(run).not.toHaveBeenCalled();
    fireEvent.keyDown(getByText("text"), { key: "?" });
    expect(run).toHaveBeenCalledOnce();
  });

  it("with a modifier work while typing", () => {
    const run = vi.fn();
    const { getByLabelText } = render(<Shortcut combo="mod+k" run={run} />);
    fireEvent.keyDown(getByLabelText("field"), { key: "k", ctrlKey: true });
    expect(run).toHaveBeenCalledOnce();
  });

  it("do nothing while a dialog is open", () => {
    const run = vi.fn();
    render(
      <>
        <Shortcut combo="mod+k" run={run} />
        <div role="dialog" data-state="open" />
      </>,
    );
    fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
    expect(run).not.toHaveBeenCalled();
  });
});
