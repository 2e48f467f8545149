import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Pencil, RefreshCw } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useIntl } from "react-intl";
import { backend, keys, useModels } from "@/backend";
import type { Model, ProviderInstance } from "@/backend/types";
import { ErrorNote, useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { Button, IconButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Input } from "@/ui/Field";
import { Skeleton } from "@/ui/parts";
import { rem } from "@/ui/rem";
import { modelFacts } from "./format";
import { ModelForm } from "./ModelForm";

const ROW_REM = 3.4;

/** The models of a provider instance: what its server and the catalogue say, and the person's own corrections. */
export function ModelsDialog({ instance, onClose }: { instance: ProviderInstance; onClose(): void }) {
  const t = useT();
  const queries = useQueryClient();
  const showError = useErrorToast();
  const models = useModels(instance.id);
  const [refreshing, setRefreshing] = useState(false);
  const [editing, setEditing] = useState<Model | null>(null);

  const refresh = async () => {
    setRefreshing(true);
    try {
      queries.setQueryData(keys.models(instance.id), await backend.Providers.Models(instance.id, true));
    } catch (reason) {
      showError(reason);
    } finally {
      setRefreshing(false);
    }
  };
  if (editing) {
    return (
      <ModelForm
        instance={instance}
        model={editing}
        onClose={() => setEditing(null)}
        onSaved={() => {
          setEditing(null);
          void queries.invalidateQueries({ queryKey: keys.models(instance.id) });
        }}
      />
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      width="wide"
      title={t("provider.modelsOf", { name: instance.name })}
      description={t("provider.models.text")}
      footer={
        <>
          <Button icon={RefreshCw} busy={refreshing} onClick={() => void refresh()}>
            {t("provider.models.refresh")}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {t("common.done")}
          </Button>
        </>
      }
    >
      {models.isPending && <Skeleton className="h-40" />}
      {models.isError && <ErrorNote reason={models.error} />}
      {models.data && <ModelTable models={models.data} onEdit={setEditing} />}
    </Dialog>
  );
}

function ModelTable({ models, onEdit }: { models: Model[]; onEdit(model: Model): void }) {
  const t = useT();
  const intl = useIntl();
  const [text, setText] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const wanted = text.trim().toLowerCase();
  const shown = useMemo(
    () => models.filter((m) => m.id.toLowerCase().includes(wanted) || m.name.toLowerCase().includes(wanted)),
    [models, wanted],
  );
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rem(ROW_REM),
    overscan: 6,
    initialRect: { width: 600, height: 340 },
  });
  return (
    <>
      {models.length > 8 && (
        <Input
          aria-label={t("model.filter")}
          placeholder={t("model.filter")}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="mb-2"
        />
      )}
      {shown.length === 0 && <p className="py-8 text-center text-muted">{t("model.none")}</p>}
      <div ref={scroller} className="max-h-[46vh] overflow-y-auto">
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const model = shown[item.index];
            if (!model) return null;
            return (
              <li
                key={model.id}
                style={{
                  position: "absolute",
                  insetInline: 0,
                  height: item.size,
                  transform: `translateY(${item.start}px)`,
                }}
                className="flex items-center gap-3 border-line border-b"
              >
                <span className="min-w-0 flex-1 leading-tight">
                  <span className="block truncate">{model.name || model.id}</span>
                  <span className="block truncate text-muted text-sm">
                    {[model.name && model.name !== model.id ? model.id : "", modelFacts(intl, model)]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                </span>
                {model.source === "override" && (
                  <span className="rounded bg-sunken px-1.5 py-0.5 text-muted text-xs">{t("model.overridden")}</span>
                )}
                <IconButton
                  icon={Pencil}
                  size="small"
                  label={t("model.edit", { model: model.name || model.id })}
                  onClick={() => onEdit(model)}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
