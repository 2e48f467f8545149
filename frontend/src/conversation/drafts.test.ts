import { describe, expect, it, vi } from "vitest";
import { DraftStore, messageOf } from "./drafts";
import { keepPlace, keptPlace } from "./places";

describe("drafts", () => {
  it("outlive the page", () => {
    vi.useFakeTimers();
    new DraftStore("a").set({ text: "half a thought" });
    vi.advanceTimersByTime(1000);
    expect(new DraftStore("a").get().text).toBe("half a thought");
    expect(new DraftStore("b").get().text).toBe("");
  });

  it("come back when sending fails, in front of what was written since", () => {
    const draft = new DraftStore("a");
    draft.set({ text: "first", pastes: [{ id: "p", text: "long" }] });
    const taken = draft.take();
    expect(draft.get().text).toBe("");
    draft.set({ text: "second" });
    draft.restore(taken);
    expect(draft.get().text).toBe("first\n\nsecond");
    expect(messageOf(draft.get())).toBe("first\n\nsecond\n\nlong");
    expect(new DraftStore("a").get()).toEqual(draft.get());
  });

  it("are bounded in number and size, and the newest stay", () => {
    for (let i = 0; i < 120; i++) {
      const draft = new DraftStore(`d${i}`);
      draft.set({ text: "x".repeat(20_000) });
      draft.save();
    }
    expect(localStorage.getItem("mobius.drafts")?.length).toBeLessThan(1_300_000);
    expect(new DraftStore("d119").get().text).toHaveLength(20_000);
    expect(new DraftStore("d0").get().text).toBe("");
  });

  it("stay in the field when the storage is full", () => {
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    const draft = new DraftStore("a");
    draft.set({ text: "still here" });
    draft.save();
    expect(draft.get().text).toBe("still here");
  });

  it("take a quotation line by line", () => {
    const draft = new DraftStore("a");
    draft.set({ text: "so:" });
    draft.quote("one\n\ntwo");
    expect(draft.get().text).toBe("so:\n\n> one\n>\n> two\n\n");
  });
});

describe("places", () => {
  it("are kept for each conversation, the last two hundred of them", () => {
    for (let i = 0; i < 230; i++) keepPlace(`c${i}`, { key: "k", offset: i, seq: 1 });
    expect(keptPlace("c229")?.offset).toBe(229);
    expect(keptPlace("c0")).toBeNull();
    keepPlace("c229", null);
    expect(keptPlace("c229")).toBeNull();
  });

  it("do not mind a storage that holds something else", () => {
    localStorage.setItem("mobius.places", "{broken");
    expect(keptPlace("x")).toBeNull();
    localStorage.setItem("mobius.places", "7");
    expect(keptPlace("x")).toBeNull();
  });
});
