import { useVirtualizer } from "@tanstack/react-virtual";
import { Check, ChevronsUpDown, Image, Lightbulb } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useIntl } from "react-intl";
import { useModels, useProviders } from "@/backend";
import type { Model } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { cx } from "@/ui/cx";
import { Field, Input, Select, useFieldName } from "@/ui/Field";
import { Skeleton } from "@/ui/parts";
import { rem } from "@/ui/rem";
import { modelFacts, suggestModel } from "./format";

export interface ModelChoice {
  instance: string;
  model: string;
}

export interface ModelPickerProps extends ModelChoice {
  onChange(choice: ModelChoice): void;
}

/** Chooses a provider instance and one of its models. */
export function ModelPicker({ instance, model, onChange }: ModelPickerProps) {
  const t = useT();
  const providers = useProviders().data ?? [];
  const models = useModels(instance);
  const gone = instance !== "" && !providers.some((p) => p.id === instance);
  return (
    <div className="grid gap-4 @md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Field label={t("model.provider")} error={gone ? t("model.providerGone") : undefined}>
        <Select value={instance} onChange={(event) => onChange({ instance: event.target.value, model: "" })}>
          {(gone || instance === "") && <option value={instance}>{instance || t("model.choose")}</option>}
          {providers.map((p) => (
            <option key={p.id} value={p.id}>
              {p.name}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t("model.model")}>
        {models.isPending && instance !== "" && !gone ? (
          <Skeleton className="h-8.5" />
        ) : (
          <ModelCombobox
            models={models.data ?? []}
            value={model}
            onChange={(id) => onChange({ instance, model: id })}
          />
        )}
      </Field>
      {models.isError && !gone && (
        <div className="@md:col-span-2">
          <ErrorNote reason={models.error} />
        </div>
      )}
      <SuggestOnce instance={instance} model={model} models={models.data} onChange={onChange} />
    </div>
  );
}

/** After another provider was chosen, its first fitting model is taken as soon as its list is there. */
function SuggestOnce({ instance, model, models, onChange }: ModelPickerProps & { models: Model[] | undefined }) {
  useEffect(() => {
    const suggested = model === "" && models ? suggestModel(models) : undefined;
    if (suggested) onChange({ instance, model: suggested.id });
  }, [instance, model, models, onChange]);
  return null;
}

const ROW_REM = 3.15;

interface ComboboxProps {
  models: Model[];
  value: string;
  onChange(id: string): void;
}

/** A list of models that is filtered as one types; any other id can be typed too, since servers do not list all they have. */
function ModelCombobox({ models, value, onChange }: ComboboxProps) {
  const t = useT();
  const intl = useIntl();
  const [open, setOpen] = useState(false);
  const current = models.find((m) => m.id === value);
  const name = useFieldName();
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          {...name}
          className="flex min-h-8.5 w-full items-center gap-2 rounded border border-line-strong bg-raised px-2.5 py-1 text-left shadow-low"
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate">{current?.name || value || t("model.choose")}</span>
            {current && modelFacts(intl, current) && (
              <span className="block truncate text-muted text-sm">{modelFacts(intl, current)}</span>
            )}
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={t("model.model")}
          align="start"
          sideOffset={4}
          collisionPadding={12}
          className="z-50 w-(--radix-popover-trigger-width) min-w-80 animate-appear rounded border border-line bg-raised shadow-high"
        >
          <ModelList
            models={models}
            value={value}
            onChange={(id) => {
              setOpen(false);
              onChange(id);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ModelList({ models, value, onChange }: ComboboxProps) {
  const t = useT();
  const intl = useIntl();
  const listId = useId();
  const [text, setText] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const wanted = text.trim().toLowerCase();
  const shown = useMemo(
    () => models.filter((m) => !wanted || m.id.toLowerCase().includes(wanted) || m.name.toLowerCase().includes(wanted)),
    [models, wanted],
  );
  const other = wanted && !models.some((m) => m.id === text.trim()) ? text.trim() : "";
  const count = shown.length + (other ? 1 : 0);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      shown.findIndex((m) => m.id === value),
    ),
  );
  const at = Math.min(active, Math.max(0, count - 1));
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rem(ROW_REM),
    overscan: 6,
    initialRect: { width: 320, height: 280 },
    initialOffset: Math.max(0, rem(active * ROW_REM - 7)),
  });
  const idAt = (index: number) => shown[index]?.id ?? other;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) {
      const next = (at + step + count) % Math.max(1, count);
      setActive(next);
      virtual.scrollToIndex(next);
    } else if (event.key === "Enter" && idAt(at)) onChange(idAt(at));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="border-line border-b p-2">
        <Input
          role="combobox"
          aria-label={t("model.filter")}
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={count > 0 ? `${listId}-${at}` : undefined}
          placeholder={t("model.filter")}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={scroller} className="max-h-70 overflow-y-auto p-1">
        <div
          id={listId}
          role="listbox"
          aria-label={t("model.model")}
          className="relative"
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map((item) => {
            const model = shown[item.index];
            const id = idAt(item.index);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the text field chooses the active one
              // biome-ignore lint/a11y/useFocusableInteractive: as above
              <div
                key={id}
                id={`${listId}-${item.index}`}
                role="option"
                aria-selected={id === value}
                style={{
                  position: "absolute",
                  insetInline: 0,
                  height: item.size,
                  transform: `translateY(${item.start}px)`,
                }}
                className={cx("flex items-center gap-2 rounded px-2", item.index === at && "bg-highlight")}
                onMouseMove={() => setActive(item.index)}
                onClick={() => onChange(id)}
              >
                <Check aria-hidden className={cx("size-4 shrink-0", id !== value && "invisible")} />
                <span className="min-w-0 flex-1 leading-tight">
                  <span className="block truncate">
                    {model ? model.name || model.id : t("model.other", { id: other })}
                  </span>
                  {model && (
                    <span className="block truncate text-muted text-sm">{modelFacts(intl, model) || model.id}</span>
                  )}
                </span>
                {model?.reasoning && (
                  <Lightbulb role="img" aria-label={t("model.reasons")} className="size-3.5 shrink-0 text-muted" />
                )}
                {model?.images && (
                  <Image role="img" aria-label={t("model.images")} className="size-3.5 shrink-0 text-muted" />
                )}
              </div>
            );
          })}
        </div>
        {count === 0 && <p className="px-2 py-4 text-center text-muted">{t("model.none")}</p>}
      </div>
    </>
  );
}
