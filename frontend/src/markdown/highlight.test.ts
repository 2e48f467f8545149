import { describe, expect, it } from "vitest";
import { colour, grammarOf, knownColours, languageOf } from "./highlight";

const never = new AbortController().signal;

describe("colouring of code", () => {
  it("reads the language of a fence and knows its other names", () => {
    expect(languageOf('TypeScript title="a.ts"')).toBe("typescript");
    expect(languageOf("c++")).toBe("c++");
    expect(grammarOf("c++")).toBe("cpp");
    expect(grammarOf("constructor")).toBeNull();
  });

  it("never changes a byte, over pieces of work and carriage returns", async () => {
    const code = `const a = \`x\r\ny\`;\r\n\t// words\n${"let b = [1, 'two'];\n".repeat(60)}\n\n/* open`;
    const lines = await colour("ts", code, never);
    expect(lines?.map((line) => line.map(([text]) => text).join("")).join("\n")).toBe(code);
    // What is open in one piece is still open in the next.
    expect(lines?.[1]?.[0]?.[1]).toContain("string");
    expect(knownColours("typescript", code)).toBe(lines);
  });

  it("leaves code plain that is of no known language, too long or not wanted any more", async () => {
    expect(await colour("nolang", "x", never)).toBeNull();
    expect(await colour("js", "x".repeat(130_000), never)).toBeNull();
    expect(await colour("js", "let unwanted", AbortSignal.abort())).toBeNull();
  });
});
