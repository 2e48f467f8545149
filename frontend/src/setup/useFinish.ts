import { useState } from "react";
import { navigate, paths } from "@/app/router";
import { backend, useConnection } from "@/backend";
import type { BotConfig } from "@/backend/types";
import type { ModelChoice } from "@/providers/ModelPicker";
import { useSaveSettings } from "@/settings/useSaveSettings";

/** The demonstration's own instance; it is there from the first start on. */
async function demoChoice(): Promise<ModelChoice> {
  const { providers } = await backend.Providers.List();
  const instance =
    providers.find((p) => p.kind === "demo") ?? (await backend.Providers.Save({ kind: "demo", name: "" }));
  const models = await backend.Providers.Models(instance.id, false);
  return { instance: instance.id, model: models[0]?.id ?? "demo" };
}

const withModel = (config: BotConfig, { instance, model }: ModelChoice): BotConfig => ({
  ...config,
  provider: { instance, model },
});

/** Gives the chosen model to the built-in Bot and to every new one, remembers that setup is done, and opens a new chat. */
export function useFinish() {
  const { catalog } = useConnection();
  const save = useSaveSettings();
  const [finishing, setFinishing] = useState(false);
  const [error, setError] = useState<unknown>(null);

  /** Without a choice the demonstration is used. */
  const finish = async (wanted: ModelChoice | null) => {
    setFinishing(true);
    setError(null);
    try {
      const choice = wanted ?? (await demoChoice());
      const [{ bots }, defaults] = await Promise.all([backend.Bots.List(), backend.Bots.Defaults()]);
      const bot = bots.find((b) => b.builtin) ?? bots[0];
      const same = bot?.config.config.provider;
      if (bot && (same?.instance !== choice.instance || same?.model !== choice.model)) {
        const config = withModel(bot.config.config, choice);
        catalog.takeBot(await backend.Bots.Update({ id: bot.id, expected_revision: bot.config.revision, config }));
      }
      const usual = defaults.config?.provider;
      if (usual && (usual.instance !== choice.instance || usual.model !== choice.model)) {
        catalog.takeDefaults(await backend.Bots.SetDefaults(defaults.revision, withModel(defaults.config, choice)));
      }
      if (await save({ setup_done: true })) navigate(paths.newChat(), { replace: true });
    } catch (reason) {
      setError(reason);
    } finally {
      setFinishing(false);
    }
  };
  return { finish, finishing, error };
}
