import { File, Folder, SquareSlash } from "lucide-react";
import { useEffect, useRef } from "react";
import { useT } from "@/i18n";
import { cx } from "@/ui/cx";
import { Face } from "@/ui/Face";
import type { Suggestion } from "./completion";

const ICON = { file: File, folder: Folder, command: SquareSlash };

export interface SuggestionsProps {
  id: string;
  suggestions: readonly Suggestion[];
  chosen: number;
  onChoose(suggestion: Suggestion): void;
  onPoint(index: number): void;
}

export const optionId = (list: string, index: number): string => `${list}-${index}`;

/** The list above the field. The focus stays in the field, which names the chosen line. */
export function Suggestions({ id, suggestions, chosen, onChoose, onPoint }: SuggestionsProps) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView?.({ block: "nearest" });
  }, [chosen]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={t("conversation.suggestions")}
      className="absolute right-0 bottom-full left-0 z-20 mb-1.5 max-h-72 animate-fade overflow-y-auto rounded border border-line bg-raised p-1 shadow-high"
    >
      {suggestions.map((suggestion, index) => {
        const Icon = suggestion.kind === "bot" ? null : ICON[suggestion.kind];
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div
            key={suggestion.id}
            id={optionId(id, index)}
            role="option"
            aria-selected={index === chosen}
            onMouseMove={() => index !== chosen && onPoint(index)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(suggestion)}
            className={cx("flex h-8 items-center gap-2.5 rounded px-2", index === chosen && "bg-active")}
          >
            {Icon ? (
              <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            ) : (
              <Face seed={suggestion.bot?.id ?? ""} tint={suggestion.bot?.tint} className="size-4.5" />
            )}
            <span className="shrink-0 truncate">{suggestion.label}</span>
            <span className="min-w-0 flex-1 truncate text-muted text-sm">{suggestion.detail}</span>
          </div>
        );
      })}
    </div>
  );
}
