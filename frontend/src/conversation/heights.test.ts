import { describe, expect, it } from "vitest";
import { Heights } from "./heights";

const rows = (...keys: string[]) => keys.map((key) => ({ key }));

describe("heights of rows", () => {
  it("guesses until it is told, and finds the row at a height", () => {
    const heights = new Heights(() => 10);
    heights.set(rows("a", "b", "c"));
    expect(heights.total).toBe(30);
    heights.measure(1, 50);
    expect([heights.offset(0), heights.offset(1), heights.offset(2), heights.total]).toEqual([0, 10, 60, 70]);
    expect([-5, 0, 9, 10, 59, 60, 999].map((top) => heights.at(top))).toEqual([0, 0, 0, 1, 1, 2, 2]);
  });

  it("keeps what it measured when rows are put in front", () => {
    const heights = new Heights(() => 10);
    const [a, b] = rows("a", "b");
    heights.set([a, b] as never);
    heights.measure(0, 100);
    heights.set([{ key: "x" }, { key: "y" }, a, b] as never);
    expect(heights.offset(3)).toBe(120);
    expect(heights.indexOf("b")).toBe(3);
  });

  it("costs what comes after a change, however many rows there are", () => {
    let guesses = 0;
    const heights = new Heights(() => {
      guesses++;
      return 10;
    });
    let list: { key: string }[] = Array.from({ length: 10_000 }, (_, i) => ({ key: `r${i}` }));
    heights.set(list);
    expect(heights.total).toBe(100_000);
    guesses = 0;
    for (let i = 0; i < 100; i++) {
      list = list.with(-1, { key: `last${i}` });
      heights.set(list);
      expect(heights.total).toBe(100_000);
      heights.measure(9999, i + 1);
      expect(heights.total).toBe(99_990 + i + 1);
    }
    expect(guesses).toBe(100);
  });
});
