package providerconfig

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// Visit is one look at a resource, which comes back later rather than wait for its provider: it
// keeps a worker from others, whose provider may be well.
type Visit struct {
	pool    *pool.Pool
	key     pool.Key
	failure *pool.Failure
}

type visitKey struct{}

// WithVisit makes a context in which a Handle's Acquire is for a visit.
func WithVisit(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

func visitFrom(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}

// Refused is why there was no provider for the visit; nil if there was one, or none was wanted.
func (v *Visit) Refused() *pool.Failure { return v.failure }

// Trouble is what the whole provider configuration has suffered from since; nil if it is well,
// as far as anybody knows.
func (v *Visit) Trouble() *pool.Failure {
	if v.pool == nil || v.failure != nil {
		return v.failure
	}
	return v.pool.Failure(v.key)
}
