import { useState } from "react";
import { backend } from "@/backend";
import type { Model, Prices, ProviderInstance } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field, Input, SwitchRow } from "@/ui/Field";

const PRICES: readonly (keyof Prices)[] = ["input", "output", "cache_read", "cache_write"];

/** A number as typed; an empty field is zero, nonsense is null. */
export function readNumber(text: string): number | null {
  const value = text.trim() === "" ? 0 : Number(text.trim().replace(",", "."));
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/** Corrects what is known about one model: its window, its longest answer, its prices, its abilities. */
export function ModelForm(props: { instance: ProviderInstance; model: Model; onClose(): void; onSaved(): void }) {
  const t = useT();
  const { instance, model } = props;
  const [context, setContext] = useState(String(model.context_window || ""));
  const [output, setOutput] = useState(String(model.max_output || ""));
  const [prices, setPrices] = useState<Record<keyof Prices, string>>(() => {
    const text = (key: keyof Prices) => (model.prices ? String(model.prices[key]) : "");
    return {
      input: text("input"),
      output: text("output"),
      cache_read: text("cache_read"),
      cache_write: text("cache_write"),
    };
  });
  const [tools, setTools] = useState(model.tools);
  const [images, setImages] = useState(model.images);
  const [saving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);

  const wrong = (text: string, whole = false) => {
    const value = readNumber(text);
    return value === null || (whole && !Number.isInteger(value)) ? t("model.number") : undefined;
  };
  const invalid = Boolean(wrong(context, true) || wrong(output, true) || PRICES.some((key) => wrong(prices[key])));

  const save = async () => {
    const anyPrice = PRICES.some((key) => prices[key].trim() !== "");
    const number = (text: string) => readNumber(text) ?? 0;
    setSaving(true);
    setRefusal(null);
    try {
      await backend.Providers.SetModel(instance.id, {
        ...model,
        context_window: number(context),
        max_output: number(output),
        tools,
        images,
        prices: anyPrice
          ? {
              input: number(prices.input),
              output: number(prices.output),
              cache_read: number(prices.cache_read),
              cache_write: number(prices.cache_write),
            }
          : undefined,
      });
      props.onSaved();
    } catch (reason) {
      setRefusal(reason);
      setSaving(false);
    }
  };
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={model.name || model.id}
      description={t("model.form.text")}
      footer={
        <>
          <Button onClick={props.onClose}>{t("common.cancel")}</Button>
          <Button kind="primary" busy={saving} disabled={invalid} onClick={() => void save()}>
            {t("common.save")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <div className="grid grid-cols-2 gap-4">
          <Field label={t("model.form.context")} help={t("model.form.tokens")} error={wrong(context, true)}>
            <Input inputMode="numeric" value={context} onChange={(event) => setContext(event.target.value)} />
          </Field>
          <Field label={t("model.form.output")} help={t("model.form.tokens")} error={wrong(output, true)}>
            <Input inputMode="numeric" value={output} onChange={(event) => setOutput(event.target.value)} />
          </Field>
        </div>
        <fieldset>
          <legend className="mb-2 font-medium">{t("model.form.prices")}</legend>
          <div className="grid grid-cols-2 gap-4 @md:grid-cols-4">
            {PRICES.map((key) => (
              <Field key={key} label={t(`model.price.${key}`)} error={wrong(prices[key])}>
                <Input
                  inputMode="decimal"
                  value={prices[key]}
                  onChange={(event) => setPrices({ ...prices, [key]: event.target.value })}
                />
              </Field>
            ))}
          </div>
        </fieldset>
        <SwitchRow
          label={t("model.form.tools")}
          help={t("model.form.tools.help")}
          checked={tools}
          onChange={setTools}
        />
        <SwitchRow label={t("model.form.images")} checked={images} onChange={setImages} />
        {refusal !== null && <ErrorNote reason={refusal} />}
      </div>
    </Dialog>
  );
}
