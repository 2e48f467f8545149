package llm

import (
	"fmt"
	"time"
)

// ErrorKind tells what failed, so that a caller knows whether to try again and what to tell the person.
type ErrorKind string

// The kinds of error.
const (
	ErrKeyInvalid   ErrorKind = "key_invalid"   // 401
	ErrForbidden    ErrorKind = "forbidden"     // 403
	ErrNotFound     ErrorKind = "not_found"     // 404, unknown model
	ErrContextLimit ErrorKind = "context_limit" // the request is longer than the model's window
	ErrRateLimited  ErrorKind = "rate_limited"  // 429
	ErrOverloaded   ErrorKind = "overloaded"    // 5xx, 529
	ErrUnreachable  ErrorKind = "unreachable"   // no connection
	ErrDropped      ErrorKind = "dropped"       // the connection ended in mid-answer
	ErrSilent       ErrorKind = "silent"        // no byte for the idle limit
	ErrMalformed    ErrorKind = "malformed"     // not the protocol: HTML of a proxy, broken JSON
	ErrEmpty        ErrorKind = "empty"         // a stream without an answer
	ErrTooLarge     ErrorKind = "too_large"     // the answer is over the size limit
	ErrRefused      ErrorKind = "refused"       // any other 4xx
)

// Error is a failed request. Message is for people and never holds a key.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status, 0 if there was none
	Code       string        // what the provider calls it, "" if it has no name for it
	Message    string        // what the provider said, shortened, or what happened
	RetryAfter time.Duration // what the provider asked to wait; 0 = it did not say
	Err        error         // cause, may be nil
}

// Error implements error.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", e.Kind, e.Status, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Message)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary tells whether the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Kind {
	case ErrRateLimited, ErrOverloaded, ErrUnreachable, ErrDropped, ErrSilent, ErrMalformed, ErrEmpty:
		return true
	}
	return false
}
