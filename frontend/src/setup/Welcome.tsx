import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { navigate, paths } from "@/app/router";
import { backend, keys, useProviderKinds, useSettings } from "@/backend";
import type { Detected, ProviderInstance, ProviderKind } from "@/backend/types";
import { ErrorNote } from "@/errors";
import { useT } from "@/i18n";
import { KindPicker } from "@/providers/KindPicker";
import { ProviderForm } from "@/providers/ProviderForm";
import { useSaveSettings } from "@/settings/useSaveSettings";
import { Button } from "@/ui/Button";
import { Sources } from "./Sources";
import { StartModel } from "./StartModel";
import { useFinish } from "./useFinish";

type Step =
  | { name: "source" }
  | { name: "kinds" }
  | { name: "key"; kind: ProviderKind }
  | { name: "model"; instance: ProviderInstance };

/**
 * The first minute: adopt what was found on this machine, paste a key, or go on with the demonstration. Every step leads
 * on or back, and it can be repeated from the settings.
 */
export default function Welcome() {
  const t = useT();
  const [step, setStep] = useState<Step>({ name: "source" });
  const [refusal, setRefusal] = useState<unknown>(null);
  const [adopting, setAdopting] = useState("");
  const settings = useSettings().data;
  const kinds = useProviderKinds();
  const queries = useQueryClient();
  const save = useSaveSettings();
  const { finish, finishing, error } = useFinish();
  const detected = useQuery({
    queryKey: ["detected"],
    queryFn: backend.Providers.Detect,
    staleTime: 30_000,
    gcTime: 60_000,
  });

  const adopt = async (found: Detected) => {
    setAdopting(found.kind + found.base_url);
    setRefusal(null);
    try {
      const instance = await backend.Providers.Adopt(found);
      await queries.invalidateQueries({ queryKey: keys.providers });
      setStep({ name: "model", instance });
    } catch (reason) {
      setRefusal(reason);
    } finally {
      setAdopting("");
    }
  };
  const leave = async () => {
    if (!settings?.setup_done) await save({ setup_done: true });
    navigate(paths.newChat(), { replace: true });
  };
  const back = () => {
    setRefusal(null);
    setStep(step.name === "key" ? { name: "kinds" } : { name: "source" });
  };
  const titles = {
    source: "setup.title",
    kinds: "setup.kinds.title",
    key: "setup.key.title",
    model: "setup.model.title",
  };
  const texts = { source: "setup.text", kinds: "setup.kinds.text", key: "setup.key.text", model: "setup.model.text" };
  const name = step.name === "key" ? step.kind.name : step.name === "model" ? step.instance.name : "";
  return (
    <main className="flex h-full flex-col items-center overflow-y-auto bg-sidebar px-6">
      <div className="@container my-auto w-full max-w-150 py-8">
        <div className="mb-5 flex items-center gap-3">
          <img src="/icon.svg" alt="" className="size-9" />
          <span className="font-semibold text-lg">Mobius</span>
        </div>
        <div className="rounded border border-line bg-raised p-7 shadow-low">
          <h1 className="font-semibold text-lg leading-tight">{t(titles[step.name], { name })}</h1>
          <p className="mt-1.5 mb-6 text-muted">{t(texts[step.name], { name })}</p>
          {step.name === "source" && (
            <Sources
              detected={detected.data ?? []}
              searching={detected.isPending}
              adopting={adopting}
              finishing={finishing}
              onAdopt={(found) => void adopt(found)}
              onKinds={() => setStep({ name: "kinds" })}
              onDemo={() => void finish(null)}
            />
          )}
          {step.name === "kinds" && kinds.data && (
            <KindPicker kinds={kinds.data} onPick={(kind) => setStep({ name: "key", kind })} />
          )}
          {step.name === "kinds" && kinds.isError && <ErrorNote reason={kinds.error} />}
          {step.name === "key" && (
            <ProviderForm
              kind={step.kind}
              saveLabel={t("setup.connect")}
              onSaved={(instance) => setStep({ name: "model", instance })}
            />
          )}
          {step.name === "model" && (
            <StartModel instance={step.instance} finishing={finishing} onStart={(choice) => void finish(choice)} />
          )}
          {(refusal ?? error) !== null && (
            <div className="mt-4">
              <ErrorNote reason={refusal ?? error} />
            </div>
          )}
        </div>
        <div className="mt-4 flex items-center justify-between">
          {step.name === "source" ? (
            <span />
          ) : (
            <Button kind="quiet" icon={ArrowLeft} onClick={back}>
              {t("common.back")}
            </Button>
          )}
          <Button kind="quiet" onClick={() => void leave()}>
            {t(settings?.setup_done ? "setup.leave" : "setup.skip")}
          </Button>
        </div>
      </div>
    </main>
  );
}
