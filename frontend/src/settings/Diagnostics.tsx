import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, CircleMinus, Copy, RefreshCw, TriangleAlert } from "lucide-react";
import { useIntl } from "react-intl";
import { backend, desktop } from "@/backend";
import type { DoctorCheck } from "@/backend/types";
import { ErrorNote, useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { cx } from "@/ui/cx";
import { Section, Skeleton } from "@/ui/parts";
import { toast } from "@/ui/toast";

const MARKS = {
  ok: { icon: CircleCheck, look: "text-success" },
  warning: { icon: TriangleAlert, look: "text-warning" },
  error: { icon: CircleAlert, look: "text-danger" },
  skipped: { icon: CircleMinus, look: "text-muted" },
};

/** All checks of the program, and its report to copy. */
export default function Diagnostics() {
  const t = useT();
  const intl = useIntl();
  const showError = useErrorToast();
  const report = useQuery({ queryKey: ["doctor"], queryFn: backend.System.Doctor, staleTime: 0, gcTime: 60_000 });
  const copy = async () => {
    try {
      await desktop.copy(report.data?.text ?? "");
      toast({ kind: "success", text: t("diagnostics.copied") });
    } catch (reason) {
      showError(reason);
    }
  };
  const checks = report.data?.checks ?? [];
  const count = (status: DoctorCheck["status"]) => checks.filter((c) => c.status === status).length;
  return (
    <Section
      title={t("settings.diagnostics")}
      text={t("diagnostics.text")}
      action={
        <div className="flex gap-2">
          <Button icon={RefreshCw} busy={report.isFetching} onClick={() => void report.refetch()}>
            {t("diagnostics.again")}
          </Button>
          <Button icon={Copy} disabled={!report.data} onClick={() => void copy()}>
            {t("diagnostics.copy")}
          </Button>
        </div>
      }
    >
      {report.isPending && <Skeleton className="h-48" />}
      {report.isError && <ErrorNote reason={report.error} />}
      {report.data && (
        <>
          <p role="status" className="text-muted">
            {t("diagnostics.summary", { ok: count("ok"), warnings: count("warning"), errors: count("error") })}{" "}
            {t("diagnostics.at", { time: intl.formatTime(report.data.at, { hour: "numeric", minute: "2-digit" }) })}
          </p>
          <ul className="overflow-hidden rounded border border-line">
            {checks.map((check) => (
              <Check key={check.id} check={check} />
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Check({ check }: { check: DoctorCheck }) {
  const t = useT();
  const { icon: Icon, look } = MARKS[check.status] ?? MARKS.skipped;
  return (
    <li className="flex items-start gap-3 border-line border-b px-4 py-3 last:border-b-0">
      <Icon
        role="img"
        aria-label={t(`diagnostics.status.${check.status}`)}
        className={cx("mt-0.5 size-4.5 shrink-0", look)}
      />
      <div className="min-w-0 flex-1 break-words">
        <h3 className="font-medium">{check.name}</h3>
        <p className="text-muted">{check.message}</p>
        {check.next && <p className="mt-1">{check.next}</p>}
      </div>
    </li>
  );
}
