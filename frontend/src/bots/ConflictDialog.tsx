import { useState } from "react";
import { useProviders } from "@/backend";
import type { Bot } from "@/backend/types";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { cx } from "@/ui/cx";
import { Dialog } from "@/ui/Dialog";
import { type BotForm, FORM_KEYS, type FormKey, type FormPatch, formOf, sameValue } from "./draft";
import type { Conflict } from "./useBotDraft";

type Side = "mine" | "theirs";

/** Shows both versions of every field that differs and lets the person choose for each. */
export function ConflictDialog(props: {
  conflict: Conflict;
  onResolve(theirs: Bot, chosen: FormPatch): void;
  onClose(): void;
}) {
  const t = useT();
  const { base, theirs, mine } = props.conflict;
  const stored = formOf(theirs);
  const before = formOf(base);
  const keys = FORM_KEYS.filter((key) => !sameValue(mine[key], stored[key]));
  // A field that only they changed starts as theirs; one that I changed starts as mine.
  const first = (key: FormKey): Side => (sameValue(mine[key], before[key]) ? "theirs" : "mine");
  const [sides, setSides] = useState<Partial<Record<FormKey, Side>>>({});
  const sideOf = (key: FormKey) => sides[key] ?? first(key);
  const finish = (all?: Side) => {
    const chosen = keys.filter((key) => (all ?? sideOf(key)) === "mine");
    props.onResolve(theirs, Object.fromEntries(chosen.map((key) => [key, mine[key]])) as FormPatch);
  };
  return (
    <Dialog
      open
      onClose={props.onClose}
      width="wide"
      title={t("bots.conflict.title", { name: theirs.name })}
      description={t("bots.conflict.text")}
      footer={
        <>
          <Button onClick={() => finish("theirs")}>{t("bots.conflict.theirs")}</Button>
          <Button kind="primary" onClick={() => finish()}>
            {t("bots.conflict.save")}
          </Button>
        </>
      }
    >
      {keys.length === 0 && <p className="text-muted">{t("bots.conflict.same")}</p>}
      <div className="flex flex-col gap-4">
        {keys.map((key) => (
          <fieldset key={key}>
            <legend className="mb-1.5 font-medium">{t(`bots.field.${key}`)}</legend>
            <div className="grid gap-2 @md:grid-cols-2">
              {(["mine", "theirs"] as const).map((side) => (
                <Version
                  key={side}
                  name={`side-${key}`}
                  title={t(side === "mine" ? "bots.conflict.mineLabel" : "bots.conflict.theirsLabel")}
                  field={key}
                  form={side === "mine" ? mine : stored}
                  checked={sideOf(key) === side}
                  onChoose={() => setSides({ ...sides, [key]: side })}
                />
              ))}
            </div>
          </fieldset>
        ))}
      </div>
    </Dialog>
  );
}

interface VersionProps {
  name: string;
  title: string;
  field: FormKey;
  form: BotForm;
  checked: boolean;
  onChoose(): void;
}

function Version({ name, title, field, form, checked, onChoose }: VersionProps) {
  const text = useFieldText(field, form);
  return (
    <label
      className={cx(
        "flex min-w-0 gap-2.5 rounded border p-2.5",
        checked ? "border-accent bg-accent-soft" : "border-line",
      )}
    >
      <input type="radio" name={name} checked={checked} onChange={onChoose} className="mt-1 accent-accent" />
      <span className="min-w-0 flex-1">
        <span className="block text-muted text-sm">{title}</span>
        <span className="block max-h-40 overflow-y-auto whitespace-pre-wrap break-words">{text}</span>
      </span>
    </label>
  );
}

function useFieldText(field: FormKey, form: BotForm): string {
  const t = useT();
  const providers = useProviders().data ?? [];
  const value = form[field];
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : t("bots.none");
  if (field === "instance") return providers.find((p) => p.id === value)?.name ?? value;
  if (field === "tint") return t(`tint.${value}`);
  if (field === "delivery") return t(`bots.delivery.${value}`);
  if (field === "effort") return t(value ? `bots.effort.${value}` : "bots.effort.default");
  return value || t("bots.none");
}
