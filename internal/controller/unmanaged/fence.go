package unmanaged

import (
	"context"
	"errors"

	"github.com/landbridge-io/landbridge/internal/provider"
)

var errLostLease = errors.New("another controller may have taken over")

// Fenced returns a context in which nothing is requested of a provider while leads returns false. It
// may be nil: no other process can take over.
func Fenced(ctx context.Context, leads func() bool) context.Context {
	return provider.WithFence(ctx, func() error {
		if leads != nil && !leads() {
			return errLostLease
		}
		return nil
	})
}
