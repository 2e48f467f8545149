package wire

import (
	"errors"
	"fmt"
)

// Code names one kind of rejection. Codes are fixed: the page, scripts and tests rely on them.
type Code string

// The codes of the gateway. A code that ends a session handle is sent with Fatal set.
const (
	CodeInvalidBot              Code = "invalid_bot"
	CodeInvalidConfig           Code = "invalid_config"
	CodeRevisionConflict        Code = "revision_conflict"
	CodeBotUndeletable          Code = "bot_undeletable"
	CodeBotDeletionRecovery     Code = "bot_deletion_recovery"
	CodeAgentBusy               Code = "agent_busy"
	CodeReloadFailed            Code = "reload_failed"
	CodeGatewaySetupRequired    Code = "gateway_setup_required"
	CodeGatewayBusy             Code = "gateway_busy"
	CodeGatewayStopped          Code = "gateway_stopped"
	CodeGatewayError            Code = "gateway_error"
	CodeInvalidWorkspace        Code = "invalid_workspace"
	CodeUnknownSession          Code = "unknown_session"
	CodeInvalidSessionBot       Code = "invalid_session_bot"
	CodeInvalidSessionWorkspace Code = "invalid_session_workspace"
	CodeSessionLimit            Code = "session_limit"
	CodeStaleTurn               Code = "stale_turn"
	CodeQueueFull               Code = "queue_full"
	CodeReplayUnavailable       Code = "replay_unavailable"
	CodeInvalidRequest          Code = "invalid_request"
	CodeInvalidProvider         Code = "invalid_provider"
	CodeProviderInUse           Code = "provider_in_use"
	CodeKeyStoreUnavailable     Code = "key_store_unavailable"
	CodeStorageFull             Code = "storage_full"
	CodeStorageReadOnly         Code = "storage_read_only"
	CodeStorageBusy             Code = "storage_busy"
	CodeStorageDamaged          Code = "storage_damaged"
	CodeStateLocked             Code = "state_locked"
	CodeStateNewer              Code = "state_newer"
	CodeStateForeign            Code = "state_foreign"
	CodeUnknownMethod           Code = "unknown_method"
	CodeUnauthorized            Code = "unauthorized"

	// Model errors, as the outcome of a turn, of Providers.Test and of Providers.Models.
	CodeModelKeyInvalid   Code = "model_key_invalid"   // 401: wrong or missing key
	CodeModelForbidden    Code = "model_forbidden"     // 403: the key may not use this model
	CodeModelNotFound     Code = "model_not_found"     // 404: no such model or address
	CodeModelContextLimit Code = "model_context_limit" // the conversation is longer than the model's window
	CodeModelRateLimited  Code = "model_rate_limited"  // 429 after all retries
	CodeModelOverloaded   Code = "model_overloaded"    // 5xx or 529 after all retries
	CodeModelUnreachable  Code = "model_unreachable"   // no connection
	CodeModelDropped      Code = "model_dropped"       // connection lost in mid-answer after all retries
	CodeModelSilent       Code = "model_silent"        // no data for the idle limit
	CodeModelMalformed    Code = "model_malformed"     // the answer is not of the protocol (a proxy's HTML page, broken JSON)
	CodeModelEmpty        Code = "model_empty"         // a stream that ended without an answer
	CodeModelTooLarge     Code = "model_too_large"     // an answer beyond the size limit
	CodeModelRefused      Code = "model_refused"       // any other 4xx: the provider rejected the request
	CodeModelUnset        Code = "model_unset"         // the Bot's provider instance or model does not exist
	CodeStepLimit         Code = "step_limit"          // the turn used all its model steps
)

// Rejection is a refusal that a shell shows to the person. Fatal means that the session handle it concerns is gone,
// not that the gateway is broken; the session can be opened again.
type Rejection struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Fatal   bool   `json:"fatal"`
}

// Error implements error.
func (r *Rejection) Error() string { return string(r.Code) + ": " + r.Message }

// Is makes errors.Is match on the code alone, so that callers compare with [Reject](code, "").
func (r *Rejection) Is(target error) bool {
	var t *Rejection
	return errors.As(target, &t) && t.Code == r.Code
}

// Reject makes a Rejection that leaves the session handle usable.
func Reject(code Code, format string, args ...any) *Rejection {
	return &Rejection{Code: code, Message: fmt.Sprintf(format, args...)}
}

// RejectFatal makes a Rejection after which the session handle is gone.
func RejectFatal(code Code, format string, args ...any) *Rejection {
	return &Rejection{Code: code, Message: fmt.Sprintf(format, args...), Fatal: true}
}

// AsRejection gives the Rejection inside err, or a gateway_error that carries err's text. It returns nil for nil.
func AsRejection(err error) *Rejection {
	if err == nil {
		return nil
	}
	var r *Rejection
	if errors.As(err, &r) {
		return r
	}
	return &Rejection{Code: CodeGatewayError, Message: err.Error()}
}

// CodeOf gives the code of the Rejection inside err, "" for nil and gateway_error for any other error.
func CodeOf(err error) Code {
	if r := AsRejection(err); r != nil {
		return r.Code
	}
	return ""
}
