import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fireEvent, render } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { installWindowGuards, isExternalAddress, onExternalLink } from "./guards";

function drag(type: string, types: string[]): DragEvent {
  const event = new Event(type, { bubbles: true, cancelable: true }) as DragEvent;
  Object.defineProperty(event, "dataTransfer", { value: { types } });
  return event;
}

describe("the window stays on the page", () => {
  let remove: () => void;
  const opened = vi.fn();

  beforeEach(() => {
    opened.mockReset();
    onExternalLink(opened);
    remove = installWindowGuards(window);
  });
  afterEach(() => remove());

  it.each([["Files"], ["text/uri-list"]])("when %s is dragged over it or dropped", (type) => {
    for (const name of ["dragover", "drop"]) {
      const event = drag(name, [type, "text/html"]);
      document.body.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(true);
    }
  });

  it("and leaves a drag of text alone", () => {
    const event = drag("drop", ["text/plain"]);
    document.body.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(false);
  });

  it.each(["http://example.org/a", "https://example.org", "mailto:ada@example.org"])("when %s is clicked", (href) => {
    const { getByText } = render(<a href={href}>link</a>);
    expect(fireEvent.click(getByText("link"))).toBe(false);
    expect(opened).toHaveBeenCalledWith(href);
  });

  it.each(["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "/other", "wails://x"])(
    "and opens nothing for %s",
    (href) => {
      const { container } = render(<a>link</a>);
      const link = container.querySelector("a");
      link?.setAttribute("href", href);
      expect(link && fireEvent.click(link)).toBe(false);
      expect(opened).not.toHaveBeenCalled();
    },
  );

  it("and a link to a place goes there, but opens no second window with a modifier", () => {
    const { getByText } = render(<a href="#/bots">bots</a>);
    expect(fireEvent.click(getByText("bots"), { ctrlKey: true })).toBe(false);
    expect(window.location.hash).not.toBe("#/bots");
    fireEvent.click(getByText("bots"));
    expect(window.location.hash).toBe("#/bots");
  });
});

describe("addresses", () => {
  it("outside of the page are http, https and mailto", () => {
    expect(["https://x", "HTTP://x", "mailto:a@b"].every(isExternalAddress)).toBe(true);
    expect(["file:///x", "javascript:x", "//x", "ftp://x"].some(isExternalAddress)).toBe(false);
  });
});

describe("the policy of the page", () => {
  const html = readFileSync(join(import.meta.dirname, "../../index.html"), "utf8");
  const policy = /Content-Security-Policy"\s+content="([^"]*)"/.exec(html)?.[1] ?? "";

  it.each([
    "default-src 'self'",
    "script-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
  ])("says %s", (directive) => {
    expect(policy.split(";").map((d) => d.trim())).toContain(directive);
  });

  it("holds for the page itself: it has no inline script and nothing from elsewhere", () => {
    const scripts = [...html.matchAll(/<script\b([^>]*)>([^<]*)<\/script>/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes, body] of scripts) {
      expect(attributes).toMatch(/src="\//);
      expect(body).toBe("");
    }
    expect(html).not.toMatch(/https?:\/\//);
  });
});
