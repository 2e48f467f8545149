/** Every code of backend/wire/rejection.go. Each has a sentence and a next step in the catalogue: `error.<code>` and `error.<code>.next`. */
export const CODES = [
  "invalid_bot",
  "invalid_config",
  "revision_conflict",
  "bot_undeletable",
  "bot_deletion_recovery",
  "agent_busy",
  "reload_failed",
  "gateway_setup_required",
  "gateway_busy",
  "gateway_stopped",
  "gateway_error",
  "invalid_workspace",
  "unknown_session",
  "invalid_session_bot",
  "invalid_session_workspace",
  "session_limit",
  "stale_turn",
  "queue_full",
  "replay_unavailable",
  "invalid_request",
  "invalid_provider",
  "provider_in_use",
  "key_store_unavailable",
  "storage_full",
  "storage_read_only",
  "storage_busy",
  "storage_damaged",
  "state_locked",
  "state_newer",
  "state_foreign",
  "unknown_method",
  "unauthorized",
  "model_key_invalid",
  "model_forbidden",
  "model_not_found",
  "model_context_limit",
  "model_rate_limited",
  "model_overloaded",
  "model_unreachable",
  "model_dropped",
  "model_silent",
  "model_malformed",
  "model_empty",
  "model_too_large",
  "model_refused",
  "model_unset",
  "step_limit",
] as const;

/** Codes that a shell makes when the backend itself did not answer. */
export const SHELL_CODES = ["unreachable"] as const;

export type KnownCode = (typeof CODES)[number] | (typeof SHELL_CODES)[number];

export function isKnownCode(code: string): code is KnownCode {
  return ([...CODES, ...SHELL_CODES] as readonly string[]).includes(code);
}
