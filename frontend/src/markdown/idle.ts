/** Runs work when the page has time. WebKit has no idle callbacks; there a short pause stands for one. */
export function whenIdle(work: () => void): void {
  if (typeof window.requestIdleCallback === "function") window.requestIdleCallback(work, { timeout: 500 });
  else setTimeout(work, 40);
}
