import { Copy } from "lucide-react";
import { desktop, useSystemInfo } from "@/backend";
import { ErrorNote, useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { IconButton } from "@/ui/Button";
import { Section, Skeleton } from "@/ui/parts";
import { toast } from "@/ui/toast";

/** What runs and where its data lives. */
export default function About() {
  const t = useT();
  const info = useSystemInfo();
  const showError = useErrorToast();
  const copy = (text: string) =>
    desktop.copy(text).then(() => toast({ kind: "success", text: t("common.copied") }), showError);
  const rows = info.data && [
    { id: "version", value: info.data.version },
    { id: "shell", value: t(`about.shell.${info.data.shell}`) },
    { id: "os", value: info.data.os },
    { id: "data", value: info.data.state_dir, copies: true },
    { id: "keys", value: info.data.key_store },
  ];
  return (
    <Section title={t("settings.about")} text={t("about.text")}>
      {info.isPending && <Skeleton className="h-40" />}
      {info.isError && <ErrorNote reason={info.error} />}
      {rows && (
        <dl className="overflow-hidden rounded border border-line">
          {rows
            .filter((row) => row.value)
            .map(({ id, value, copies }) => (
              <div
                key={id}
                className="flex min-h-10 items-center gap-4 border-line border-b px-4 py-1.5 last:border-b-0"
              >
                <dt className="w-36 shrink-0 text-muted">{t(`about.${id}`)}</dt>
                <dd className="flex min-w-0 flex-1 items-center gap-2">
                  <span className="min-w-0 flex-1 break-all">{value}</span>
                  {copies && (
                    <IconButton size="small" icon={Copy} label={t("about.copyPath")} onClick={() => void copy(value)} />
                  )}
                </dd>
              </div>
            ))}
        </dl>
      )}
    </Section>
  );
}
