import { useMemo } from "react";
import { useT } from "@/i18n";
import { type ShortcutInfo, useShortcut, useShortcutList } from "@/keyboard/shortcuts";
import { Dialog } from "@/ui/Dialog";
import { Keys } from "@/ui/parts";
import { useSheet } from "./palette";
import { combos } from "./TopBar";

const FIRST = ["app.shortcuts.general", "app.shortcuts.places"];

/** All shortcuts that work right now, on `?`. */
export function ShortcutSheet() {
  const t = useT();
  const { isOpen, setOpen } = useSheet();
  const listed = useShortcutList((s) => s.listed);
  const groups = useMemo(() => {
    const out = new Map<string, ShortcutInfo[]>(FIRST.map((group) => [group, []]));
    for (const info of listed.values()) out.set(info.group, [...(out.get(info.group) ?? []), info]);
    return [...out].filter(([, infos]) => infos.length > 0);
  }, [listed]);
  useShortcut({ id: "sheet", combos: [combos.sheet], label: "app.shortcuts", group: "app.shortcuts.general" }, () =>
    setOpen(true),
  );
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} title={t("app.shortcuts")} width="wide">
      <div className="gap-x-10 @md:columns-2">
        {groups.map(([group, infos]) => (
          <section key={group} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 font-semibold text-muted text-sm">{t(group)}</h3>
            <dl>
              {infos.map((info) => (
                <div
                  key={info.id}
                  className="flex items-center justify-between gap-4 border-line border-b py-1.5 last:border-b-0"
                >
                  <dt>{t(info.label)}</dt>
                  <dd className="flex gap-3">
                    {info.combos.map((combo) => (
                      <Keys key={combo} combo={combo} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
