import { describe, expect, it } from "vitest";
import { heal, type Inline, parseInline } from "./inline";

const plain = (pieces: Inline[]): string =>
  pieces
    .map((p) =>
      p.kind === "text" || p.kind === "code"
        ? p.text
        : p.kind === "maths"
          ? p.raw
          : "children" in p
            ? plain(p.children)
            : "",
    )
    .join("");
const maths = (text: string) => parseInline(text).filter((p) => p.kind === "maths");
const shape = (text: string): string =>
  parseInline(text)
    .map((p) =>
      p.kind === "text" ? p.text : "children" in p ? `<${p.kind}>${plain(p.children)}</${p.kind}>` : `<${p.kind}>`,
    )
    .join("");

describe("dollars and brackets", () => {
  it.each([
    "Cost $125K -> $108K -> $76K",
    "between $5 and $6",
    "US$5 and C$7",
    "$ cmd $",
    "echo $PATH:$HOME",
    "set $HOME and $PATH then $",
    "a $x y$z",
    "C:\\(x\\)",
    "$.50 or $.75",
    "only one $x here",
    "\\(never closed",
  ])("leaves %s as it is", (text) => {
    expect(maths(text)).toEqual([]);
    expect(plain(parseInline(text)).replaceAll("\\", "")).toBe(text.replaceAll("\\", ""));
  });

  it("leaves code, paths and the targets of links untouched", () => {
    expect(parseInline("`$a$ \\(b\\)`")).toEqual([{ kind: "code", text: "$a$ \\(b\\)" }]);
    expect(parseInline("[x](https://e.org/\\(a\\)$b$)")[0]).toMatchObject({
      kind: "link",
      href: "https://e.org/(a)$b$",
    });
  });

  it("sets formulas", () => {
    expect(maths("so $E=mc^2$, and $x$ or \\(a_1 * b_1\\).")).toEqual([
      { kind: "maths", tex: "E=mc^2", display: false, raw: "$E=mc^2$" },
      { kind: "maths", tex: "x", display: false, raw: "$x$" },
      { kind: "maths", tex: "a_1 * b_1", display: false, raw: "\\(a_1 * b_1\\)" },
    ]);
    expect(maths("here $$\\sum_i x_i$$ it is")).toMatchObject([{ display: true, tex: "\\sum_i x_i" }]);
    expect(maths("其中\\(x\\)是")).toHaveLength(1);
  });
});

describe("running text", () => {
  it("keeps raw HTML and character references as text", () => {
    expect(parseInline("<img src=x onerror=alert(1)> &lt;b&gt; &amp; &#233;")).toEqual([
      { kind: "text", text: "<img src=x onerror=alert(1)> <b> & é" },
    ]);
  });

  it("resolves the labels of addresses that came in another block", () => {
    expect(parseInline("see [Docs]", new Map([["docs", { href: "https://e.org" }]]))).toMatchObject([
      { kind: "text" },
      { kind: "link", href: "https://e.org" },
    ]);
  });

  it("never throws, whatever marks come in whatever order", () => {
    const marks = [
      "*",
      "**",
      "_",
      "`",
      "``",
      "[",
      "](",
      ")",
      "!",
      "<",
      ">",
      "~~",
      "$",
      "\\(",
      "\\)",
      "\\",
      "&",
      "word",
      " ",
      "\n",
    ];
    for (let i = 0; i < 3000; i++) {
      const text = Array.from(
        { length: 12 },
        (_, k) => marks[(i * 7 + k * (i % 13) + ((i * k) % 11)) % marks.length],
      ).join("");
      expect(() => parseInline(text)).not.toThrow();
      expect(() => parseInline(heal(text))).not.toThrow();
    }
  });
});

describe("the end of a growing text", () => {
  it.each([
    ["some **bo", "some <strong>bo</strong>"],
    ["some **bold ", "some <strong>bold</strong> "],
    ["some **", "some "],
    ["some **bold*", "some <strong>bold</strong>"],
    ["an *em", "an <em>em</em>"],
    ["a `co", "a <code>"],
    ["a `", "a "],
    ["~~gone", "<strike>gone</strike>"],
    ["see [the docs](https://e.or", "see the docs"],
    ["see [the do", "see the do"],
    ["a ![pic](https://e", "a "],
    ["2 * 3 = 6", "2 * 3 = 6"],
    ["**done** and on", "<strong>done</strong> and on"],
    ["a \\(E=mc", "a (E=mc"],
  ])("shows %s as %s", (text, shown) => expect(shape(heal(text))).toBe(shown));
});
