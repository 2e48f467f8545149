import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";

type Katex = typeof import("katex").default;

let katex: Katex | undefined;
let loading: Promise<Katex> | undefined;

/** The typesetter is only loaded once there is something to set. */
function load(): Promise<Katex> {
  loading ??= Promise.all([import("katex"), import("katex/dist/katex.min.css")]).then(([module]) => {
    katex = module.default;
    return katex;
  });
  return loading;
}

const LONGEST = 2000;

/** A formula. What cannot be set shows its source; copying it gives the source too. */
export const Formula = memo(function Formula({ tex, display, raw }: { tex: string; display: boolean; raw: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const [ready, setReady] = useState(katex !== undefined);
  const fits = tex.length <= LONGEST;
  useEffect(() => {
    if (!ready && fits) void load().then(() => setReady(true));
  }, [ready, fits]);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    try {
      if (!katex || !ready || !fits) throw new Error("The source is shown.");
      // Nothing in a formula may name an address, load a picture or grow without bound.
      katex.render(tex, element, {
        displayMode: display,
        throwOnError: true,
        trust: false,
        strict: "ignore",
        maxSize: 20,
        maxExpand: 500,
      });
    } catch {
      const source = document.createElement("code");
      source.className = "md-formula-source";
      source.textContent = raw;
      element.replaceChildren(source);
    }
  }, [tex, display, raw, ready, fits]);
  return <span ref={place} data-source={raw} className={display ? "md-formula-display" : "md-formula"} />;
});
