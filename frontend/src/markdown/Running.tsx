import { Image } from "lucide-react";
import { memo, type ReactNode, useMemo } from "react";
import { openableAddress } from "./address";
import { Formula } from "./Formula";
import { type Definitions, heal, type Inline, parseInline } from "./inline";
import { Leaf } from "./Leaf";

/** A link shows its address before it opens; the page's guard does that for every link. Other schemes are plain text. */
function Address({ href, title, children }: { href: string; title?: string; children: ReactNode }) {
  const address = openableAddress(href);
  if (!address) return <span className="md-inert">{children}</span>;
  return (
    <a href={address} title={title ?? address} rel="noopener noreferrer nofollow" draggable={false}>
      {children}
    </a>
  );
}

/** A picture never loads by itself: its address would tell somebody else that, and what, is being read. */
function Picture({ href, alt }: { href: string; alt: string }) {
  const address = openableAddress(href);
  const words = alt || (address ? new URL(address).hostname : "");
  return (
    <span className="md-picture">
      <Image aria-hidden className="size-3.5 shrink-0" />
      <Address href={href}>{words}</Address>
      {address && <span className="md-picture-address">{address}</span>}
    </span>
  );
}

function draw(pieces: readonly Inline[], grows: boolean): ReactNode[] {
  return pieces.map((piece, index) => {
    const key = `${index}${piece.kind}`;
    switch (piece.kind) {
      case "text":
        return grows ? <Leaf key={key} text={piece.text} /> : piece.text;
      case "code":
        return <code key={key}>{grows ? <Leaf text={piece.text} /> : piece.text}</code>;
      case "maths":
        return <Formula key={key} tex={piece.tex} display={piece.display} raw={piece.raw} />;
      case "strong":
        return <strong key={key}>{draw(piece.children, grows)}</strong>;
      case "em":
        return <em key={key}>{draw(piece.children, grows)}</em>;
      case "strike":
        return <del key={key}>{draw(piece.children, grows)}</del>;
      case "link":
        return (
          <Address key={key} href={piece.href} title={piece.title}>
            {draw(piece.children, grows)}
          </Address>
        );
      case "image":
        return <Picture key={key} href={piece.href} alt={piece.alt} />;
      case "break":
        return <br key={key} />;
    }
    return null;
  });
}

export interface RunningProps {
  text: string;
  definitions: Definitions;
  /** It may grow: its end is shown whole. */
  growing?: boolean;
  /** It was drawn while it grew, and keeps the elements that it had then. */
  grew?: boolean;
}

/** Running text with its emphasis, code, links and formulas. */
export const Running = memo(function Running({ text, definitions, growing, grew }: RunningProps) {
  const pieces = useMemo(() => parseInline(growing ? heal(text) : text, definitions), [text, growing, definitions]);
  return draw(pieces, Boolean(grew));
});
