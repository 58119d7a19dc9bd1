package managed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Connect implements managed.ExternalConnector. It does not start a provider: the scheduler does
// when it needs one.
func (c *connector) Connect(ctx context.Context, mg resource.Managed) (xpmanaged.ExternalClient, error) {
	r := mg.(*CustomResource)
	e, diags := c.external(ctx, r)
	if diags.HasErrors() {
		return nil, c.explain(ctx, r, &scheduler.Error{Reason: decision.ReasonInvalidConfiguration, Diagnostics: diags})
	}
	return e, nil
}

// external returns the external client for a resource, or the errors of its configuration.
func (c *connector) external(ctx context.Context, r *CustomResource) (*external, diagnostic.Diagnostics) {
	spec, invalid := c.kind.read(r)
	req, diags := c.request(ctx, r, spec)
	if diags = append(invalid, diags...); diags.HasErrors() {
		return nil, diags
	}
	if c.kind.Options.Shards != nil {
		if elsewhere := c.kind.mayUse(ctx, c.kind.use(&r.Unstructured), req.Access); elsewhere.HasErrors() {
			return nil, elsewhere
		}
	}
	req.Tell = c.teller(r, spec.Policies) // after all secrets are known
	req.Decide = c.decider(r, req.Configurations)
	req.Stopped = c.stopped(r, req.Configurations)
	out := &external{connector: c, request: req, spec: spec, warnings: diags.Warnings()}
	out.request.Dependents, out.request.Cascade = out.dependents(r), cascadeOf(replacementOf(r.read))
	return out, nil
}

func (e *external) Disconnect(context.Context) error { return nil }

// Observe implements managed.ExternalClient.
func (e *external) Observe(ctx context.Context, mg resource.Managed) (xpmanaged.ExternalObservation, error) {
	r := mg.(*CustomResource)
	o, err := e.observe(ctx, r)
	if err != nil {
		e.setUnobserved(r)
		if reasonOf(err) == decision.ReasonIdentityConflict {
			unstructured.RemoveNestedField(r.Object, "status", "plan")
			if !e.spec.Policies.Manage {
				// What was observed before the object got an owner.
				for _, field := range []string{"atProvider", "identity", "identityHistory"} {
					unstructured.RemoveNestedField(r.Object, "status", field)
				}
			}
			r.SetConditions(xpv2.Unavailable().WithMessage("The remote object belongs to another resource.").WithObservedGeneration(r.GetGeneration()))
		}
		if reasonOf(err) == decision.ReasonAccountChanged {
			unstructured.RemoveNestedField(r.Object, "status", "plan")
			r.SetConditions(xpv2.Unavailable().WithMessage("The remote object is not known to be in the account of the provider configuration.").WithObservedGeneration(r.GetGeneration()))
		}
		if invisible(err) {
			r.SetConditions(xpv2.Unavailable().WithMessage("The API of the remote object does not show it yet.").WithObservedGeneration(r.GetGeneration()))
		}
		if reasonOf(err) == decision.ReasonMoved {
			unstructured.RemoveNestedField(r.Object, "status", "plan")
			r.SetConditions(xpv2.Unavailable().WithMessage("The remote object was moved to another resource.").WithObservedGeneration(r.GetGeneration()))
		}
		return xpmanaged.ExternalObservation{}, e.explain(ctx, r, err)
	}
	e.kind.tracked.over(subjectOf(r).name)
	e.markReconciled(r, o)
	e.kind.setFollows(r, o)
	if err := e.setAnnotations(ctx, r, o); err != nil {
		return xpmanaged.ExternalObservation{}, err
	}
	e.setStatus(ctx, r, o)
	if o.Unrecorded != nil {
		return xpmanaged.ExternalObservation{}, e.explain(ctx, r, o.Unrecorded)
	}

	out := xpmanaged.ExternalObservation{ResourceExists: o.Exists(), ResourceUpToDate: o.UpToDate()}
	if o.Exists() {
		if published(r) {
			details, err := e.connectionDetails(o)
			if err != nil {
				return xpmanaged.ExternalObservation{}, err
			}
			out.ConnectionDetails, r.detailsKnown = details, true
		}
		out.ResourceLateInitialized = e.lateInitialize(r, o)
	}
	switch {
	case o.Operation != nil:
		// Until it ends, managed.Reconciler must not create, update or finalize.
		out.ResourceExists, out.ResourceUpToDate = true, !meta.WasDeleted(r)
	case meta.WasDeleted(r), o.Plan == nil:
		out.ResourceUpToDate = true
	case o.Imported && !o.UpToDate() && e.kind.tracked.last(subjectOf(r)) != o:
		// The status shows what an import leads to before it is done. The next reconcile sees that
		// the status was written.
		out.ResourceUpToDate = true
		r.requested = e.spec.Policies.Update
		if a := attemptFrom(ctx); a != nil {
			a.retryAt = time.Now()
		}
	}
	return out, nil
}

// Create implements managed.ExternalClient.
func (e *external) Create(ctx context.Context, mg resource.Managed) (xpmanaged.ExternalCreation, error) {
	r := mg.(*CustomResource)
	if r.observation == nil || !r.observation.Unrivalled {
		if err := e.mayWrite(ctx); err != nil {
			return xpmanaged.ExternalCreation{}, err
		}
	}
	if err := e.kind.Scheduler.Apply(ctx, e.request); err != nil {
		return xpmanaged.ExternalCreation{}, e.explain(ctx, r, err)
	}
	// Most creates end before their status needs to be written.
	r.holdStatus = !r.failedUntold()
	return xpmanaged.ExternalCreation{}, nil
}

