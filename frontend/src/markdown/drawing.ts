/** A drawn diagram: an image of its own, which can neither run anything nor load anything nor reach the page. */
export interface Picture {
  url: string;
  width: number;
  height: number;
}

const LONGEST = 50_000;

/** What would make the drawing load something or change how it is drawn. */
const SETTINGS = /%%\{[\s\S]*?\}%%/g;
const FRONT_MATTER = /^\s*---\r?\n[\s\S]*?\r?\n---\r?\n/;
const LOADS = /url\s*\(|@import|@\{[^}]*\b(?:img|icon)\s*:|<\s*(?:img|image|iframe|script|link|object)/i;
/** What a drawing's own style sheet may not hold: addresses other than of its own parts. */
const REACHES_OUT = /@import|url\s*\(\s*(?!["']?\s*#)/i;

const ELEMENTS = new Set(
  "svg g path rect circle ellipse line polyline polygon text tspan textPath defs marker style title desc linearGradient radialGradient stop clipPath mask filter feDropShadow feGaussianBlur feOffset feMerge feMergeNode feFlood feComposite feColorMatrix symbol use pattern switch".split(
    " ",
  ),
);

function cleanElement(element: Element): void {
  for (const child of [...element.children]) {
    const name = child.localName;
    if (!ELEMENTS.has(name) || (name === "style" && REACHES_OUT.test(child.textContent ?? ""))) child.remove();
    else cleanElement(child);
  }
  for (const { name, value } of [...element.attributes]) {
    const local = name.toLowerCase().replace(/^.*:/, "");
    const address = local === "href" && !value.startsWith("#");
    const loads = REACHES_OUT.test(value);
    if (local.startsWith("on") || local === "src" || address || loads) element.removeAttribute(name);
  }
}

/** Takes out of a drawing whatever is not shape or text. Throws when it is none. */
export function cleanDrawing(svg: string): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg") throw new Error("The drawing is not an SVG.");
  cleanElement(root);
  return root as unknown as SVGSVGElement;
}

let counter = 0;

/** Draws a diagram. Rejects when it cannot be read, or when it asks for something from elsewhere. */
export async function drawDiagram(source: string, dark: boolean): Promise<Picture> {
  const text = source.replace(FRONT_MATTER, "").replace(SETTINGS, "");
  if (text.length > LONGEST || LOADS.test(text)) throw new Error("The diagram asks for something from elsewhere.");
  const { default: mermaid } = await import("mermaid");
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    theme: dark ? "dark" : "neutral",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily: "system-ui, sans-serif",
    suppressErrorRendering: true,
    maxTextSize: LONGEST,
  });
  const { svg } = await mermaid.render(`diagram-${++counter}`, text);
  const root = cleanDrawing(svg);
  const [, , width = 600, height = 400] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(height));
  root.removeAttribute("style");
  const blob = new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
  return { url: URL.createObjectURL(blob), width, height };
}
