// Runs before the first paint, so that the page never flashes in the wrong theme. The settings of the last run are
// mirrored here by src/settings/appearance.ts, which applies the stored ones as soon as the backend has answered.
(() => {
  const root = document.documentElement;
  let look = {};
  try {
    look = JSON.parse(localStorage.getItem("mobius.appearance") ?? "{}");
  } catch {
    // Nothing kept, or storage is off: the system's theme it is.
  }
  const dark = look.theme === "dark" || (look.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  if (look.theme === "contrast" || matchMedia("(prefers-contrast: more)").matches) root.dataset.contrast = "more";
  if (look.reducedMotion) root.dataset.motion = "reduced";
  if (look.fontSize >= 10 && look.fontSize <= 28) root.style.setProperty("--font-size", `${look.fontSize}px`);
  if (typeof look.language === "string") root.lang = look.language;
})();
