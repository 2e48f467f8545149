// Runs the end-to-end tests: every *.test.mjs here, against build/bin/mobius-headless (or MOBIUS_BIN) in the system's
// Chromium. Arguments name test files to run instead of all.

import { readdirSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const folder = new URL("./", import.meta.url);
const named = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".test.mjs") && (named.length === 0 || named.some((n) => name.startsWith(n))))
  .map((name) => fileURLToPath(new URL(name, folder)));

// One file after the other: each has a browser and servers of its own, and the machine may have few processors.
run({ files, concurrency: 1, timeout: 300_000 })
  .on("test:fail", () => {
    process.exitCode = 1;
  })
  .compose(spec)
  .pipe(process.stdout);
