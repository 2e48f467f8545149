import type { Bot, BotConfig, BotDefaults, BotUpdate } from "@/backend/types";

/** The fields of a Bot's profile as the form shows them. */
export interface BotForm {
  name: string;
  handle: string;
  description: string;
  tint: string;
  instance: string;
  model: string;
  effort: string;
  prompt: string;
  capabilities: string[];
  delivery: string;
  maxSteps: string;
}

export type FormKey = keyof BotForm;
export type FormPatch = Partial<BotForm>;

const IDENTITY = ["name", "handle", "description", "tint"] as const;
export const FORM_KEYS: readonly FormKey[] = [
  ...IDENTITY,
  "instance",
  "model",
  "effort",
  "prompt",
  "capabilities",
  "delivery",
  "maxSteps",
];

function configForm(config: BotConfig) {
  return {
    instance: config.provider.instance,
    model: config.provider.model,
    effort: config.provider.reasoning_effort ?? "",
    prompt: config.system_prompt,
    capabilities: config.capabilities.enabled ?? [],
    delivery: config.delivery,
    maxSteps: String(config.max_model_steps),
  };
}

export function formOf(bot: Bot): BotForm {
  const { name, handle, description, tint } = bot;
  return { name, handle, description, tint, ...configForm(bot.config.config) };
}

export function formOfDefaults(defaults: BotDefaults): BotForm {
  return { name: "", handle: "", description: "", tint: "", ...configForm(defaults.config) };
}

export function sameValue(a: BotForm[FormKey], b: BotForm[FormKey]): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((item) => b.includes(item));
}

/** What of a patch really differs from the form. */
export function changesOf(form: BotForm, patch: FormPatch): FormPatch {
  const entries = Object.entries(patch) as [FormKey, BotForm[FormKey]][];
  return Object.fromEntries(entries.filter(([key, value]) => !sameValue(form[key], value))) as FormPatch;
}

/** The configuration with the changed fields over it; what the form does not show stays as it is. */
export function configWith(config: BotConfig, form: BotForm): BotConfig {
  return {
    ...config,
    provider: { instance: form.instance, model: form.model, reasoning_effort: form.effort || undefined },
    system_prompt: form.prompt,
    capabilities: { ...config.capabilities, enabled: form.capabilities },
    delivery: form.delivery,
    max_model_steps: Number(form.maxSteps),
  };
}

/** An update that carries the changed fields only. Configuration goes as a whole, on top of the one it was read with. */
export function updateOf(base: Bot, patch: FormPatch): BotUpdate {
  const changed = changesOf(formOf(base), patch);
  const update: BotUpdate = { id: base.id, expected_revision: base.config.revision };
  for (const key of IDENTITY) if (changed[key] !== undefined) update[key] = changed[key];
  const touchesConfig = FORM_KEYS.some((key) => !(IDENTITY as readonly string[]).includes(key) && key in changed);
  if (touchesConfig) update.config = configWith(base.config.config, { ...formOf(base), ...changed });
  return update;
}

const bytes = (text: string) => new TextEncoder().encode(text).length;

/** Catalogue ids of what is wrong, by field. The backend checks again; this only says it sooner. */
export function problemsOf(form: BotForm): Partial<Record<FormKey, string>> {
  const problems: Partial<Record<FormKey, string>> = {};
  if (!form.name.trim()) problems.name = "bots.problem.name";
  else if (bytes(form.name.trim()) > 128) problems.name = "bots.problem.long";
  if (!form.description.trim()) problems.description = "bots.problem.description";
  else if (bytes(form.description.trim()) > 2048) problems.description = "bots.problem.long";
  if (form.handle && !/^[a-z0-9_-]{1,64}$/.test(form.handle)) problems.handle = "bots.problem.handle";
  if (!form.prompt.trim()) problems.prompt = "bots.problem.prompt";
  else if (bytes(form.prompt) > 65_536) problems.prompt = "bots.problem.long";
  if (!/^[1-9]\d{0,5}$/.test(form.maxSteps.trim())) problems.maxSteps = "bots.problem.steps";
  return problems;
}
