import { useQuery } from "@tanstack/react-query";
import { FilePlus2, History, LifeBuoy } from "lucide-react";
import { useState } from "react";
import { useIntl } from "react-intl";
import { backend, keys, useConnection } from "@/backend";
import type { BackupFile, RescueResult, RescueStatus } from "@/backend/types";
import { ErrorNote, useExplain } from "@/errors";
import { useT } from "@/i18n";
import { ask } from "@/ui/ask";
import { Button } from "@/ui/Button";
import { Note, Skeleton } from "@/ui/parts";

/** Stands in the page's place when the data could not be opened: what happened and the ways out. Nothing is thrown away. */
export function RescueScreen({ failure }: { failure: unknown }) {
  const t = useT();
  const explain = useExplain();
  const { catalog } = useConnection();
  const status = useQuery({ queryKey: keys.rescue, queryFn: backend.Rescue.Status, staleTime: 0 });
  const [done, setDone] = useState<RescueResult | null>(null);
  const reason = status.data?.reason ?? failure;
  const { title, next, detail } = explain(reason);
  return (
    <main className="flex h-full flex-col items-center overflow-y-auto bg-sidebar px-6">
      <div className="my-auto w-full max-w-150 py-8">
        <div className="rounded border border-line bg-raised p-7 shadow-low">
          <h1 className="font-semibold text-lg leading-tight">{title}</h1>
          {detail && <p className="mt-1.5 break-words text-muted">{detail}</p>}
          {status.isPending && <Skeleton className="mt-6 h-24" />}
          {done ? (
            <Done result={done} onContinue={() => void catalog.queries.resetQueries()} />
          ) : status.data?.reason?.code === "storage_damaged" ? (
            <Ways status={status.data} onDone={setDone} />
          ) : (
            <div className="mt-5 flex items-center gap-4">
              <p className="min-w-0 flex-1">{next}</p>
              <Button kind="primary" onClick={() => void catalog.queries.resetQueries()}>
                {t("common.retry")}
              </Button>
            </div>
          )}
        </div>
      </div>
    </main>
  );
}

function Done({ result, onContinue }: { result: RescueResult; onContinue(): void }) {
  const t = useT();
  return (
    <Note
      tone="success"
      live
      className="mt-6"
      title={t("rescue.done")}
      action={
        <Button kind="primary" onClick={onContinue}>
          {t("rescue.continue")}
        </Button>
      }
    >
      {result.rows > 0 && <p>{t("rescue.done.rows", { rows: result.rows, lost: result.lost })}</p>}
      <p className="break-all">{t("rescue.done.kept", { path: result.kept_as })}</p>
    </Note>
  );
}

function Ways({ status, onDone }: { status: RescueStatus; onDone(result: RescueResult): void }) {
  const t = useT();
  const intl = useIntl();
  const [busy, setBusy] = useState("");
  const [refusal, setRefusal] = useState<unknown>(null);
  const [backup, setBackup] = useState(status.backups[0]?.path ?? "");

  const run = async (id: string, title: string, confirm: string, fn: () => Promise<RescueResult>) => {
    if (!(await ask({ title, body: t("rescue.kept"), confirm }))) return;
    setBusy(id);
    setRefusal(null);
    try {
      onDone(await fn());
    } catch (reason) {
      setRefusal(reason);
    } finally {
      setBusy("");
    }
  };
  const describe = (b: BackupFile) =>
    t("rescue.backup", {
      date: intl.formatDate(b.at, { day: "numeric", month: "long", hour: "numeric", minute: "2-digit" }),
      reason: t(b.reason === "before-update" ? "rescue.backup.update" : "rescue.backup.daily"),
      size: intl.formatNumber(b.bytes / 1_000_000, { maximumFractionDigits: 1 }),
    });
  const way = (id: string, label: string, fn: () => Promise<RescueResult>) => (
    <Button busy={busy === id} disabled={busy !== ""} onClick={() => void run(id, t(`rescue.${id}.ask`), label, fn)}>
      {label}
    </Button>
  );
  return (
    <div className="mt-6 flex flex-col gap-3">
      <p className="text-muted">{t("rescue.text")}</p>
      <Way
        icon={History}
        title={t("rescue.restore")}
        text={t(status.backups.length > 0 ? "rescue.restore.text" : "rescue.restore.none")}
      >
        {status.backups.length > 0 && way("restore", t("rescue.restore.do"), () => backend.Rescue.Restore(backup))}
      </Way>
      {status.backups.length > 1 && (
        <fieldset className="-mt-1 flex flex-col gap-1 pl-12">
          <legend className="sr-only">{t("rescue.restore.choose")}</legend>
          {status.backups.slice(0, 5).map((b) => (
            <label key={b.path} className="flex min-h-7 items-center gap-2 text-sm">
              <input
                type="radio"
                name="backup"
                className="accent-accent"
                checked={b.path === backup}
                onChange={() => setBackup(b.path)}
              />
              {describe(b)}
            </label>
          ))}
        </fieldset>
      )}
      <Way icon={LifeBuoy} title={t("rescue.salvage")} text={t("rescue.salvage.text")}>
        {way("salvage", t("rescue.salvage.do"), () => backend.Rescue.Salvage())}
      </Way>
      <Way icon={FilePlus2} title={t("rescue.fresh")} text={t("rescue.fresh.text")}>
        {way("fresh", t("rescue.fresh.do"), () => backend.Rescue.StartFresh())}
      </Way>
      {refusal !== null && <ErrorNote reason={refusal} />}
    </div>
  );
}

function Way(props: { icon: typeof History; title: string; text: string; children: React.ReactNode }) {
  const Icon = props.icon;
  return (
    <section className="flex items-center gap-3.5 rounded border border-line px-4 py-3">
      <Icon aria-hidden className="size-5 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        <h2 className="font-medium">{props.title}</h2>
        <p className="text-muted text-sm">{props.text}</p>
      </div>
      {props.children}
    </section>
  );
}
