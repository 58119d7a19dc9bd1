package managed

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// unchanged observes a resource that was steady when its status was written, by this process or an
// earlier one that has left its mark, and reports whether it still is. Then a reconcile would do
// nothing more. Otherwise managed.Reconciler uses the observation. Most reconciles are of unchanged
// resources, and managed.Reconciler costs more than all other work of the controller for them.
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
			r.kind.noteRest(resource, before.version, a.events)
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
