import { useState } from "react";
import { useT } from "@/i18n";
import { CodeText, CopyButton } from "@/markdown";
import { Button } from "@/ui/Button";
import { useFormats } from "../format";
import type { Call } from "../rows";
import { parseArgs } from "../source";

/** Characters of an output that are drawn before the person asks for all of it. */
const SHOWN = 12_000;

function Text({ label, text, lang = "" }: { label: string; text: string; lang?: string }) {
  const t = useT();
  const formats = useFormats();
  const [all, setAll] = useState(false);
  const cut = !all && text.length > SHOWN;
  return (
    <section aria-label={label} className="min-w-0">
      <header className="flex h-7 items-center gap-2 text-faint text-xs" data-nocopy>
        <span className="flex-1">{label}</span>
        <CopyButton text={text} label={t("conversation.copyPart", { part: label })} />
      </header>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
        tabIndex={0}
        className="max-h-90 overflow-auto rounded bg-code px-3 py-2 font-mono text-xs leading-relaxed"
      >
        <code data-code className="block w-max min-w-full">
          <CodeText text={cut ? text.slice(0, SHOWN) : text} lang={lang} closed={!cut} grew={false} />
        </code>
      </pre>
      {cut && (
        <Button size="small" kind="quiet" className="mt-1" onClick={() => setAll(true)}>
          {t("conversation.showAll", { count: formats.number(text.length) })}
        </Button>
      )}
    </section>
  );
}

/** What a call was given and what it gave. */
export function CallBody({ call }: { call: Call }) {
  const t = useT();
  const formats = useFormats();
  const args = parseArgs(call.args);
  const { result } = call;
  const hasArgs = args ? Object.keys(args).length > 0 : call.args !== "";
  return (
    <div className="flex flex-col gap-1 border-line border-t px-3 pt-1 pb-3">
      {hasArgs && (
        <Text
          label={t("conversation.tool.arguments")}
          text={args ? JSON.stringify(args, null, 2) : call.args}
          lang={args ? "json" : ""}
        />
      )}
      {result && result.output !== "" && <Text label={t("conversation.tool.output")} text={result.output} />}
      {result && result.output === "" && <p className="pt-2 text-muted text-sm">{t("conversation.tool.noOutput")}</p>}
      <p className="pt-1 text-faint text-xs" data-nocopy>
        {result
          ? t("conversation.tool.took", { name: call.name, time: formats.duration(result.duration_ms ?? 0) })
          : t("conversation.tool.noResult", { name: call.name })}
      </p>
    </div>
  );
}