// Update implements managed.ExternalClient.
func (e *external) Update(ctx context.Context, mg resource.Managed) (xpmanaged.ExternalUpdate, error) {
	r := mg.(*CustomResource)
	if err := e.mayWrite(ctx); err != nil {
		return xpmanaged.ExternalUpdate{}, err
	}
	if err := e.kind.Scheduler.Apply(ctx, e.request); err != nil {
		abandonReplacement(r, err)
		var se *scheduler.Error
		if errors.As(err, &se) && (se.Reason == decision.ReasonReplaceRefused || se.Reason == decision.ReasonDeletionProtected) {
			r.SetConditions(xpv2.UpdateRestricted().WithObservedGeneration(r.GetGeneration()))
		}
		return xpmanaged.ExternalUpdate{}, e.explain(ctx, r, err)
	}
	r.requested = true
	return xpmanaged.ExternalUpdate{}, nil
}

// Delete implements managed.ExternalClient.
func (e *external) Delete(ctx context.Context, mg resource.Managed) (xpmanaged.ExternalDelete, error) {
	r := mg.(*CustomResource)
	if err := e.mayWrite(ctx); err != nil {
		return xpmanaged.ExternalDelete{}, err
	}
	if err := e.kind.mayGo(ctx, r); err != nil {
		return xpmanaged.ExternalDelete{}, err
	}
	if err := e.kind.Scheduler.Delete(ctx, e.request); err != nil {
		return xpmanaged.ExternalDelete{}, e.explain(ctx, r, err)
	}
	// As with creates, unless it runs already: then it is long, and the status shows that it goes
	// on.
	r.holdStatus = !r.failedUntold() && (r.observation == nil || r.observation.Operation == nil)
	return xpmanaged.ExternalDelete{}, nil
}

// setAnnotations writes the external name, the identity and the finalizer in one update, unless
// they are written already.
func (e *external) setAnnotations(ctx context.Context, r *CustomResource, o *scheduler.Observation) error {
	if !o.Exists() || meta.WasDeleted(r) || o.Operation != nil {
		return nil
	}
	annotations := r.GetAnnotations()
	want := map[string]string{}
	given := e.kind.Model.Settings.Argument != nil && meta.GetExternalName(r) != ""
	if name := translate.ExternalName(e.kind.Model, o.Instance.State, o.Instance.Identity); name != "" && !given {
		want[meta.AnnotationKeyExternalName] = name
	}
	if o.Instance.HasIdentity() {
		b, err := json.Marshal(translate.Identity(e.kind.Model, o.Instance.Identity))
		if err != nil {
			return err
		}
		want[v1alpha1.AnnotationIdentity] = string(b)
	}
	changed := false
	for k, v := range want {
		changed = changed || annotations[k] != v
	}
	if !changed && finalizerReplaced(r) {
		return nil
	}
	if a := attemptFrom(ctx); a != nil && e.kind.turns.Busy() && !longReady(r) && replacementOf(&r.Unstructured) == nil {
		// Other resources wait: report first that this one is ready, and write these later.
		a.comeBack = true
		return nil
	}
	meta.AddAnnotations(r, want)
	replaceFinalizer(r)
	faultpoint.Reach(faultpoint.Annotate, faultpoint.BeforeWrite)
	err := e.client.Update(ctx, r)
	faultpoint.Reach(faultpoint.Annotate, faultpoint.AfterWrite)
	return err
}

// connectionDetails returns the content of the connection Secret.
func (e *external) connectionDetails(o *scheduler.Observation) (xpmanaged.ConnectionDetails, error) {
	subject := e.spec.Subject
	subject.ExternalName = translate.ExternalName(e.kind.Model, o.Instance.State, o.Instance.Identity)
	extra, err := translate.ExtraConnectionDetails(e.kind.Model, subject, o.Instance.State)
	if err != nil {
		return nil, fmt.Errorf("cannot make the connection details of the kind's configuration: %w", err)
	}
	out := translate.ConnectionDetails(e.kind.Model, o.Instance.State)
	if len(extra) > 0 {
		maps.Copy(extra, out) // the object's own details win
		out = extra
	}
	return out, nil
}

// lateInitialize copies values that the provider chose to spec.forProvider, if the kind is
// configured for it, and reports whether there were any. An object with pending changes is left
// alone.
func (e *external) lateInitialize(r *CustomResource, o *scheduler.Observation) bool {
	if !e.kind.Model.Settings.LateInitialize || !e.spec.LateInitialize ||
		o.Operation != nil || !o.UpToDate() || o.Instance.Status != instance.Full || meta.WasDeleted(r) {
		return false
	}
	forProvider, changed := translate.LateInitialize(e.kind.Model, r.object("spec", "forProvider"), r.object("spec", "initProvider"), o.Instance.State)
	if changed {
		r.set(forProvider, "spec", "forProvider")
	}
	return changed
}

// longReady reports whether the resource has been ready so long that remaining writes are not
// postponed any more.
func longReady(r *CustomResource) bool {
	c := r.GetCondition(xpv2.TypeReady)
	return c.Status == corev1.ConditionTrue && time.Since(c.LastTransitionTime.Time) > turns.LongestWait
}

// observe returns the observation that was made for the same resource and configuration, or makes
// one.
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
