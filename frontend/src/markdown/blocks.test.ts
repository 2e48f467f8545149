import { describe, expect, it } from "vitest";
import { type Block, BlockStream, splitBlocks } from "./blocks";

const kinds = (text: string) => splitBlocks(text).map((b) => b.kind);
const code = (text: string) =>
  splitBlocks(text).filter((b): b is Extract<Block, { kind: "code" }> => b.kind === "code");

describe("cutting a text into blocks", () => {
  it("tells the kinds of block apart", () => {
    const text =
      "# One\n\ntext\ngoes on\n\n- a\n- b\n\n1. x\n\n> q\nlazy\n\n| a | b |\n| --- | --: |\n| 1 | 2 |\n\n```go\nx\n```\n\n---\n\nTwo\n===\n\n$$\nx^2\n$$\n\n[l]: https://e.org\n";
    expect(kinds(text)).toEqual([
      "heading",
      "paragraph",
      "item",
      "item",
      "item",
      "quote",
      "table",
      "code",
      "rule",
      "heading",
      "math",
      "definition",
    ]);
  });

  it("closes a fence only with its own character and at least its length", () => {
    expect(code("````md\n```js\nx\n```\n````\n")).toEqual([
      { kind: "code", lang: "md", text: "```js\nx\n```\n", closed: true },
    ]);
    expect(code("~~~\n```\na\n~~~\n")[0]?.text).toBe("```\na\n");
    expect(code("```\n~~~\nb\n```\n")[0]?.text).toBe("~~~\nb\n");
    expect(code("```\nopen\n\nstill")[0]).toEqual({ kind: "code", lang: "", text: "open\n\nstill", closed: false });
  });

  it("keeps the bytes of code, carriage returns and tabs included", () => {
    expect(code("```\r\na\tb\r\n\r\n  c\r\n```\r\n")[0]?.text).toBe("a\tb\r\n\r\n  c\r\n");
  });

  it("takes no backtick fence with a backtick in its info, and no number in running text as a list", () => {
    expect(kinds("``` a`b\nx")).toEqual(["paragraph"]);
    expect(kinds("It was in\n1984. A year")).toEqual(["paragraph"]);
    expect(kinds("Do this:\n1. first")).toEqual(["paragraph", "item"]);
  });

  it("keeps what belongs to an item in it, code after a blank line included", () => {
    const [item, after] = splitBlocks("1. one\n\n   ```sh\n   ls\n\n   - no item\n   ```\n   more\n\nafter");
    expect(item).toMatchObject({ kind: "item", start: 1, text: "one\n\n```sh\nls\n\n- no item\n```\nmore" });
    expect(after).toEqual({ kind: "paragraph", text: "after" });
  });

  it("begins another list where the marker changes and reads task marks", () => {
    const items = splitBlocks("- a\n- b\n* c\n- [x] d\n- [ ] e");
    expect(items.map((b) => b.kind === "item" && [b.first, b.task])).toEqual([
      [true, undefined],
      [false, undefined],
      [true, undefined],
      [true, true],
      [false, false],
    ]);
  });

  it("keeps a cell whole that has a bar in a formula or in code", () => {
    const [table] = splitBlocks("| a | b |\n|---|---|\n| $P(A|B)$ | `a|b` |\n| x \\| y | z |\n");
    expect(table).toMatchObject({
      kind: "table",
      rows: [
        ["$P(A|B)$", "`a|b`"],
        ["x | y", "z"],
      ],
    });
  });

  it("goes on with a table of the same head after a hundred rows", () => {
    const tables = splitBlocks(`| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(250)}`);
    expect(tables.map((b) => b.kind === "table" && [b.header.length, b.rows.length])).toEqual([
      [2, 100],
      [2, 100],
      [2, 50],
    ]);
  });

  it("takes displayed formulas only when they are closed", () => {
    expect(splitBlocks("so\n\\[\na\nb\n\\]\nthen")).toEqual([
      { kind: "paragraph", text: "so" },
      { kind: "math", tex: "a\nb", raw: "\\[\na\nb\n\\]" },
      { kind: "paragraph", text: "then" },
    ]);
    expect(kinds("$$\nopen\n\n- a")).toEqual(["paragraph", "item"]);
    expect(kinds("\\[text\\](https://e.org)")).toEqual(["paragraph"]);
    expect(kinds("$$a$$ and words")).toEqual(["paragraph"]);
    expect(kinds("$$ 5\n```\ncode\n\nstill code\n```\n")).toEqual(["paragraph", "code"]);
  });

  it("cuts a paragraph without end, so that its cost stays bounded", () => {
    const text = "word ".repeat(5000);
    const blocks = splitBlocks(text);
    expect(blocks.length).toBeGreaterThan(5);
    expect(blocks.map((b) => (b.kind === "paragraph" ? b.text : "")).join(" ")).toBe(text.trim());
    expect(blocks.slice(1).every((b) => b.kind === "paragraph" && b.cont)).toBe(true);
  });
});

