package managed

import (
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
)

// brake returns what the brake has to know of a resource with provider configurations; nil if
// nothing limits how much is destroyed.
func (k *Kind) brake(r *CustomResource, with []policy.Configuration) *scheduler.Brake {
	if k.DestroyLimit == nil {
		return nil
	}
	ref := ConfigurationOf(&r.Unstructured)
	out := &scheduler.Brake{
		Scope:     brake.Scope{Account: halt.ConfigurationName(ref.Kind, ref.Namespace, ref.Name)},
		Namespace: r.GetNamespace(), Limit: k.destroyLimit(r.GetNamespace()),
	}
	if len(k.Providers) > 0 {
		out.Scope.Provider = k.Providers[0]
	}
	for _, x := range with {
		if x.Account != "" {
			out.Scope.Account = x.Account
			break
		}
	}
	if at := r.GetDeletionTimestamp(); at != nil {
		out.Deleted = at.Time
	}
	if c := r.GetCondition(xpv2.TypeSynced); c.Status == corev1.ConditionFalse && c.Reason == v1alpha1.ReasonDestroyBrake {
		out.Held = c.LastTransitionTime.Time
	}
	return out
}

// destroyLimit returns the function that returns the limit of destroys of resources of a namespace.
func (k *Kind) destroyLimit(namespace string) func(context.Context) (brake.Limit, bool) {
	return func(ctx context.Context) (brake.Limit, bool) {
		out := k.DestroyLimit()
		if k.Options.DestroysOf == nil {
			return out, false
		}
		n, own := k.Options.DestroysOf(ctx, namespace)
		if own {
			out.Destroys = n
		}
		return out, own
	}
}
