// Which browser the tests drive, and how it is started.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The system's Chromium, or the program that MOBIUS_CHROMIUM names. */
export function findChromium() {
  if (process.env.MOBIUS_CHROMIUM) return process.env.MOBIUS_CHROMIUM;
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder.
      }
    }
  }
  throw new Error(`no Chromium found: install one of ${names.join(", ")}, or set MOBIUS_CHROMIUM to its path`);
}

/** Everything that would make the browser call home is off. Its own sandbox does not work for root in a container. */
export const flags = [
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
