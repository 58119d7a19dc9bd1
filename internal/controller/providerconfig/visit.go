package providerconfig

import (
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// Visit is one reconcile of a resource. It does not wait for the provider, but is repeated later:
// meanwhile its worker can serve resources of other configurations.
type Visit struct {
	pool    *pool.Pool
	key     pool.Key
	user    provider.User
	failure *pool.Failure
}

type visitKey struct{}

// WithVisit returns a context in which a Handle's Acquire belongs to a visit.
func WithVisit(ctx context.Context, v *Visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

func visitFrom(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}

// Refused returns why the visit got no provider, or nil if it got one or did not ask.
func (v *Visit) Refused() *pool.Failure { return v.failure }

// ReasonOf returns the reason of the condition of what waits for a provider.
func ReasonOf(f *pool.Failure) xpv2.ConditionReason {
	switch {
	case f.OfResource:
		return v1alpha1.ReasonProviderCrashes
	case f.Reason == pool.Throttled:
		return v1alpha1.ReasonProviderThrottled
	}
	return v1alpha1.ReasonProviderUnavailable
}

// Trouble returns the latest failure of the provider that the resource of the visit uses, which is
// that of its provider configuration unless it has one of its own, or nil.
func (v *Visit) Trouble() *pool.Failure {
	if v.pool == nil || v.failure != nil {
		return v.failure
	}
	return v.pool.FailureFor(v.user, v.key)
}
