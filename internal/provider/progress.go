package provider

import "context"

type progressKey struct{}

// WithProgress asks of a call that changes a resource that what the provider says of it meanwhile
// is told to f: one line at a time, without the secrets of the provider's configuration, but
// perhaps with those of the resource. f may be called until shortly after the call returns, by
// several goroutines, and must not block. Only what is certainly about this call is told, and
// only as far as the provider says anything at all.
func WithProgress(ctx context.Context, f func(text string)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Progress is what is to be told what the provider says, nil if nobody wants to know.
func Progress(ctx context.Context) func(text string) {
	f, _ := ctx.Value(progressKey{}).(func(string))
	return f
}
