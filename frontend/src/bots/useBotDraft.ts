import { useCallback, useEffect, useState } from "react";
import { create } from "zustand";
import { backend, RejectionError, useConnection } from "@/backend";
import type { Bot } from "@/backend/types";
import { type BotForm, changesOf, type FormPatch, formOf, updateOf } from "./draft";

interface Kept {
  /** The record that the changes are made on; its revision is the one that saving expects. */
  base: Bot;
  patch: FormPatch;
}

/** Unsaved changes by Bot. They outlive leaving the profile, so going elsewhere never costs typed text. */
const useKept = create<{ kept: Record<string, Kept> }>(() => ({ kept: {} }));

export const useHasDraft = (id: string): boolean => useKept((s) => Object.keys(s.kept[id]?.patch ?? {}).length > 0);

export function keepDraft(base: Bot, patch: FormPatch): void {
  const changed = changesOf(formOf(base), patch);
  useKept.setState((s) => ({ kept: { ...s.kept, [base.id]: { base, patch: changed } } }));
}

export interface Conflict {
  /** What the changes were made on, what is stored now, and what the person has. */
  base: Bot;
  theirs: Bot;
  mine: BotForm;
}

/**
 * Edits a Bot against the record that it was read with. Another window's change is taken over silently while nothing is
 * unsaved; otherwise saving is refused by the backend and both versions are shown. Its own acknowledgement never counts
 * as somebody else's change, and what is typed while saving stays unsaved.
 */
export function useBotDraft(bot: Bot) {
  const { catalog } = useConnection();
  const kept = useKept((s) => s.kept[bot.id]);
  const [saving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);

  const base = kept?.base ?? bot;
  const patch = kept?.patch ?? {};
  const form: BotForm = { ...formOf(base), ...patch };
  const dirty = Object.keys(patch).length > 0;
  const changedElsewhere = dirty && !saving && bot.config.revision > base.config.revision;

  useEffect(() => {
    // Only forward: right after saving, the list may still show the record from before.
    if (!dirty && !saving && bot.config.revision > base.config.revision) keepDraft(bot, {});
  }, [bot, base, dirty, saving]);

  const set = useCallback(
    (change: FormPatch) => {
      const now = useKept.getState().kept[bot.id] ?? { base: bot, patch: {} };
      keepDraft(now.base, { ...now.patch, ...change });
    },
    [bot],
  );

  const discard = useCallback(() => {
    const now = useKept.getState().kept[bot.id]?.base ?? bot;
    setRefusal(null);
    keepDraft(now.config.revision > bot.config.revision ? now : bot, {});
  }, [bot]);

  const store = async (from: Bot, sent: FormPatch) => {
    setSaving(true);
    setRefusal(null);
    try {
      const saved = await backend.Bots.Update(updateOf(from, sent));
      catalog.takeBot(saved);
      const now = useKept.getState().kept[bot.id]?.patch ?? {};
      // What was typed meanwhile is unsaved still; what was sent is the stored record's now.
      const later = changesOf({ ...formOf(from), ...sent }, now);
      keepDraft(saved, later);
      setConflict(null);
    } catch (reason) {
      if (reason instanceof RejectionError && reason.code === "revision_conflict") {
        const theirs = await backend.Bots.Get(bot.id).catch(() => null);
        if (theirs) setConflict({ base: from, theirs, mine: { ...formOf(from), ...sent } });
        else setRefusal(reason);
      } else setRefusal(reason);
    } finally {
      setSaving(false);
    }
  };

  const save = () => store(base, patch);

  /** Opens the comparison before saving, when the Bot is known to have changed. */
  const compare = () => setConflict({ base, theirs: bot, mine: form });

  /** Takes the chosen fields over the stored record and saves, or only takes the record when nothing is left to save. */
  const resolve = async (theirs: Bot, chosen: FormPatch) => {
    const rest = changesOf(formOf(theirs), chosen);
    keepDraft(theirs, rest);
    if (Object.keys(rest).length === 0) setConflict(null);
    else await store(theirs, rest);
  };

  return {
    form,
    dirty,
    saving,
    refusal,
    conflict,
    changedElsewhere,
    set,
    save,
    discard,
    compare,
    resolve,
    closeConflict: () => setConflict(null),
  };
}
