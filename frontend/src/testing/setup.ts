import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";

configure({ asyncUtilTimeout: 8000 });

// happy-dom lays nothing out. Virtual lists need some size to draw anything, and no report that it is zero.
globalThis.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
const SIZES = { clientHeight: 600, clientWidth: 800, offsetHeight: 600, offsetWidth: 800 };
for (const [name, size] of Object.entries(SIZES)) {
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => size });
}
Element.prototype.scrollIntoView ??= () => undefined;
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.setPointerCapture ??= () => undefined;
Element.prototype.releasePointerCapture ??= () => undefined;

beforeEach(() => {
  localStorage.clear();
  window.history.replaceState(null, "", "#");
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});
