package kinds

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	"k8s.io/client-go/openapi"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// finalizerPolicy returns the name of a provider's MutatingAdmissionPolicy and its binding.
func finalizerPolicy(provider string) string { return "finalizer." + provider + "." + v1alpha1.Group }

// openAPILag is the delay between the OpenAPI document and the time at which the admission of every
// API server knows a new API group: each polls every five seconds (k8s.io/apiserver's
// typeConverterManager). Until then it answers requests that a policy matches with 503, regardless
// of the policy's failurePolicy.
const openAPILag = 12 * time.Second

// ensureFinalizers installs a policy by which the API server adds a finalizer to resources when
// they are created. So no resource is ever without one, and the controller saves a write before it
// begins. This needs an API server of 1.36 or later, and permission to install the policy.
// Otherwise the controller adds the finalizers, as it does for all resources that have none.
func ensureFinalizers(
	ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, provider, group string,
	plurals []string,
) error {
	return ensurePolicy(ctx, client, provider, finalizerPolicy(provider), mutation{
		group: group, plurals: plurals,
		operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		condition: admissionregistrationv1.MatchCondition{
			Name: "without",
			Expression: fmt.Sprintf("!has(object.metadata.finalizers) || !(%q in object.metadata.finalizers)",
				v1alpha1.FinalizerCreated),
		},
		patch: fmt.Sprintf(
			`[JSONPatch{op: "add", path: has(object.metadata.finalizers) ? "/metadata/finalizers/-" : "/metadata/finalizers", `+
				`value: has(object.metadata.finalizers) ? dyn(%[1]q) : dyn([%[1]q])}]`, v1alpha1.FinalizerCreated),
	})
}

// removeFinalizers removes the policies: without a controller nothing would remove the finalizers
// again.
func removeFinalizers(ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, provider string) error {
	return errors.Join(removePolicy(ctx, client, finalizerPolicy(provider)), removeApprovers(ctx, client, approverPolicy(provider)))
}

// SyncFinalizers keeps the policy that adds finalizers to resources of the running kinds that want
// reports. It returns when to call it again, which is sooner if the API server is not ready for the
// policy yet.
func (p *ServedProvider) SyncFinalizers(ctx context.Context, want func(resourceType string) bool) (again time.Duration) {
	var plurals []string
	for _, t := range p.Types() {
		if want(t) && p.Model.Resources[t].Group == p.Model.Group {
			plurals = append(plurals, p.Model.Resources[t].Plural)
		}
	}
	var err error
	if len(plurals) == 0 {
		p.published.forget()
		err = removeFinalizers(ctx, p.runtime.Policies, p.Name)
	} else {
		var wait time.Duration
		if wait, err = p.published.until(p.runtime.OpenAPI, p.Model.Group, p.Model.Version); wait > 0 {
			return wait
		}
		if err == nil {
			err = errors.Join(ensureFinalizers(ctx, p.runtime.Policies, p.Name, p.Model.Group, plurals),
				ensureApprovers(ctx, p.runtime.Policies, p.Name, approverPolicy(p.Name), p.Model.Group, plurals))
		}
	}
	switch {
	case err == nil:
	case unavailable(err):
		p.runtime.Logger.V(1).Info("The controller adds finalizers to new resources, since the API server does not",
			"provider", p.Name, "reason", err.Error())
	default:
		p.runtime.Logger.Error(err, "The controller adds finalizers to new resources, since the policy for it "+
			"cannot be installed", "provider", p.Name)
	}
	return Resync
}

// RemoveFinalizers removes the policies of a provider.
func (rt *Runtime) RemoveFinalizers(ctx context.Context, provider string) error {
	return errors.Join(removeFinalizers(ctx, rt.Policies, provider), removePolicy(ctx, rt.Policies, actionApproverPolicy(provider)))
}

// Publication is since when the OpenAPI document has a group. The zero value is that it is not
// known to have it.
type Publication struct {
	mu    sync.Mutex
	since time.Time
}

// until returns how long to wait until the admission of every API server knows a group.
func (p *Publication) until(document openapi.Client, group, version string) (wait time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		paths, err := document.Paths()
		if err != nil {
			return 0, err
		}
		if _, ok := paths["apis/"+group+"/"+version]; !ok {
			return openAPILag, nil
		}
		p.since = time.Now()
	}
	return max(0, openAPILag-time.Since(p.since)), nil
}

// forget forgets that the group is known: without kinds it is going to disappear.
func (p *Publication) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = time.Time{}
}
