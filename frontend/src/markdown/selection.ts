/**
 * The text of a selection as it was written: a formula gives its source, code its exact bytes, and what only the page
 * added (buttons, labels) is left out.
 */
export function selectedText(range: Range): string {
  const code = codeAround(range.commonAncestorContainer);
  if (code) return rawText(range, code);
  const out: string[] = [];
  walk(range.commonAncestorContainer, range, out);
  return out
    .join("")
    .replace(/^\n+|\n+$/g, "")
    .replace(/\n{3,}/g, "\n\n");
}

const elementOf = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement);

const codeAround = (node: Node): Element | null => elementOf(node)?.closest("[data-code]") ?? null;

const APART = /^(P|H[1-6]|PRE|UL|OL|BLOCKQUOTE|TABLE|HR)$/;
const LINE = /^(DIV|LI|TR|SECTION|HEADER|DETAILS|SUMMARY)$/;

function piece(node: Text, range: Range): string {
  if (!range.intersectsNode(node)) return "";
  const start = range.startContainer === node ? range.startOffset : 0;
  const end = range.endContainer === node ? range.endOffset : node.data.length;
  return node.data.slice(start, end);
}

function rawText(range: Range, within: Node): string {
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  let out = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) out += piece(node as Text, range);
  return out;
}

function walk(node: Node, range: Range, out: string[]): void {
  if (!range.intersectsNode(node)) return;
  if (node instanceof Text) {
    out.push(piece(node, range));
    return;
  }
  if (!(node instanceof Element)) return;
  if (node.matches("button, [data-nocopy], [aria-hidden='true']")) return;
  const source = node.getAttribute("data-source");
  if (source !== null) {
    out.push(source);
    return;
  }
  if (node.matches("[data-code]")) {
    separate(out, "\n\n");
    out.push(rawText(range, node));
    separate(out, "\n\n");
    return;
  }
  if (node.tagName === "BR") {
    out.push("\n");
    return;
  }
  const gap = APART.test(node.tagName) ? "\n\n" : LINE.test(node.tagName) ? "\n" : "";
  if (gap) separate(out, node.closest("li") && gap === "\n\n" ? "\n" : gap);
  for (const child of node.childNodes) {
    if (child instanceof Element && /^T[DH]$/.test(child.tagName) && child.previousElementSibling) out.push("\t");
    walk(child, range, out);
  }
  if (gap) separate(out, node.closest("li") && gap === "\n\n" ? "\n" : gap);
}

/** Ends the line, unless it has just been ended that far. */
function separate(out: string[], gap: string): void {
  const text = out.slice(-4).join("");
  if (text === "") return;
  const ended = /\n*$/.exec(text)?.[0].length ?? 0;
  if (ended < gap.length) out.push(gap.slice(ended));
}

/** Handles a copy within text that this module drew. */
export function onCopy(event: { clipboardData: DataTransfer | null; preventDefault(): void }): void {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0 || !event.clipboardData) return;
  event.clipboardData.setData("text/plain", selectedText(selection.getRangeAt(0)));
  event.preventDefault();
}
