package provider

import "context"

type fenceKey struct{}

// WithFence returns a context for operations that fence may stop: it is called right before each
// change is requested of a provider, and its error is why the change must not be requested any
// more.
func WithFence(ctx context.Context, fence func() error) context.Context {
	return context.WithValue(ctx, fenceKey{}, fence)
}

// Fence returns the error of the context's fence, marked by NotSent; nil if it has none.
func Fence(ctx context.Context) error {
	fence, ok := ctx.Value(fenceKey{}).(func() error)
	if !ok {
		return nil
	}
	if err := fence(); err != nil {
		return NotSent(err)
	}
	return nil
}
