import { useMemo } from "react";
import { useIntl } from "react-intl";

export interface Formats {
  /** "4 s", "1 min 5 s" */
  duration(ms: number): string;
  tokens(count: number): string;
  /** A cost from millionths of a dollar. */
  cost(micros: number): string;
  time(at: number): string;
  /** Date and time in full. */
  moment(at: number): string;
  percent(share: number): string;
  number(value: number): string;
  bytes(count: number): string;
}

/** Numbers and times in the person's language. */
export function useFormats(): Formats {
  const intl = useIntl();
  return useMemo(() => {
    const unit = (value: number, name: string, digits = 0) =>
      intl.formatNumber(value, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits });
    const duration = (ms: number): string => {
      if (ms < 1) return `< ${unit(1, "millisecond")}`;
      if (ms < 950) return unit(Math.round(ms), "millisecond");
      const seconds = ms / 1000;
      if (seconds < 9.95) return unit(seconds, "second", 1);
      if (seconds < 59.5) return unit(Math.round(seconds), "second");
      const minutes = Math.floor(Math.round(seconds) / 60);
      const rest = Math.round(seconds) % 60;
      const text = unit(minutes, "minute");
      return rest && minutes < 60 ? `${text} ${unit(rest, "second")}` : text;
    };
    return {
      duration,
      tokens: (count) => intl.formatNumber(count, { notation: "compact", maximumFractionDigits: 1 }),
      cost: (micros) => {
        const dollars = micros / 1_000_000;
        const digits = dollars > 0 && dollars < 0.1 ? 4 : 2;
        return intl.formatNumber(dollars, { style: "currency", currency: "USD", maximumFractionDigits: digits });
      },
      time: (at) => intl.formatTime(at, { hour: "numeric", minute: "2-digit" }),
      moment: (at) => intl.formatDate(at, { dateStyle: "full", timeStyle: "short" }),
      percent: (share) => intl.formatNumber(share, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 }),
      number: (value) => intl.formatNumber(value),
      bytes: (count) =>
        count < 1024 * 1024 ? unit(Math.ceil(count / 1024), "kilobyte") : unit(count / 1024 / 1024, "megabyte", 1),
    };
  }, [intl]);
}
