import { useEffect, useMemo, useRef, useState } from "react";
import { backend } from "@/backend";
import type { Bot, FileMatch } from "@/backend/types";
import { useT } from "@/i18n";
import { commandSuggestions } from "./commands";
import { mentionSuggestions, type Suggestion, type Trigger } from "./completion";

const PAUSE_MS = 60;
const NONE: readonly FileMatch[] = [];

/** The files of a conversation's folder that match; an answer that was overtaken by more typing is dropped. */
function useFiles(sessionId: string | undefined, query: string | null): readonly FileMatch[] {
  const [found, setFound] = useState<readonly FileMatch[]>(NONE);
  const asked = useRef(0);
  useEffect(() => {
    const mine = ++asked.current;
    if (query === null || !sessionId) {
      setFound(NONE);
      return;
    }
    const timer = setTimeout(() => {
      backend.Workspace.Files(sessionId, query)
        .then((files) => mine === asked.current && setFound(files))
        .catch(() => mine === asked.current && setFound(NONE));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [sessionId, query]);
  return found;
}

/** What can be completed where the caret is. */
export function useSuggestions(
  trigger: Trigger | null,
  bots: readonly Bot[],
  sessionId: string | undefined,
): readonly Suggestion[] {
  const t = useT();
  const mention = trigger?.kind === "mention" ? trigger.query : null;
  const files = useFiles(sessionId, mention);
  const command = trigger?.kind === "command" ? trigger.query : null;
  return useMemo(() => {
    if (command !== null) return commandSuggestions(command, sessionId !== undefined, t);
    if (mention !== null) return mentionSuggestions(bots, files, mention);
    return [];
  }, [command, mention, bots, files, sessionId, t]);
}
