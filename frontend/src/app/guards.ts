import { desktop } from "@/backend";
import { navigate } from "./router";

/** Addresses that may be opened outside of the window. */
export function isExternalAddress(url: string): boolean {
  return /^(https?:|mailto:)/i.test(url);
}

type LinkHandler = (url: string) => void;
let openLink: LinkHandler = (url) => desktop.openExternal(url);

/** Lets the page show an address before it is opened; see LinkHost. */
export function onExternalLink(handler: LinkHandler): void {
  openLink = handler;
}

/** Opens a web or mail address in the person's browser after showing it. Others are refused. */
export function openExternalLink(url: string): void {
  if (isExternalAddress(url)) openLink(url);
}

/**
 * Nothing may take the window away from the page: WebKit would show a dropped file in its place, and a link would load
 * another page into it. A place in the page is a link that begins with "#".
 */
export function installWindowGuards(target: Window): () => void {
  const onDrag = (event: DragEvent) => {
    const types = event.dataTransfer?.types ?? [];
    if (types.includes("Files") || types.includes("text/uri-list")) event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const href = link?.getAttribute("href");
    if (href == null || event.defaultPrevented) return;
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    event.preventDefault();
    if (!href.startsWith("#")) {
      if (event.button <= 1) openExternalLink(href);
    } else if (plain && href.startsWith("#/")) navigate(href.slice(1));
  };
  const onSubmit = (event: Event) => event.preventDefault();
  target.addEventListener("dragover", onDrag);
  target.addEventListener("drop", onDrag);
  target.addEventListener("click", onClick);
  target.addEventListener("auxclick", onClick);
  target.addEventListener("submit", onSubmit);
  return () => {
    target.removeEventListener("dragover", onDrag);
    target.removeEventListener("drop", onDrag);
    target.removeEventListener("click", onClick);
    target.removeEventListener("auxclick", onClick);
    target.removeEventListener("submit", onSubmit);
  };
}
