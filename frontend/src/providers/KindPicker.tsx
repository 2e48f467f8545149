import { Cloud, HardDrive, Server } from "lucide-react";
import type { ProviderKind } from "@/backend/types";
import { useT } from "@/i18n";

/** All kinds of provider as buttons: those with a key first, then servers on this machine. The demonstration is not one. */
export function KindPicker({ kinds, onPick }: { kinds: ProviderKind[]; onPick(kind: ProviderKind): void }) {
  const t = useT();
  const real = kinds.filter((k) => k.protocol !== "demo");
  const groups = [
    { id: "cloud", title: t("provider.kinds.cloud"), icon: Cloud, kinds: real.filter((k) => !k.local && k.base_url) },
    { id: "local", title: t("provider.kinds.local"), icon: HardDrive, kinds: real.filter((k) => k.local) },
    { id: "other", title: t("provider.kinds.other"), icon: Server, kinds: real.filter((k) => !k.local && !k.base_url) },
  ];
  return (
    <div className="flex flex-col gap-5">
      {groups.map(({ id, title, icon: Icon, kinds: members }) =>
        members.length > 0 ? (
          <section key={id}>
            <h2 className="mb-2 font-medium text-muted text-sm">{title}</h2>
            <ul
              className={
                id === "other" ? "flex flex-col gap-2" : "grid grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))] gap-2"
              }
            >
              {members.map((kind) => (
                <li key={kind.id}>
                  <button
                    type="button"
                    onClick={() => onPick(kind)}
                    title={kind.description || kind.name}
                    className="flex h-10 w-full items-center gap-2.5 rounded border border-line bg-raised px-3 text-left shadow-low transition-colors hover:border-line-strong hover:bg-hover"
                  >
                    <Icon aria-hidden className="size-4 shrink-0 text-muted" />
                    <span className="truncate">{kind.name}</span>
                    {id === "other" && (
                      <span className="min-w-0 flex-1 truncate text-muted text-sm">{kind.description}</span>
                    )}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ) : null,
      )}
    </div>
  );
}
