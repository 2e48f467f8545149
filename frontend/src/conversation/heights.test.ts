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

  it("is quick at its end, however many rows there are", () => {
    const heights = new Heights(() => 10);
    const many = Array.from({ length: 100_000 }, (_, i) => ({ key: `r${i}` }));
    heights.set(many);
    heights.measure(0, 10);
    const start = performance.now();
    let list: { key: string }[] = many;
    for (let i = 0; i < 100; i++) {
      list = list.with(-1, { key: `last${i}` });
      heights.set(list);
      heights.measure(99_999, i + 1);
      expect(heights.total).toBe(999_990 + i + 1);
    }
    expect(performance.now() - start).toBeLessThan(1500);
  });
});
