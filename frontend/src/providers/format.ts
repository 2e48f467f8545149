import type { IntlShape } from "react-intl";
import type { Model } from "@/backend/types";

/** 200000 → "200K", 1048576 → "1M"; windows are named in powers of two and of ten alike. */
export function formatTokens(count: number): string {
  if (count >= 1_000_000) return `${Math.round(count / 100_000) / 10}M`.replace(".0M", "M");
  if (count >= 1_000) return `${Math.round(count / 1_000)}K`;
  return String(count);
}

/** A price in US dollars, as short as it is exact. */
export function formatPrice(intl: IntlShape, dollars: number): string {
  const digits = dollars !== 0 && dollars < 0.1 ? 4 : 2;
  return intl.formatNumber(dollars, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 0,
    maximumFractionDigits: digits,
  });
}

/** What a model holds and costs in one line, such as "200K context · $3 in, $15 out". */
export function modelFacts(intl: IntlShape, model: Model): string {
  const parts: string[] = [];
  if (model.context_window > 0) {
    parts.push(intl.formatMessage({ id: "model.context" }, { size: formatTokens(model.context_window) }));
  }
  const { prices } = model;
  if (prices && prices.input === 0 && prices.output === 0) parts.push(intl.formatMessage({ id: "model.free" }));
  else if (prices) {
    const values = { input: formatPrice(intl, prices.input), output: formatPrice(intl, prices.output) };
    parts.push(intl.formatMessage({ id: "model.prices" }, values));
  }
  if (!model.tools) parts.push(intl.formatMessage({ id: "model.noTools" }));
  return parts.join(" · ");
}

/**
 * The model to begin with: one that can use tools and holds a conversation, as the provider lists them; a named one of a
 * detected server comes first in its own list.
 */
export function suggestModel(models: readonly Model[]): Model | undefined {
  const able = models.filter((m) => m.tools && (m.context_window === 0 || m.context_window >= 16_000));
  return able.find((m) => m.context_window > 0 && m.prices) ?? able[0] ?? models[0];
}
