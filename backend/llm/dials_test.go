package llm_test

import (
	"context"
	"net"
)

// countDials counts the connections that are made.
func countDials(dial func(ctx context.Context, network, addr string) (net.Conn, error), n *int) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		*n++
		return dial(ctx, network, addr)
	}
}
