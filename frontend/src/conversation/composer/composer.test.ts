import { describe, expect, it } from "vitest";
import { aBot } from "@/testing/fakeData";
import { commandSuggestions, parseCommand } from "./commands";
import { complete, mentionSuggestions, triggerAt } from "./completion";
import { composerAction, type KeyPress } from "./keys";
import { isLongPaste } from "./pastes";

const press = (key: string, over: Partial<KeyPress> = {}): KeyPress => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  keyCode: key === "Enter" ? 13 : 0,
  ...over,
});
const state = { sendKey: "enter", empty: false, queued: 0 };
const other = { ...state, sendKey: "mod_enter" };

describe("keys of the composer", () => {
  it("sends with Enter and breaks with Shift and Enter, or the other way as the person has chosen", () => {
    expect(composerAction(press("Enter"), state)).toBe("send");
    expect(composerAction(press("Enter", { shiftKey: true }), state)).toBe("break");
    expect(composerAction(press("Enter", { ctrlKey: true }), state)).toBe("sendOther");
    expect(composerAction(press("Enter"), other)).toBe("break");
    expect(composerAction(press("Enter", { metaKey: true }), other)).toBe("send");
    expect(composerAction(press("Enter", { metaKey: true, shiftKey: true }), other)).toBe("sendOther");
  });

  it("does nothing while an input method composes, nor with the Enter that ends it in WebKit", () => {
    expect(composerAction(press("Enter", { isComposing: true }), state)).toBeNull();
    expect(composerAction(press("Enter", { isComposing: false, keyCode: 229 }), state)).toBeNull();
    expect(composerAction(press("Escape", { keyCode: 229 }), state)).toBeNull();
    expect(composerAction(press("Enter"), state)).toBe("send");
  });

  it("edits the last queued message with the up arrow, only from an empty field", () => {
    expect(composerAction(press("ArrowUp"), { ...state, empty: true, queued: 2 })).toBe("editQueued");
    expect(composerAction(press("ArrowUp"), { ...state, empty: false, queued: 2 })).toBeNull();
    expect(composerAction(press("ArrowUp"), { ...state, empty: true, queued: 0 })).toBeNull();
  });
});

describe("completion", () => {
  it("begins after an @ that begins a word, and not in an e-mail address", () => {
    expect(triggerAt("look at @src/a", 14)).toEqual({ kind: "mention", query: "src/a", start: 8, end: 14 });
    expect(triggerAt("(@x", 3)?.query).toBe("x");
    expect(triggerAt("mail ada@example.org", 20)).toBeNull();
    expect(triggerAt("@done now", 9)).toBeNull();
  });

  it("offers commands only at the very beginning", () => {
    expect(triggerAt("/re", 3)).toEqual({ kind: "command", query: "re", start: 0, end: 3 });
    expect(triggerAt("see /re", 7)).toBeNull();
    expect(triggerAt("/etc/passwd", 11)).toBeNull();
    expect(commandSuggestions("re", true, (id) => id).map((s) => s.label)).toEqual(["/rename", "/retry"]);
    expect(commandSuggestions("re", false, (id) => id)).toEqual([]);
  });

  it("puts the chosen path in place of what was typed, with one space after it", () => {
    const trigger = triggerAt("look at @par now", 12);
    expect(trigger && complete("look at @par now", trigger, "@internal/parser.go ")).toEqual({
      text: "look at @internal/parser.go now",
      caret: 28,
    });
  });

  it("shows files before Bots, unless a Bot's handle is being typed", () => {
    const bots = [aBot({ name: "Reviewer", handle: "reviewer" })];
    const files = [{ path: "docs/review.md", dir: false }];
    expect(mentionSuggestions(bots, files, "").map((s) => s.kind)).toEqual(["file", "bot"]);
    expect(mentionSuggestions(bots, files, "rev").map((s) => s.kind)).toEqual(["bot", "file"]);
  });
});

describe("commands", () => {
  it("are recognised whole, with what follows them; anything else is a message", () => {
    expect(parseCommand("/rename  My chat ", true)).toMatchObject({ command: { name: "rename" }, argument: "My chat" });
    expect(parseCommand("/stop", true)?.command.name).toBe("stop");
    expect(parseCommand("/stop the press", true)).toBeNull();
    expect(parseCommand("/etc/hosts is wrong", true)).toBeNull();
    expect(parseCommand("/stop", false)).toBeNull();
    expect(parseCommand("please /stop", true)).toBeNull();
  });
});

describe("long pastes", () => {
  it("become a chip beyond 50,000 characters or a thousand lines", () => {
    expect(isLongPaste("x".repeat(50_000))).toBe(false);
    expect(isLongPaste("x".repeat(50_001))).toBe(true);
    expect(isLongPaste("x\n".repeat(1001))).toBe(true);
  });
});
