package managed

import (
	"context"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// look is an observation of a resource that was made before managed.Reconciler is asked to reconcile the resource.
type look struct {
	of          subject
	version     string
	configHash  string
	observation *scheduler.Observation
	err         error
}

// unchanged observes a resource that was steady when its status was written, by this process or an earlier one that has left
// its mark, and reports whether it still is. Then a reconcile would do nothing more. Otherwise managed.Reconciler uses the
// observation. Most reconciles are of unchanged resources, and managed.Reconciler costs more than all other work of the
// controller for them.
// cached is the resource as the cache has it; nil if there is none.
func (r *Reconciler) unchanged(ctx context.Context, cached *unstructured.Unstructured, a *attempt) bool {
	if cached == nil {
		return false
	}
	of := subjectOf(cached)
	newest := r.kind.tracked.newer(of.name, cached)
	before := r.kind.tracked.get(of).status
	resumes := before.observation == nil && r.kind.Options.Marked != nil
	if !resumes && (before.version != newest.GetResourceVersion() || !before.observation.Steady()) {
		return false
	}
	resource := &CustomResource{}
	resource.lend(newest)
	if !reconciled(resource) || published(resource) {
		return false
	}
	refs, err := references.Of(newest, r.kind.Model)
	refers := err != nil || len(refs) > 0
	if refers {
		resource.assign(newest) // what they refer to is set in it
	}
	ctx, cancel := context.WithTimeout(ctx, r.kind.Options.Timeout)
	defer cancel()
	if changed, err := r.referrer.resolve(ctx, resource); changed || err != nil || resource.differsOtherwise() || resource.awaitsReplacement() {
		return false
	}
	e, diags := r.connector.external(ctx, resource)
	if diags.HasErrors() {
		return false
	}
	e.request.Resting = before.observation == scheduler.Rested
	o, err := r.kind.Scheduler.Observe(ctx, e.request)
	if err == nil && (o == before.observation || resumes && o.Resumed) {
		r.kind.mark(of, resource.GetResourceVersion(), o, before, e.request)
		r.kind.rest(of, before.version, e.request)
		r.kind.tracked.over(of.name)
		r.kind.tracked.shrink(of)
		if e.request.Resting && !refers {
			r.kind.settle(resource, before.version, a.events)
		}
		a.resource = resource
		return true
	}
	if err == nil {
		r.kind.tracked.awake(of, o)
	}
	a.look = &look{of: of, version: resource.GetResourceVersion(), configHash: e.request.ConfigHash, observation: o, err: err}
	return false
}

// reconciled reports whether a reconcile of the resource has succeeded, and another one would write nothing if the remote
// object is unchanged, but for a connection Secret.
func reconciled(r *CustomResource) bool {
	return !paused(r) && r.GetDeletionTimestamp() == nil && settled(r) && synced(&r.Unstructured)
}

// published reports whether the resource has a connection Secret, which is compared with each reconcile.
func published(r *CustomResource) bool {
	return r.string("spec", "writeConnectionSecretToRef", "name") != ""
}

// synced reports whether the condition Synced is true.
func synced(u *unstructured.Unstructured) bool {
	return isSynced(u, "status", string(corev1.ConditionTrue))
}

// isSynced reports whether a field of the condition Synced has a value. It does not decode the other conditions.
func isSynced(u *unstructured.Unstructured, field, is string) bool {
	value, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "conditions")
	conditions, _ := value.([]any)
	return slices.ContainsFunc(conditions, func(x any) bool {
		c, _ := x.(map[string]any)
		return c["type"] == string(xpv2.TypeSynced) && c[field] == is
	})
}

// observe returns the observation that was made for the same resource and configuration, or makes one.
func (e *external) observe(ctx context.Context, r *CustomResource) (*scheduler.Observation, error) {
	a := attemptFrom(ctx)
	if a != nil {
		a.request = &e.request
		made := a.look
		if a.look = nil; made != nil && made.of == subjectOf(r) && made.version == r.read.GetResourceVersion() && made.configHash == e.request.ConfigHash {
			return made.observation, made.err
		}
	}
	o, err := e.kind.Scheduler.Observe(ctx, e.request)
	if err == nil {
		e.kind.tracked.awake(subjectOf(r), o)
	}
	return o, err
}
