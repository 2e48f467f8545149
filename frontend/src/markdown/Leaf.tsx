import { useLayoutEffect, useRef } from "react";

/**
 * Text that grows at its end. React would replace the text of the node, which lets go of whatever the person has selected
 * in it; appending keeps the selection.
 */
export function Leaf({ text }: { text: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const node = element.firstChild;
    if (!(node instanceof Text)) element.append(text);
    else if (text.startsWith(node.data)) {
      if (text.length > node.data.length) node.appendData(text.slice(node.data.length));
    } else node.data = text;
  }, [text]);
  return <span ref={place} />;
}
