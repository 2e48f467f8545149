import { ChevronRight, FlaskConical, HardDrive, KeyRound, LoaderCircle, SquareTerminal } from "lucide-react";
import type { Detected } from "@/backend/types";
import { useT } from "@/i18n";

export interface SourcesProps {
  detected: Detected[];
  searching: boolean;
  /** Kind and address of the one that is being adopted, "" for none. */
  adopting: string;
  finishing: boolean;
  onAdopt(found: Detected): void;
  onKinds(): void;
  onDemo(): void;
}

/** The three ways to begin: what was found here, a key, or the demonstration. */
export function Sources(props: SourcesProps) {
  const t = useT();
  const busy = props.adopting !== "" || props.finishing;
  const facts = (found: Detected) =>
    found.source === "environment"
      ? t("setup.found.key", { variable: found.env_var ?? "", hint: found.key_hint ?? "" })
      : t("setup.found.server", { count: found.models?.length ?? 0, address: found.base_url ?? "" });
  return (
    <div className="flex flex-col gap-2.5">
      <div role="status" className="text-muted text-sm">
        {props.searching && (
          <span className="flex items-center gap-2">
            <LoaderCircle aria-hidden className="size-4 animate-spin" />
            {t("setup.searching")}
          </span>
        )}
        {!props.searching && props.detected.length > 0 && t("setup.found", { count: props.detected.length })}
      </div>
      {props.detected.map((found) => {
        const id = found.kind + found.base_url;
        return (
          <Way
            key={id}
            icon={found.source === "environment" ? SquareTerminal : HardDrive}
            title={t("setup.use", { name: found.name })}
            text={facts(found)}
            busy={props.adopting === id}
            disabled={busy}
            onClick={() => props.onAdopt(found)}
          />
        );
      })}
      <Way
        icon={KeyRound}
        title={t("setup.paste")}
        text={t("setup.paste.text")}
        disabled={busy}
        onClick={props.onKinds}
      />
      <Way
        icon={FlaskConical}
        title={t("setup.demo")}
        text={t("setup.demo.text")}
        disabled={busy}
        onClick={props.onDemo}
      />
    </div>
  );
}

interface WayProps {
  icon: typeof KeyRound;
  title: string;
  text: string;
  busy?: boolean;
  disabled: boolean;
  onClick(): void;
}

function Way({ icon, title, text, busy, disabled, onClick }: WayProps) {
  const Icon = busy ? LoaderCircle : icon;
  return (
    <button
      type="button"
      disabled={disabled}
      aria-busy={busy || undefined}
      onClick={onClick}
      className="flex w-full items-center gap-3.5 rounded border border-line bg-raised px-4 py-3 text-left shadow-low transition-colors enabled:hover:border-line-strong enabled:hover:bg-hover disabled:opacity-60"
    >
      <Icon aria-hidden className={`size-5 shrink-0 text-accent ${busy ? "animate-spin" : ""}`} />
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{title}</span>
        <span className="block break-words text-muted text-sm">{text}</span>
      </span>
      <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
    </button>
  );
}
