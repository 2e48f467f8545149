// Draws build/icons/mobius.svg at the sizes that desktops ask for. Run it after the drawing was changed and commit what
// it writes: node scripts/icons.mjs
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { findChromium, flags } from "../frontend/e2e/chromium.mjs";

const require = createRequire(new URL("../frontend/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const folder = new URL("../build/icons/", import.meta.url);
const drawing = await readFile(new URL("mobius.svg", folder), "utf8");
const browser = await chromium.launch({ executablePath: findChromium(), args: flags });
try {
  for (const size of [16, 32, 48, 64, 128, 256, 512]) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${drawing}`);
    await writeFile(new URL(`${size}.png`, folder), await page.screenshot({ omitBackground: true }));
    await page.close();
  }
} finally {
  await browser.close();
}
