import { Ellipsis, Pencil, PlugZap, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { backend, useProviderKinds, useProviders } from "@/backend";
import type { ProviderInstance, ProviderKind, ProviderTest } from "@/backend/types";
import { ErrorNote, useErrorToast } from "@/errors";
import { useT } from "@/i18n";
import { ask } from "@/ui/ask";
import { Button, IconButton } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Menu } from "@/ui/Menu";
import { Section, Skeleton } from "@/ui/parts";
import { toast } from "@/ui/toast";
import { KindPicker } from "./KindPicker";
import { ModelsDialog } from "./ModelsDialog";
import { ProviderForm, TestAnswer } from "./ProviderForm";

type Open = { what: "add"; kind?: ProviderKind } | { what: "edit" | "models"; instance: ProviderInstance } | null;

/** The provider instances: add, change, test, see their models, remove. */
export function ProvidersSettings() {
  const t = useT();
  const providers = useProviders();
  const kinds = useProviderKinds().data ?? [];
  const [open, setOpen] = useState<Open>(null);
  const kindOf = (id: string) => kinds.find((k) => k.id === id);
  const close = () => setOpen(null);
  return (
    <Section
      title={t("settings.providers")}
      text={t("provider.intro")}
      action={
        <Button icon={Plus} onClick={() => setOpen({ what: "add" })}>
          {t("provider.add")}
        </Button>
      }
    >
      {providers.isPending && <Skeleton className="h-16" />}
      {providers.isError && <ErrorNote reason={providers.error} />}
      <ul className="flex flex-col gap-2.5">
        {providers.data?.map((instance) => (
          <ProviderCard
            key={instance.id}
            instance={instance}
            kind={kindOf(instance.kind)}
            onEdit={() => setOpen({ what: "edit", instance })}
            onModels={() => setOpen({ what: "models", instance })}
          />
        ))}
      </ul>
      {open?.what === "add" && (
        <AddDialog kinds={kinds} kind={open.kind} onKind={(kind) => setOpen({ what: "add", kind })} onClose={close} />
      )}
      {open?.what === "edit" && (
        <EditDialog instance={open.instance} kind={kindOf(open.instance.kind)} onClose={close} />
      )}
      {open?.what === "models" && <ModelsDialog instance={open.instance} onClose={close} />}
    </Section>
  );
}

function AddDialog(props: {
  kinds: ProviderKind[];
  kind?: ProviderKind;
  onKind(kind?: ProviderKind): void;
  onClose(): void;
}) {
  const t = useT();
  const { kind } = props;
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={kind ? t("provider.addKind", { name: kind.name }) : t("provider.add")}
      description={kind?.description}
    >
      {kind ? (
        <ProviderForm
          full
          kind={kind}
          saveLabel={t("provider.testAndSave")}
          onSaved={(saved) => {
            toast({ kind: "success", text: t("provider.saved", { name: saved.name }) });
            props.onClose();
          }}
          aside={
            <Button kind="quiet" onClick={() => props.onKind(undefined)}>
              {t("common.back")}
            </Button>
          }
        />
      ) : (
        <KindPicker kinds={props.kinds} onPick={props.onKind} />
      )}
    </Dialog>
  );
}

function EditDialog({ instance, kind, onClose }: { instance: ProviderInstance; kind?: ProviderKind; onClose(): void }) {
  const t = useT();
  const showError = useErrorToast();
  const forget = async () => {
    try {
      await backend.Providers.ClearCredential(instance.id);
      onClose();
    } catch (reason) {
      showError(reason);
    }
  };
  if (!kind) return null;
  return (
    <Dialog open onClose={onClose} title={t("provider.edit", { name: instance.name })}>
      <ProviderForm
        full
        kind={kind}
        instance={instance}
        saveLabel={t("provider.testAndSave")}
        onSaved={onClose}
        aside={
          instance.has_key && (
            <Button kind="quiet" onClick={() => void forget()}>
              {t("provider.key.forget")}
            </Button>
          )
        }
      />
    </Dialog>
  );
}

function ProviderCard(props: { instance: ProviderInstance; kind?: ProviderKind; onEdit(): void; onModels(): void }) {
  const t = useT();
  const { instance, kind } = props;
  const showError = useErrorToast();
  const [testing, setTesting] = useState(false);
  const [test, setTest] = useState<ProviderTest | null>(null);
  const tryIt = async () => {
    setTesting(true);
    setTest(null);
    try {
      setTest(
        await backend.Providers.Test({
          id: instance.id,
          kind: instance.kind,
          name: instance.name,
          base_url: instance.base_url,
        }),
      );
    } catch (reason) {
      showError(reason);
    } finally {
      setTesting(false);
    }
  };
  const remove = async () => {
    const sure = await ask({
      title: t("provider.remove.title", { name: instance.name }),
      body: t("provider.remove.text"),
      confirm: t("provider.remove"),
      danger: true,
    });
    if (!sure) return;
    try {
      await backend.Providers.Remove(instance.id);
    } catch (reason) {
      showError(reason);
    }
  };
  const demo = kind?.protocol === "demo";
  const facts = demo
    ? t("provider.demo")
    : [
        instance.base_url || kind?.base_url,
        instance.has_key
          ? t("provider.keyHint", { hint: instance.key_hint || "••••" })
          : t(kind?.needs_key ? "provider.noKey" : "provider.keyless"),
      ]
        .filter(Boolean)
        .join(" · ");
  return (
    <li className="rounded border border-line bg-raised px-4 py-3 shadow-low">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <h3 className="truncate font-medium">
            {instance.name}
            {kind && kind.name !== instance.name && <span className="ml-2 font-normal text-muted">{kind.name}</span>}
          </h3>
          <p className="truncate text-muted text-sm">{facts}</p>
        </div>
        <Button size="small" onClick={props.onModels}>
          {t("provider.models")}
        </Button>
        {!demo && (
          <Button size="small" icon={PlugZap} busy={testing} onClick={() => void tryIt()}>
            {t("provider.test.short")}
          </Button>
        )}
        <Menu
          items={[
            { id: "edit", label: t("common.edit"), icon: Pencil, disabled: demo, run: props.onEdit },
            "separator",
            { id: "remove", label: t("provider.remove"), icon: Trash2, danger: true, run: () => void remove() },
          ]}
        >
          <IconButton icon={Ellipsis} label={t("provider.menu", { name: instance.name })} />
        </Menu>
      </div>
      {test && (
        <div className="mt-3">
          <TestAnswer test={test} />
        </div>
      )}
    </li>
  );
}
