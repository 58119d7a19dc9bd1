package managed

import (
	"context"
	"errors"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// connector makes what the loop needs to work on the remote object of a resource.
type connector struct {
	kind   *Kind
	client *resourceClient
}

// external is what the loop calls to work on the remote object of one resource, during one
// reconcile.
type external struct {
	*connector
	request scheduler.Request
	spec    desired.Spec
	// warnings are about the configuration.
	warnings diagnostic.Diagnostics
	// triggers are those of spec.actions.
	triggers []trigger.Trigger
	// awaited is why the resource is not ready because of an action; nil if it is not.
	awaited error
}

// connect returns the external of a resource. It does not start a provider: the scheduler does when
// it needs one.
func (c *connector) connect(ctx context.Context, r *CustomResource) (*external, error) {
	e, diags := c.external(ctx, r)
	if diags.HasErrors() {
		return nil, c.explain(ctx, r, &scheduler.Error{Reason: decision.ReasonInvalidConfiguration, Diagnostics: diags})
	}
	return e, nil
}

// external returns the external of a resource, or the errors of its configuration.
func (c *connector) external(ctx context.Context, r *CustomResource) (*external, diagnostic.Diagnostics) {
	spec, invalid := c.kind.read(r)
	req, diags := c.request(ctx, r, spec)
	triggers, err := trigger.Of(&r.Unstructured)
	if err != nil {
		invalid = append(invalid, diagnostic.Errorf("Invalid action", "%s", err)...)
	}
	if diags = append(invalid, diags...); diags.HasErrors() {
		return nil, diags
	}
	if c.kind.Options.Shards != nil {
		if elsewhere := c.kind.mayUse(ctx, c.kind.use(&r.Unstructured), req.Access); elsewhere.HasErrors() {
			return nil, elsewhere
		}
	}
	req.Tell = c.teller(r, spec.Policies) // after all secrets are known
	req.Describe, req.DescribeDrift = c.describer(r), c.driftDescriber(r)
	req.Decide = c.decider(r, req.Configurations)
	req.Stopped = c.stopped(r, req.Configurations)
	out := &external{connector: c, request: req, spec: spec, warnings: diags.Warnings(), triggers: triggers}
	out.request.Before = out.before(r)
	out.request.Dependents, out.request.Cascade = out.dependents(r), cascadeOf(replacementOf(r.read))
	return out, nil
}

// observe observes the remote object, or takes what a look that was made already has found, and
// makes the status of it.
func (e *external) observe(ctx context.Context, r *CustomResource, found look) (*scheduler.Observation, error) {
	if r.request = &e.request; !found.fits(r, e.request.ConfigHash) {
		found = e.kind.look(ctx, subjectOf(r), r.read.GetResourceVersion(), e.request)
	}
	o, err := found.observation, found.err
	if err != nil {
		e.setUnobserved(r)
		e.setUnavailable(r, err)
		return nil, e.explain(ctx, r, err)
	}
	e.markReconciled(r, o)
	e.kind.setFollows(r, o)
	if err := e.setAnnotations(ctx, r, o); err != nil {
		return nil, err
	}
	e.setStatus(ctx, r, o)
	if o.Unrecorded != nil {
		return nil, e.explain(ctx, r, o.Unrecorded)
	}
	return o, nil
}

// setUnavailable sets the condition Ready of a resource whose object could not be observed, if that
// tells of it, and removes what is not true of it any more.
func (e *external) setUnavailable(r *CustomResource, err error) {
	message := ""
	switch reason := reasonOf(err); {
	case reason == decision.ReasonIdentityConflict:
		message = "The remote object belongs to another resource."
		if !e.spec.Policies.Manage {
			// What was observed before the object got an owner.
			for _, field := range []string{"atProvider", "identity", "identityHistory"} {
				unstructured.RemoveNestedField(r.Object, "status", field)
			}
		}
	case reason == decision.ReasonAccountChanged:
		message = "The remote object is not known to be in the account of the provider configuration."
	case reason == decision.ReasonMoved:
		message = "The remote object was moved to another resource."
	case invisible(err):
		r.SetConditions(xpv2.Unavailable().WithMessage("The API of the remote object does not show it yet.").
			WithObservedGeneration(r.GetGeneration()))
		return
	default:
		return
	}
	unstructured.RemoveNestedField(r.Object, "status", "plan")
	r.SetConditions(xpv2.Unavailable().WithMessage(message).WithObservedGeneration(r.GetGeneration()))
}

// due reports whether the plan of an observation is to be carried out now. Nothing is begun while
// an operation runs.
func (e *external) due(r *CustomResource, o *scheduler.Observation) bool {
	switch {
	case o.Operation != nil, o.Plan == nil, o.UpToDate():
		return false
	case o.Imported && e.kind.tracked.last(subjectOf(r)) != o:
		// The status shows what an import leads to before it is done. The next reconcile sees that
		// the status was written.
		r.requested, r.lookAt = e.spec.Policies.Update, time.Now()
		return false
	}
	return true
}

// awaitsAction returns an error while an action that follows the last change has not ended.
func (e *external) awaitsAction(ctx context.Context, r *CustomResource) error {
	if reasonOf(e.awaited) == decision.ReasonAwaitingAction {
		return e.explain(ctx, r, e.awaited)
	}
	return nil
}

// create has the remote object created.
func (e *external) create(ctx context.Context, r *CustomResource) error {
	if err := e.awaitsAction(ctx, r); err != nil {
		return err
	}
	if !r.observation.Unrivalled {
		if err := e.mayWrite(ctx); err != nil {
			return err
		}
	}
	if err := e.kind.Scheduler.Apply(ctx, e.request); err != nil {
		return e.explain(ctx, r, err)
	}
	// Most creates end before their status needs to be written.
	r.holdStatus = !r.failedUntold()
	return nil
}

// update has the remote object updated or replaced.
func (e *external) update(ctx context.Context, r *CustomResource) error {
	if err := e.awaitsAction(ctx, r); err != nil {
		return err
	}
	if err := e.mayWrite(ctx); err != nil {
		return err
	}
	if err := e.kind.Scheduler.Apply(ctx, e.request); err != nil {
		abandonReplacement(r, err)
		var se *scheduler.Error
		if errors.As(err, &se) && (se.Reason == decision.ReasonReplaceRefused || se.Reason == decision.ReasonDeletionProtected) {
			r.SetConditions(xpv2.UpdateRestricted().WithObservedGeneration(r.GetGeneration()))
		}
		return e.explain(ctx, r, err)
	}
	r.requested = true
	return nil
}

// delete has the remote object destroyed.
func (e *external) delete(ctx context.Context, r *CustomResource) error {
	if err := e.mayWrite(ctx); err != nil {
		return err
	}
	if err := e.kind.mayGo(ctx, r); err != nil {
		return err
	}
	if err := e.kind.Scheduler.Delete(ctx, e.request); err != nil {
		return e.explain(ctx, r, err)
	}
	// As with creates, unless it runs already: then it is long, and the status shows that it goes
	// on.
	r.holdStatus = !r.failedUntold() && r.observation.Operation == nil
	return nil
}

// lateInitialize copies values that the provider chose to spec.forProvider, if the kind is
// configured for it, and reports whether there were any. An object with pending changes is left
// alone.
func (e *external) lateInitialize(r *CustomResource, o *scheduler.Observation) bool {
	if !e.kind.Model.Settings.LateInitialize || !e.spec.LateInitialize ||
		o.Operation != nil || !o.UpToDate() || o.Instance.Status != instance.Full || meta.WasDeleted(r) {
		return false
	}
	forProvider, changed := translate.LateInitialize(e.kind.Model, r.object("spec", "forProvider"),
		r.object("spec", "initProvider"), o.Instance.State)
	if changed {
		r.set(forProvider, "spec", "forProvider")
	}
	return changed
}
