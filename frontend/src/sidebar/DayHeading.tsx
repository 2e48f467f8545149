import { Pin } from "lucide-react";
import { useIntl } from "react-intl";
import { useT } from "@/i18n";
import { daysBetween } from "./groups";

/** "Pinned", "Today", "Yesterday", a weekday within the last week, else the date. */
export function DayHeading({ day, today }: { day: number | "pinned"; today: number }) {
  const t = useT();
  const intl = useIntl();
  let text: string;
  if (day === "pinned") text = t("chats.pinned");
  else {
    const ago = daysBetween(day, today);
    if (ago <= 0) text = t("chats.today");
    else if (ago === 1) text = t("chats.yesterday");
    else if (ago < 7) text = intl.formatDate(day, { weekday: "long" });
    else {
      const sameYear = new Date(day).getFullYear() === new Date(today).getFullYear();
      text = intl.formatDate(day, { day: "numeric", month: "long", year: sameYear ? undefined : "numeric" });
    }
  }
  return (
    <h3 className="flex h-full items-end gap-1.5 px-2 pb-1 font-medium text-muted text-xs">
      {day === "pinned" && <Pin aria-hidden className="mb-0.5 size-3" />}
      {text}
    </h3>
  );
}
