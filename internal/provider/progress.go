package provider

import "context"

type progressKey struct{}

// WithProgress returns a context for a call that changes a resource. During the call, f is called
// with each log message of the provider that is certainly about it: one line, without the secrets
// of the provider's configuration, but possibly with those of the resource. f may be called until
// shortly after the call returns, by several goroutines, and must not block.
func WithProgress(ctx context.Context, f func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Progress returns the function of WithProgress; nil if there is none.
func Progress(ctx context.Context) func(text string) {
	f, _ := ctx.Value(progressKey{}).(func(string))
	return f
}
