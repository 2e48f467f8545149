package llm

import (
	"context"
	"time"
)

// Wait is why and how long a request waits before it is tried again.
type Wait struct {
	Err     *Error
	Attempt int // the attempt that failed, from 1
	Until   time.Time
}

// Attempts runs do until it succeeds, fails for good or ctx ends, waiting between attempts as the provider asks.
type Attempts func(ctx context.Context, waiting func(Wait), do func(ctx context.Context, attempt int) error) error
