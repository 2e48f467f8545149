import { useCallback } from "react";
import { backend, keys, RejectionError, useConnection } from "@/backend";
import type { Settings } from "@/backend/types";
import { useErrorToast } from "@/errors";

export type SettingsPatch = Partial<Omit<Settings, "revision">>;

const ATTEMPTS = 3;
let queue: Promise<unknown> = Promise.resolve();

/** Writes only the given fields over what is stored now, so that two pages never undo each other's changes. */
async function write(patch: SettingsPatch): Promise<Settings> {
  for (let attempt = 1; ; attempt++) {
    const stored = await backend.Settings.Get();
    try {
      return await backend.Settings.Set({ ...stored, ...patch });
    } catch (reason) {
      const overtaken = reason instanceof RejectionError && reason.code === "revision_conflict";
      if (!overtaken || attempt >= ATTEMPTS) throw reason;
    }
  }
}

/** Shows a change of the settings at once and stores it; one that is refused is taken back and explained. */
export function useSaveSettings(): (patch: SettingsPatch) => Promise<boolean> {
  const { catalog } = useConnection();
  const showError = useErrorToast();
  return useCallback(
    (patch) => {
      catalog.queries.setQueryData<Settings>(keys.settings, (old) => old && { ...old, ...patch });
      const saved = queue.then(async () => {
        try {
          catalog.takeSettings(await write(patch));
          return true;
        } catch (reason) {
          void catalog.queries.invalidateQueries({ queryKey: keys.settings });
          showError(reason);
          return false;
        }
      });
      queue = saved;
      return saved;
    },
    [catalog, showError],
  );
}
