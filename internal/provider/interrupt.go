package provider

import "context"

type interruptKey struct{}

// WithInterrupt returns a context for an operation that ends early when interrupt is done, as
// Terraform's does after Control-C: its providers are told to stop, and their answers are awaited.
// The returned context is not cancelled by that.
func WithInterrupt(ctx, interrupt context.Context) context.Context {
	return context.WithValue(ctx, interruptKey{}, interrupt)
}

// Interrupted returns the context that is done when the operation of ctx is interrupted. It is
// never done if the operation cannot be interrupted.
func Interrupted(ctx context.Context) context.Context {
	if interrupt, ok := ctx.Value(interruptKey{}).(context.Context); ok {
		return interrupt
	}
	return context.Background()
}
