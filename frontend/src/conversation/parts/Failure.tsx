import { Bot, FolderSearch, KeyRound, RotateCcw } from "lucide-react";
import { navigate, paths } from "@/app/router";
import type { Rejection } from "@/backend/types";
import { useExplain } from "@/errors";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { Note } from "@/ui/parts";
import { useActions } from "../context";
import { requestText } from "../source";
import type { Turn } from "../state";

/** Failures that another model may not have. */
const MODEL = new Set([
  "model_unset",
  "model_not_found",
  "model_forbidden",
  "model_context_limit",
  "model_rate_limited",
  "model_overloaded",
  "model_silent",
  "model_refused",
  "model_empty",
  "model_too_large",
  "gateway_setup_required",
  "step_limit",
]);
/** Failures that are mended in the settings of the provider. */
const PROVIDER = new Set([
  "model_key_invalid",
  "model_forbidden",
  "model_not_found",
  "model_unreachable",
  "model_malformed",
  "key_store_unavailable",
  "gateway_setup_required",
  "invalid_provider",
]);
const FOLDER = new Set(["invalid_session_workspace", "invalid_workspace"]);
/** Failures that the same request meets again. */
const FINAL = new Set(["model_unset", "model_context_limit", "gateway_setup_required", ...FOLDER]);

/** Why a turn failed: what happened, what it means, and what to do next. */
export function Failure({ turn, error, last }: { turn: Turn; error: Rejection; last: boolean }) {
  const t = useT();
  const explained = useExplain()(error);
  const { bot, send, relink } = useActions();
  const request = requestText(turn);
  return (
    <Note tone="error" title={explained.title} className="my-1.5">
      <p>{explained.next}</p>
      {explained.detail && <p className="mt-1 font-mono text-xs [overflow-wrap:anywhere]">{explained.detail}</p>}
      {last && (
        <div className="mt-2.5 flex flex-wrap gap-2">
          {!FINAL.has(error.code) && request && (
            <Button size="small" icon={RotateCcw} onClick={() => send(request)}>
              {t("conversation.tryAgain")}
            </Button>
          )}
          {FOLDER.has(error.code) && (
            <Button size="small" icon={FolderSearch} onClick={relink}>
              {t("conversation.relink")}
            </Button>
          )}
          {MODEL.has(error.code) && bot && (
            <Button size="small" icon={Bot} onClick={() => navigate(paths.bot(bot.id))}>
              {t("conversation.changeModel")}
            </Button>
          )}
          {PROVIDER.has(error.code) && (
            <Button size="small" icon={KeyRound} onClick={() => navigate(paths.settings("providers"))}>
              {t("conversation.providerSettings")}
            </Button>
          )}
        </div>
      )}
    </Note>
  );
}
