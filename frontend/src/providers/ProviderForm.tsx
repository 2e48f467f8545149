import { ExternalLink } from "lucide-react";
import { type ReactNode, useState } from "react";
import { openExternalLink } from "@/app/guards";
import { backend } from "@/backend";
import type { ProviderInstance, ProviderKind, ProviderTest } from "@/backend/types";
import { ErrorNote, useExplain } from "@/errors";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { Field, Input } from "@/ui/Field";
import { Note } from "@/ui/parts";

export interface ProviderFormProps {
  kind: ProviderKind;
  /** The instance that is changed; absent for a new one. */
  instance?: ProviderInstance;
  /** Shows name and address too, not only what is needed. */
  full?: boolean;
  saveLabel: string;
  onSaved(instance: ProviderInstance): void;
  /** Buttons beside the main ones. */
  aside?: ReactNode;
}

type Phase = "idle" | "testing" | "saving";

/**
 * Sets up one provider. Saving tests the connection first; when the test fails its answer is shown, and saving anyway is
 * a second, deliberate step. A stored key is never shown: only its hint, and an empty field keeps it.
 */
export function ProviderForm({ kind, instance, full, saveLabel, onSaved, aside }: ProviderFormProps) {
  const t = useT();
  const [name, setName] = useState(instance?.name ?? "");
  const [address, setAddress] = useState(instance?.base_url ?? "");
  const [key, setKey] = useState("");
  const [phase, setPhase] = useState<Phase>("idle");
  const [test, setTest] = useState<ProviderTest | null>(null);
  const [refusal, setRefusal] = useState<unknown>(null);

  const needsAddress = kind.base_url === "";
  const showAddress = full || needsAddress || kind.local;
  const keyMissing = kind.needs_key && !instance?.has_key && key.trim() === "";
  const addressMissing = needsAddress && address.trim() === "";
  const draft = { id: instance?.id, kind: kind.id, name: name.trim(), base_url: address.trim(), key: key.trim() };

  const run = async (next: Phase, fn: () => Promise<void>) => {
    setPhase(next);
    setRefusal(null);
    try {
      await fn();
    } catch (reason) {
      setRefusal(reason);
    } finally {
      setPhase("idle");
    }
  };
  const changed = (set: (value: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value);
    setTest(null);
    setRefusal(null);
  };
  const tryIt = () => run("testing", async () => setTest(await backend.Providers.Test(draft)));
  const store = async () => onSaved(await backend.Providers.Save(draft));
  const testAndSave = () =>
    run("testing", async () => {
      const result = await backend.Providers.Test(draft);
      setTest(result);
      if (result.ok) await store();
    });

  const failed = test !== null && !test.ok;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!keyMissing && !addressMissing && phase === "idle") void testAndSave();
      }}
    >
      {full && (
        <Field label={t("provider.name")}>
          <Input value={name} onChange={changed(setName)} placeholder={kind.name} maxLength={128} />
        </Field>
      )}
      {showAddress && (
        <Field label={t("provider.address")} help={needsAddress ? t("provider.address.help") : undefined}>
          <Input
            value={address}
            onChange={changed(setAddress)}
            placeholder={kind.base_url || "http://127.0.0.1:8080/v1"}
            inputMode="url"
          />
        </Field>
      )}
      {(kind.needs_key || !kind.local) && (
        <Field
          label={t("provider.key")}
          optional={kind.needs_key ? undefined : t("common.optional")}
          help={t(instance?.has_key ? "provider.key.kept" : "provider.key.help")}
        >
          <Input
            type="password"
            value={key}
            onChange={changed(setKey)}
            placeholder={instance?.has_key ? (instance.key_hint ?? "••••") : t("provider.key.paste")}
            autoFocus={kind.needs_key && !instance}
          />
        </Field>
      )}
      {kind.key_url && !instance && (
        <Button
          size="small"
          kind="quiet"
          icon={ExternalLink}
          className="-mt-2 self-start"
          onClick={() => openExternalLink(kind.key_url ?? "")}
        >
          {t("provider.key.get", { name: kind.name })}
        </Button>
      )}
      {test && <TestAnswer test={test} />}
      {refusal !== null && <ErrorNote reason={refusal} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {aside}
        <span className="flex-1" />
        <Button onClick={() => void tryIt()} busy={phase === "testing"} disabled={addressMissing || phase !== "idle"}>
          {t("provider.test")}
        </Button>
        {failed && (
          <Button onClick={() => void run("saving", store)} disabled={phase !== "idle"}>
            {t("provider.saveAnyway")}
          </Button>
        )}
        <Button
          kind="primary"
          type="submit"
          busy={phase === "saving"}
          disabled={keyMissing || addressMissing || phase !== "idle"}
        >
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}

/** The plain answer of a connection test. */
export function TestAnswer({ test }: { test: ProviderTest }) {
  const t = useT();
  const explain = useExplain();
  if (test.ok) {
    const values = { models: test.models, ms: test.latency_ms };
    return (
      <Note tone="success" live>
        {t(test.models > 0 ? "provider.test.okModels" : "provider.test.ok", values)}
      </Note>
    );
  }
  const { title, next } = explain({ code: test.code ?? "gateway_error", message: test.message, fatal: false });
  return (
    <Note tone="error" live title={title}>
      <p>{test.message || next}</p>
    </Note>
  );
}
