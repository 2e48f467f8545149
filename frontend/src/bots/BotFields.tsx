import { useCapabilities, useModels } from "@/backend";
import { TINTS, type Tint } from "@/backend/types";
import { useT } from "@/i18n";
import { ModelPicker } from "@/providers/ModelPicker";
import { Face } from "@/ui/Face";
import { Field, Input, Segments, Select, SwitchRow, Textarea } from "@/ui/Field";
import { Section, Skeleton } from "@/ui/parts";
import type { BotForm, FormKey, FormPatch } from "./draft";

export interface BotFieldsProps {
  form: BotForm;
  /** What keeps its face while the name is typed. */
  seed: string;
  problems: Partial<Record<FormKey, string>>;
  set(change: FormPatch): void;
}

/** Name, handle, description and tint. */
export function IdentityFields({ form, seed, problems, set, isNew }: BotFieldsProps & { isNew?: boolean }) {
  const t = useT();
  const problem = (key: FormKey) => (problems[key] ? t(problems[key]) : undefined);
  return (
    <Section title={t("bots.identity")}>
      <div className="grid gap-4 @md:grid-cols-2">
        <Field label={t("bots.field.name")} error={problem("name")}>
          <Input
            value={form.name}
            maxLength={128}
            autoFocus={isNew}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
        <Field
          label={t("bots.field.handle")}
          optional={isNew ? t("common.optional") : undefined}
          help={t("bots.handle.help")}
          error={problem("handle")}
        >
          <Input
            value={form.handle}
            maxLength={64}
            placeholder={isNew ? t("bots.handle.auto") : undefined}
            onChange={(event) => set({ handle: event.target.value.toLowerCase() })}
          />
        </Field>
      </div>
      <Field label={t("bots.field.description")} help={t("bots.description.help")} error={problem("description")}>
        <Textarea rows={2} value={form.description} onChange={(event) => set({ description: event.target.value })} />
      </Field>
      <TintPicker seed={seed} value={form.tint} onChange={(tint) => set({ tint })} />
    </Section>
  );
}

function TintPicker({ seed, value, onChange }: { seed: string; value: string; onChange(tint: Tint): void }) {
  const t = useT();
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{t("bots.field.tint")}</legend>
      <div className="flex flex-wrap gap-1.5">
        {TINTS.map((tint) => (
          <label
            key={tint}
            title={t(`tint.${tint}`)}
            className="relative inline-flex rounded border border-transparent p-1 hover:bg-hover has-checked:border-line-strong has-checked:bg-sunken has-focus-visible:outline-2 has-focus-visible:outline-focus"
          >
            <input
              type="radio"
              name="tint"
              className="sr-only"
              aria-label={t(`tint.${tint}`)}
              checked={value === tint}
              onChange={() => onChange(tint)}
            />
            <Face seed={seed} tint={tint} className="size-8" />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Provider, model and effort. */
export function ModelFields({ form, set }: Pick<BotFieldsProps, "form" | "set">) {
  const t = useT();
  const models = useModels(form.instance).data;
  const model = models?.find((m) => m.id === form.model);
  const efforts = model?.efforts ?? [];
  return (
    <Section title={t("bots.model")} text={t("bots.model.text")}>
      <ModelPicker instance={form.instance} model={form.model} onChange={(choice) => set({ ...choice, effort: "" })} />
      {(efforts.length > 0 || form.effort) && (
        <Field label={t("bots.field.effort")} help={t("bots.effort.help")}>
          <Select className="max-w-60" value={form.effort} onChange={(event) => set({ effort: event.target.value })}>
            <option value="">{t("bots.effort.default")}</option>
            {[...new Set([...efforts, ...(form.effort ? [form.effort] : [])])].map((effort) => (
              <option key={effort} value={effort}>
                {KNOWN_EFFORTS.includes(effort) ? t(`bots.effort.${effort}`) : effort}
              </option>
            ))}
          </Select>
        </Field>
      )}
    </Section>
  );
}

export const KNOWN_EFFORTS = ["minimal", "low", "medium", "high"];

/** The system prompt. */
export function PromptField({ form, problems, set }: Omit<BotFieldsProps, "seed">) {
  const t = useT();
  return (
    <Section title={t("bots.instructions")} text={t("bots.instructions.text")}>
      <Field label={t("bots.field.prompt")} error={problems.prompt ? t(problems.prompt) : undefined}>
        <Textarea
          rows={10}
          spellCheck
          value={form.prompt}
          className="min-h-40 font-mono text-sm leading-prose"
          onChange={(event) => set({ prompt: event.target.value })}
        />
      </Field>
    </Section>
  );
}

/** What the Bot may use. */
export function CapabilityFields({ form, set }: Pick<BotFieldsProps, "form" | "set">) {
  const t = useT();
  const capabilities = useCapabilities();
  const enabled = new Set(form.capabilities);
  const toggle = (id: string, on: boolean) =>
    set({ capabilities: on ? [...form.capabilities, id] : form.capabilities.filter((c) => c !== id) });
  if (capabilities.data?.length === 0) return null;
  return (
    <Section title={t("bots.capabilities")} text={t("bots.capabilities.text")}>
      {capabilities.isPending && <Skeleton className="h-12" />}
      {capabilities.data?.map((c) => (
        <SwitchRow
          key={c.id}
          label={c.name}
          help={c.description}
          checked={enabled.has(c.id)}
          onChange={(on) => toggle(c.id, on)}
        >
          <p className="mt-1.5 flex flex-wrap gap-1">
            {c.tools.map((tool) => (
              <code
                key={tool.name}
                title={tool.description}
                className="rounded bg-sunken px-1.5 py-0.5 font-mono text-muted text-xs"
              >
                {tool.name}
              </code>
            ))}
          </p>
        </SwitchRow>
      ))}
    </Section>
  );
}

/** What a message during a turn does, and how long a turn may go on. */
export function BehaviourFields({ form, problems, set }: Omit<BotFieldsProps, "seed">) {
  const t = useT();
  return (
    <Section title={t("bots.behaviour")}>
      <div>
        <p className="mb-1.5 font-medium">{t("bots.field.delivery")}</p>
        <Segments
          label={t("bots.field.delivery")}
          value={form.delivery}
          choices={[
            { value: "steer", label: t("bots.delivery.steer") },
            { value: "queue", label: t("bots.delivery.queue") },
          ]}
          onChange={(delivery) => set({ delivery })}
        />
        <p className="mt-1.5 text-muted text-sm">
          {t(form.delivery === "queue" ? "bots.delivery.queue.help" : "bots.delivery.steer.help")}
        </p>
      </div>
      <Field
        label={t("bots.field.maxSteps")}
        help={t("bots.steps.help")}
        error={problems.maxSteps ? t(problems.maxSteps) : undefined}
      >
        <Input
          className="max-w-32"
          inputMode="numeric"
          value={form.maxSteps}
          onChange={(event) => set({ maxSteps: event.target.value })}
        />
      </Field>
    </Section>
  );
}