const PIECES = [
  "# Head\n",
  "words **bold** and `code`\n",
  "\n",
  "- item\n",
  "  nested text\n",
  "    - deeper\n",
  "1. first\n",
  "2) other\n",
  "> quote\n",
  "> ```\n",
  "```js\n",
  "````\n",
  "```\n",
  "~~~~ x\n",
  "~~~\n",
  "    indented\n",
  "\ttab\n",
  "| a | b |\n",
  "|---|:-:|\n",
  "| $P(A|B)$ | `x|y` |\n",
  "---\n",
  "===\n",
  "* * *\n",
  "$$\n",
  "$$x$$\n",
  "\\[\n",
  "\\]\n",
  "[a]: https://e.org 'T'\n",
  "<div onclick=x>\n",
  "\r\n",
  "text\r\n",
  "- [x] done\n",
  "-\n",
  "$5 and $6",
  "[link](http",
  "**",
  "`",
  "\\",
  "\u{1f600} 漢字\n",
  `${"long ".repeat(1200)}\n`,
];

/** A small generator of numbers, the same ones each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("a growing text", () => {
  it("has the same blocks, fed in any pieces, as the whole text", () => {
    for (let seed = 1; seed <= 400; seed++) {
      const next = numbers(seed);
      const text = Array.from(
        { length: 3 + Math.floor(next() * 22) },
        () => PIECES[Math.floor(next() * PIECES.length)],
      ).join("");
      const stream = new BlockStream();
      let shown = 0;
      for (let at = 0; at < text.length; ) {
        const size = seed % 3 === 0 ? 1 + Math.floor(next() * 40) : seed % 3 === 1 ? 7 : 1;
        const piece = text.length > 4000 && size === 1 ? 97 : size;
        const before = stream.done.slice();
        stream.append(text.slice(at, at + piece));
        at += piece;
        // What is done stays as it is.
        expect(stream.done.slice(0, before.length)).toEqual(before);
        if (at % 5 === 0) shown += stream.growingTail().length;
      }
      expect(shown).toBeGreaterThanOrEqual(0);
      expect([...stream.done, ...stream.tail()], `seed ${seed}`).toEqual(splitBlocks(text));
    }
  });

  it("holds a last line back that may become something else", () => {
    const stream = new BlockStream();
    stream.append("Some text\n-");
    expect(stream.growingTail()).toEqual([{ kind: "paragraph", text: "Some text" }]);
    stream.append(" item");
    expect(stream.growingTail().map((b) => b.kind)).toEqual(["paragraph", "item"]);
  });

  it("looks at the last block only, however much came before", () => {
    const stream = new BlockStream();
    const tails: number[] = [];
    for (let i = 0; i < 20_000; i++) {
      stream.append(i % 12 === 11 ? "\n\n" : "some words of an answer ");
      const size = stream.growingTail().reduce((sum, b) => sum + ("text" in b ? b.text.length : 0), 0);
      tails.push(size);
    }
    expect(Math.max(...tails.slice(-1000))).toBe(Math.max(...tails.slice(0, 1000)));
  });
});
