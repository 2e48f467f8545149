package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/retry"
	"mobius/backend/wire"
)

// Explain turns the error that ended a request into a code, what happened, and what to do next.
func (r *Registry) Explain(err error) *wire.Rejection { return Explain(err) }

// Explain turns the error that ended a request into a code, what happened, and what to do next. It never holds a key.
func Explain(err error) *wire.Rejection {
	var known *wire.Rejection
	var e *llm.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded):
		return wire.Reject(wire.CodeModelSilent, "The provider did not answer in time. Try again.")
	case !errors.As(err, &e):
		return wire.Reject(wire.CodeGatewayError, "%v", err)
	}
	said := func(code wire.Code, happened, next string) *wire.Rejection {
		if e.Message != "" {
			happened += " (" + strings.TrimSuffix(e.Message, ".") + ")"
		}
		return wire.Reject(code, "%s. %s", happened, next)
	}
	switch e.Kind {
	case llm.ErrKeyInvalid:
		return said(wire.CodeModelKeyInvalid, "The provider refused the key", "Check the key in the provider settings.")
	case llm.ErrForbidden:
		return said(wire.CodeModelForbidden, "The key may not use this model", "Choose another model, or ask the provider for access.")
	case llm.ErrNotFound:
		return said(wire.CodeModelNotFound, "The provider does not have this model or address", "Choose another model in the Bot's profile, or check the base URL.")
	case llm.ErrContextLimit:
		return said(wire.CodeModelContextLimit, "The conversation is longer than this model can read", "Start a new conversation, or choose a model with a larger context.")
	case llm.ErrRateLimited:
		if e.RetryAfter > retry.MaxWait {
			return said(wire.CodeModelRateLimited, "The provider allows no more requests for "+inWords(e.RetryAfter), "Try again then, or choose another model.")
		}
		return said(wire.CodeModelRateLimited, "The provider allows no more requests right now", "Try again later, or choose another model.")
	case llm.ErrOverloaded:
		return said(wire.CodeModelOverloaded, "The provider has a problem or is overloaded", "Try again in a moment.")
	case llm.ErrUnreachable:
		return said(wire.CodeModelUnreachable, "The provider cannot be reached", "Check the address and your connection, and that a local server is running.")
	case llm.ErrDropped:
		return said(wire.CodeModelDropped, "The connection ended in the middle of the answer", "Try again; what had arrived is kept.")
	case llm.ErrSilent:
		return said(wire.CodeModelSilent, "No data came from the provider", "Try again; what had arrived is kept.")
	case llm.ErrMalformed:
		return said(wire.CodeModelMalformed, "The answer was not understood", "Check the base URL and the kind of provider.")
	case llm.ErrEmpty:
		return said(wire.CodeModelEmpty, "The answer was empty", "Try again, or choose another model.")
	case llm.ErrTooLarge:
		return said(wire.CodeModelTooLarge, "The answer was too large", "Ask for a smaller piece; what had arrived is kept.")
	}
	return said(wire.CodeModelRefused, "The provider refused the request", "Check the model and the settings of the provider.")
}

// inWords gives a long wait in the largest unit that fits.
func inWords(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24+0.5))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()+0.5))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()+0.5))
}
