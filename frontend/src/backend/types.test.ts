import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Names of JSON fields by record; those with "?" may be missing. */
type Fields = Record<string, string[]>;

const wire = join(import.meta.dirname, "../../../backend/wire");
const go = readdirSync(wire)
  .filter((f) => f.endsWith(".go") && !f.endsWith("_test.go"))
  .map((f) => readFileSync(join(wire, f), "utf8"))
  .join("\n");
const ts = readFileSync(join(import.meta.dirname, "types.ts"), "utf8");

function goRecords(): Fields {
  const out: Fields = {};
  for (const [, name = "", body = ""] of go.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = [...body.matchAll(/`json:"(\w+)(,omitempty)?"`/g)];
    out[name === "Event" ? "SessionEvent" : name] = fields.map(([, field, may]) => field + (may ? "?" : "")).sort();
  }
  return out;
}

function tsRecords(): Fields {
  const out: Fields = {};
  for (const [, name = "", body = ""] of ts.matchAll(/^export interface (\w+) \{\n([\s\S]*?)^\}/gm)) {
    out[name] = [...body.matchAll(/^ {2}(\w+)(\??):/gm)].map(([, field, may]) => `${field}${may}`).sort();
  }
  return out;
}

describe("the records of the page", () => {
  // What only travels as an event has no generated type, so this reads the Go source.
  it("have exactly the fields of backend/wire", () => {
    const records = goRecords();
    expect(Object.keys(records).length).toBeGreaterThan(40);
    expect(tsRecords()).toEqual(records);
  });
});
