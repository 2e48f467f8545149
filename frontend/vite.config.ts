import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** React's fast refresh needs an inline script, so the strict policy of the page is left out while developing. */
function withoutPolicyInDevelopment(): Plugin {
  return {
    name: "without-policy-in-development",
    apply: "serve",
    transformIndexHtml: (html, context) =>
      context.server ? html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, "") : html,
  };
}

export default defineConfig({
  plugins: [react(), tailwindcss(), withoutPolicyInDevelopment()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    // The policy of the page allows no data: fonts, and small files cost nothing over a local connection.
    assetsInlineLimit: 0,
    // public/.gitkeep is copied along, so the folder that the Go program embeds is never missing from a clone.
    emptyOutDir: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What every screen needs comes in a few files instead of one for each icon; the rest is split by screen.
        codeSplitting: {
          groups: [
            { name: "german", test: /i18n\/de\.json$/, priority: 2 },
            { name: "react", test: /node_modules\/(react|react-dom|scheduler)\// },
            {
              name: "frame",
              test: /node_modules\/(@?radix-ui|@floating-ui|@tanstack|zustand|lucide-react|react-intl|@formatjs|intl-messageformat)\/|src\/(app\/(?!Palette)|backend|errors|i18n\/|keyboard|sidebar|ui)/,
            },
          ],
        },
      },
    },
  },
  // A worker is split like the page, so that what it needs later is loaded later.
  worker: { format: "es" },
  test: {
    environment: "happy-dom",
    setupFiles: ["src/testing/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
    // Generous, for machines that are busy with other things.
    testTimeout: 20_000,
    css: false,
    maxWorkers: 2,
  },
});
