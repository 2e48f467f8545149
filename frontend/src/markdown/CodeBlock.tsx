import { Check, Copy, WrapText } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { desktop } from "@/backend";
import { useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { IconButton } from "@/ui/Button";
import { type Coloured, colour, knownColours, languageOf, type Token } from "./highlight";
import { Leaf } from "./Leaf";

/** Lines that are laid out together; those far away from the window cost nothing. */
const LINES = 40;
/** Parts that get their colours in one frame. */
const PARTS_AT_ONCE = 3;
const COPIED_MS = 1600;

/** A text in parts of whole lines, so that only the last one is drawn again when it grows. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    lines++;
    if (lines < LINES) continue;
    parts.push(text.slice(start, at + 1));
    start = at + 1;
    lines = 0;
  }
  if (start < text.length || parts.length === 0) parts.push(text.slice(start));
  return parts;
}

const Plain = memo(function Plain({ text, grew }: { text: string; grew: boolean }) {
  return <div className="md-code-part">{grew ? <Leaf text={text} /> : text}</div>;
});

const Tinted = memo(function Tinted({ lines, end }: { lines: readonly (readonly Token[])[]; end: string }) {
  const out: ReactNode[] = [];
  let plain = "";
  const flush = () => {
    if (plain) out.push(plain);
    plain = "";
  };
  lines.forEach((line, row) => {
    for (const [text, tint] of line) {
      if (!tint) {
        plain += text;
        continue;
      }
      flush();
      out.push(
        <span key={out.length} style={{ color: tint }}>
          {text}
        </span>,
      );
    }
    plain += row < lines.length - 1 ? "\n" : end;
  });
  flush();
  return <div className="md-code-part">{out}</div>;
});

/** The colours of code once it is complete. */
function useColours(language: string, text: string, closed: boolean): Coloured | null {
  const [found, setFound] = useState<{ text: string; lines: Coloured } | null>(null);
  const known = useMemo(() => (closed ? knownColours(language, text) : null), [language, text, closed]);
  useEffect(() => {
    if (!closed || known) return;
    const wanted = new AbortController();
    void colour(language, text, wanted.signal).then((lines) => {
      if (lines && !wanted.signal.aborted) setFound({ text, lines });
    });
    return () => wanted.abort();
  }, [language, text, closed, known]);
  return known ?? (found?.text === text ? found.lines : null);
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const t = useT();
  const showError = useErrorToast();
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = () => {
    desktop
      .copy(text)
      .then(() => {
        setCopied(true);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setCopied(false), COPIED_MS);
      })
      .catch(showError);
  };
  return (
    <IconButton
      size="small"
      icon={copied ? Check : Copy}
      label={copied ? t("markdown.copied") : label}
      onClick={copy}
    />
  );
}

/** What the copy button gives: the bytes of the source, without the line end before the closing fence. */
export const copiedCode = (text: string): string => text.replace(/\r?\n$/, "");

/** How many parts are in colour: a few more with each frame, so that very long code does not hold the page up. */
function usePainted(parts: number, ready: boolean): number {
  const [painted, setPainted] = useState(PARTS_AT_ONCE);
  const more = ready && painted < parts;
  useEffect(() => {
    if (!more) return;
    const frame = requestAnimationFrame(() => setPainted(painted + PARTS_AT_ONCE));
    return () => cancelAnimationFrame(frame);
  }, [more, painted]);
  return painted;
}

/** The text of code, in colours where they are known. */
export function CodeText({ text, lang, closed, grew }: { text: string; lang: string; closed: boolean; grew: boolean }) {
  const colours = useColours(lang, text, closed);
  const parts = useMemo(() => partsOf(text), [text]);
  const painted = usePainted(parts.length, colours !== null);
  return parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
    if (!colours || index >= painted) return <Plain key={index} text={part} grew={grew} />;
    const ends = part.endsWith("\n");
    // After the last line end there is no line any more, although splitting the text there gives an empty one.
    const lines = colours.slice(index * LINES, index * LINES + part.split("\n").length - (ends ? 1 : 0));
    // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
    return <Tinted key={index} lines={lines} end={ends ? "\n" : ""} />;
  });
}

export interface CodeBlockProps {
  text: string;
  /** What stands behind the opening fence. */
  info: string;
  closed: boolean;
  grew?: boolean;
  /** More buttons, before the others. */
  actions?: ReactNode;
  /** Shown in place of the code. */
  children?: ReactNode;
}

/** A block of code with its language, its colours and its buttons. */
export const CodeBlock = memo(function CodeBlock({ text, info, closed, grew, actions, children }: CodeBlockProps) {
  const t = useT();
  const [wraps, setWraps] = useState(false);
  const lang = languageOf(info);
  const label = lang ? t("markdown.code.in", { language: lang }) : t("markdown.code");
  return (
    <section className="md-code" aria-label={label}>
      <header className="md-code-head" data-nocopy>
        <span className="min-w-0 flex-1 truncate">{lang || t("markdown.code")}</span>
        {actions}
        <IconButton
          size="small"
          icon={WrapText}
          label={t("markdown.wrap")}
          aria-pressed={wraps}
          onClick={() => setWraps(!wraps)}
        />
        <CopyButton text={copiedCode(text)} label={t("markdown.copy")} />
      </header>
      {children || (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
          tabIndex={0}
          data-wraps={wraps || undefined}
        >
          <code data-code className="md-code-text">
            <CodeText text={text} lang={lang} closed={closed} grew={Boolean(grew)} />
          </code>
        </pre>
      )}
    </section>
  );
});
