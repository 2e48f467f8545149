import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, it } from "vitest";
import { CODES, SHELL_CODES } from "@/errors/codes";

const root = join(import.meta.dirname, "..");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).map((f) => f.replaceAll("\\", "/"));

function catalogue(language: string): Record<string, string> {
  const parts = files.filter((f) => f.endsWith(`i18n/${language}.json`));
  return Object.assign({}, ...parts.map((f) => JSON.parse(readFileSync(join(root, f), "utf8"))));
}

const en = catalogue("en");
const de = catalogue("de");
const source = files
  .filter((f) => /\.tsx?$/.test(f) && !f.includes(".test.") && !f.startsWith("testing/"))
  .map((f) => readFileSync(join(root, f), "utf8"))
  .join("\n");

/** Every text literal that has the shape of an id and whose first part is one of the catalogue's. */
const prefixes = new Set(Object.keys(en).map((id) => id.split(".")[0]));
const literals = [...source.matchAll(/"([a-z][A-Za-z]*(?:\.[A-Za-z_]+)+)"/g)]
  .map((m) => m[1] ?? "")
  .filter((id) => prefixes.has(id.split(".")[0]));
/** Ids that are put together, as the texts before their variable part. */
const stems = [...source.matchAll(/`([a-z][A-Za-z]*\.[A-Za-z_.]*)\$\{/g)].map((m) => m[1] ?? "");

type Node = { type: number; value?: unknown; options?: Record<string, { value: Node[] }>; children?: Node[] };

function argumentsOf(nodes: Node[]): string[] {
  return nodes.flatMap((node) => [
    ...(node.type !== 0 && node.type !== 7 && typeof node.value === "string" ? [node.value] : []),
    ...Object.values(node.options ?? {}).flatMap((option) => argumentsOf(option.value)),
    ...argumentsOf(node.children ?? []),
  ]);
}

const placeholders = (text: string, language: string): string[] => {
  const ast = new IntlMessageFormat(text, language).getAst() as unknown as Node[];
  return [...new Set(argumentsOf(ast))].sort();
};

describe("catalogue", () => {
  it("has the same ids in both languages", () => {
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  });

  it("has no empty text", () => {
    for (const [id, text] of [...Object.entries(en), ...Object.entries(de)]) expect(text.trim(), id).not.toBe("");
  });

  it("has every id that the source names", () => {
    expect(literals.filter((id) => !(id in en))).toEqual([]);
  });

  it("has no text that nothing uses", () => {
    const used = new Set(literals);
    const unused = Object.keys(en).filter((id) => !used.has(id) && !stems.some((stem) => id.startsWith(stem)));
    expect(unused).toEqual([]);
  });

  it("has the same placeholders in both languages", () => {
    for (const id of Object.keys(en)) {
      expect(placeholders(de[id] ?? "", "de"), id).toEqual(placeholders(en[id] ?? "", "en"));
    }
  });

  it("has a sentence and a next step for every rejection code", () => {
    for (const code of [...CODES, ...SHELL_CODES]) {
      expect(en, code).toHaveProperty([`error.${code}`]);
      expect(en, code).toHaveProperty([`error.${code}.next`]);
    }
  });

  it("knows every code of the backend", () => {
    const go = readFileSync(join(root, "../../backend/wire/rejection.go"), "utf8");
    const codes = [...go.matchAll(/Code = "([a-z_]+)"|Code\s+= "([a-z_]+)"/g)].map((m) => m[1] ?? m[2] ?? "");
    const written = [...go.matchAll(/^\s+Code\w+\s+(?:Code\s+)?= "([a-z_]+)"/gm)].map((m) => m[1] ?? "");
    expect(new Set([...codes, ...written])).toEqual(new Set(CODES));
  });
});
