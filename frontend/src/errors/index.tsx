import { useCallback, useMemo } from "react";
import { toRejection } from "@/backend/rejection";
import type { Rejection } from "@/backend/types";
import { type Translate, useT } from "@/i18n";
import { Note } from "@/ui/parts";
import { toast } from "@/ui/toast";
import { isKnownCode } from "./codes";

/** What a person reads about a refusal. */
export interface Explanation {
  code: string;
  /** What happened. */
  title: string;
  /** What to do about it. */
  next: string;
  /** The backend's own sentence, which names the Bot, folder or number that it is about. */
  detail: string;
}

export function explain(t: Translate, reason: unknown): Explanation {
  const { code, message } = toRejection(reason);
  const known = isKnownCode(code) ? code : "gateway_error";
  return { code, title: t(`error.${known}`), next: t(`error.${known}.next`), detail: message };
}

export function useExplain(): (reason: unknown | Rejection) => Explanation {
  const t = useT();
  return useMemo(() => (reason) => explain(t, reason), [t]);
}

/** Shows a refusal as a toast: what happened, and below it the particulars and the next step. */
export function useErrorToast(): (reason: unknown) => void {
  const t = useT();
  return useCallback(
    (reason) => {
      const { title, next, detail } = explain(t, reason);
      toast({ kind: "error", text: title, detail: [detail, next].filter(Boolean).join(" ") });
    },
    [t],
  );
}

/** Shows a refusal within the page, spoken when it appears. */
export function ErrorNote({ reason, action }: { reason: unknown; action?: React.ReactNode }) {
  const explained = useExplain()(reason);
  return (
    <Note tone="error" live title={explained.title} action={action}>
      {explained.detail && <p className="break-words">{explained.detail}</p>}
      <p>{explained.next}</p>
    </Note>
  );
}
