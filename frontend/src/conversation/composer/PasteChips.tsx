import { FileText, TextCursorInput, X } from "lucide-react";
import { useT } from "@/i18n";
import { IconButton } from "@/ui/Button";
import type { DraftStore, Paste } from "../drafts";
import { useFormats } from "../format";
import { bytesOf } from "./pastes";

/** Long texts that were pasted: each can be taken out, or put into the field as text. */
export function PasteChips({ draft, pastes }: { draft: DraftStore; pastes: readonly Paste[] }) {
  const t = useT();
  const formats = useFormats();
  if (pastes.length === 0) return null;
  const without = (id: string) => draft.get().pastes.filter((paste) => paste.id !== id);
  return (
    <ul aria-label={t("conversation.pastes")} className="flex flex-wrap gap-1.5 px-2.5 pt-2.5">
      {pastes.map((paste) => {
        const size = formats.bytes(bytesOf(paste.text));
        return (
          <li
            key={paste.id}
            className="flex items-center gap-1 rounded border border-line bg-sunken py-0.5 pr-0.5 pl-2 text-sm"
          >
            <FileText aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="max-w-60 truncate pl-1">{paste.text.trimStart().slice(0, 60).split("\n")[0]}</span>
            <span className="shrink-0 px-1 text-faint text-xs">{size}</span>
            <IconButton
              size="small"
              icon={TextCursorInput}
              label={t("conversation.paste.asText")}
              onClick={() => {
                const { text } = draft.get();
                draft.set({ text: text ? `${text}\n\n${paste.text}` : paste.text, pastes: without(paste.id) });
              }}
            />
            <IconButton
              size="small"
              icon={X}
              label={t("conversation.paste.remove")}
              onClick={() => draft.set({ pastes: without(paste.id) })}
            />
          </li>
        );
      })}
    </ul>
  );
}
