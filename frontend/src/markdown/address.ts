const OPENABLE = new Set(["http:", "https:", "mailto:"]);

/** The address of a link that may be opened, or null: anything but web and mail is inert text. */
export function openableAddress(href: string): string | null {
  try {
    // The parser drops the tabs and line feeds that hide a scheme, as a browser does.
    const url = new URL(href);
    if (!OPENABLE.has(url.protocol)) return null;
    if (url.protocol !== "mailto:" && url.hostname === "") return null;
    return url.href;
  } catch {
    return null;
  }
}
