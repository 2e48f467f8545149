import { useState } from "react";
import { useModels } from "@/backend";
import type { ProviderInstance } from "@/backend/types";
import { useT } from "@/i18n";
import { suggestModel } from "@/providers/format";
import { type ModelChoice, ModelPicker } from "@/providers/ModelPicker";
import { Button } from "@/ui/Button";

/** The last step: which model to begin with. A fitting one is chosen already. */
export function StartModel(props: {
  instance: ProviderInstance;
  finishing: boolean;
  onStart(choice: ModelChoice): void;
}) {
  const t = useT();
  const [chosen, setChosen] = useState<ModelChoice | null>(null);
  const models = useModels(props.instance.id).data ?? [];
  const choice = chosen ?? { instance: props.instance.id, model: suggestModel(models)?.id ?? "" };
  return (
    <form
      className="flex flex-col gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        if (choice.model && !props.finishing) props.onStart(choice);
      }}
    >
      <ModelPicker {...choice} onChange={setChosen} />
      <Button
        kind="primary"
        type="submit"
        className="self-end"
        busy={props.finishing}
        disabled={!choice.model}
        autoFocus
      >
        {t("setup.start")}
      </Button>
    </form>
  );
}
