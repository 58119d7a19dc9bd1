package managed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// setStatus sets the resource's status from the observation, unless it already is.
func (e *external) setStatus(ctx context.Context, r *CustomResource, o *scheduler.Observation) {
	r.observation = o
	// An earlier process has written the status of a resource before it left its mark.
	if (o.Resumed || e.kind.tracked.same(r, o)) && !r.differsOtherwise() && !trigger.Open(&r.Unstructured) {
		return
	}
	waits := e.waits(ctx, o)
	status := map[string]any{}
	for _, keep := range []string{"conditions", "messages", "observedGeneration", "lastHandledReconcileAt", "awaitedReplacements", "actions"} {
		if v, ok := r.object("status")[keep]; ok {
			status[keep] = v
		}
	}
	status["state"] = state(o.Instance.Status)
	var leftOut []string
	if o.Exists() {
		atProvider := translate.Observation(e.kind.Model, o.Instance.State, translate.Concealed(e.kind.Model, o.Instance.SensitivePaths)...)
		leftOut = FitObject(atProvider, MaxAtProvider)
		status["atProvider"] = atProvider
	}
	if name := e.externalName(r, o); name != "" && len(name) <= maxExternalName {
		status["externalName"] = name
	}
	if o.Instance.HasIdentity() {
		status["identity"] = translate.Identity(e.kind.Model, o.Instance.Identity)
	}
	if history := identityHistory(e.kind, o.Instance.IdentityHistory); history != nil {
		status["identityHistory"] = history
	}
	if o.Operation != nil {
		status["operation"] = e.operationStatus(r, o)
	}
	if o.Plan != nil && o.Plan.Action != terraform.NoOp {
		status["plan"] = planStatus(e.kind, o)
	} else if waits { // the object of a deleted resource is destroyed
		status["plan"] = map[string]any{"action": string(o.PlanAction), "hash": o.PlanHash}
	}
	if drift := driftStatus(e.kind, o); drift != nil {
		status["drift"] = drift
	}
	e.setWarnings(r, status, o)
	keepReplacement(r, o, status)
	r.Object["status"] = status
	e.setRemembered(r)
	e.setConditions(r, o, waits)
	e.setComplete(r, leftOut)
}

// setUnobserved updates the status as far as possible without an observation. A running operation
// would have been observed.
func (e *external) setUnobserved(r *CustomResource) {
	unstructured.RemoveNestedField(r.Object, "status", "operation")
	e.setRemembered(r)
}

// setRemembered sets the parts of the status that are known even if the remote object could not be
// observed.
func (e *external) setRemembered(r *CustomResource) {
	known, ok := e.kind.Scheduler.Remembered(e.request)
	if !ok {
		return
	}
	r.set(state(known.Status), "status", "state")
	if known.Status == instance.Partial {
		unstructured.RemoveNestedField(r.Object, "status", "plan") // it was made for the object as it was marked before
		r.SetConditions(
			xpv2.Unavailable().WithMessage("The remote object is Partial: it has not been read completely since it " +
				"was created, or untainted.").WithObservedGeneration(r.GetGeneration()),
		)
	}
	unstructured.RemoveNestedField(r.Object, "status", "deposed")
	if len(known.Deposed) > 0 {
		r.set(deposedStatus(e.kind, known.Deposed), "status", "deposed")
	}
	unstructured.RemoveNestedField(r.Object, "status", "lastApproval")
	if h := known.Handled; h.Approve != "" {
		approval := map[string]any{"hash": h.Approve, "action": h.ApprovedAction, "at": h.ApprovedAt}
		if h.ApprovedBy != "" {
			approval["by"] = h.ApprovedBy
		}
		r.set(approval, "status", "lastApproval")
	}
	if known.Handled.Retry != r.retried() && r.GetCondition(v1alpha1.TypeLastAsyncOperation).Status == corev1.ConditionFalse {
		r.RemoveCondition(v1alpha1.TypeLastAsyncOperation) // a new attempt begins
	}
	unstructured.RemoveNestedField(r.Object, "status", "lastHandled")
	for name, token := range map[string]string{
		"taint": known.Handled.Taint, "untaint": known.Handled.Untaint, "retry": known.Handled.Retry,
		"reapply": known.Handled.Reapply, "interrupt": known.Handled.Interrupt,
	} {
		if token != "" {
			r.set(token, "status", "lastHandled", name)
		}
	}
}

// identityHistory returns former identities, with the names of the current schema if they fit it.
func identityHistory(k *Kind, former []instance.FormerIdentity) []any {
	var out []any
	for _, f := range former {
		identity := map[string]any{}
		if s := k.Model.Schema.Identity; s != nil {
			v, raw := instance.DecodeValue(f.Identity, f.Version, s.ImpliedType(), s.Version)
			if identity = translate.Identity(k.Model, v); identity == nil && utiljson.Unmarshal(raw, &identity) != nil {
				continue
			}
		}
		out = append(out, map[string]any{"identity": identity, "until": f.Until.UTC().Format(time.RFC3339)})
	}
	return out
}

func (e *external) operationStatus(r *CustomResource, o *scheduler.Observation) map[string]any {
	op := o.Operation
	out := map[string]any{"id": op.ID, "kind": string(op.Kind), "startedAt": op.StartedAt.UTC().Format(time.RFC3339)}
	if !op.Deadline.IsZero() {
		out["deadline"] = op.Deadline.UTC().Format(time.RFC3339)
	}
	if op.Deposed != "" {
		out["deposed"] = op.Deposed
	}
	if o.Interrupted {
		out["interrupted"] = true
	}
	if o.Progress != "" {
		out["progress"] = e.conceal(o.Progress, r.secrets, o)
	}
	return out
}

// deposedStatus returns the objects that were replaced and not destroyed yet, with their names and
// identities if they can be decoded.
func deposedStatus(k *Kind, deposed []instance.Deposed) []any {
	var out []any
	for _, d := range deposed {
		in := d.Instance()
		m := map[string]any{"key": d.Key, "state": state(d.Status)}
		if len(in.RawState) == 0 && len(in.RawIdentity) == 0 {
			if name := translate.ExternalName(k.Model, in.State, in.Identity); name != "" {
				m["externalName"] = name
			}
			if in.HasIdentity() {
				m["identity"] = translate.Identity(k.Model, in.Identity)
			}
		}
		out = append(out, m)
	}
	return out
}

func state(s instance.Status) string {
	if s == instance.Empty {
		return "Empty"
	}
	return string(s)
}

func (e *external) setConditions(r *CustomResource, o *scheduler.Observation, waits bool) {
	set := func(c xpv2.Condition) { r.SetConditions(c.WithObservedGeneration(r.GetGeneration())) }
	switch {
	case meta.WasDeleted(r):
		set(xpv2.Deleting())
	case o.Operation != nil && o.Operation.Kind == instance.Create && !o.Exists():
		set(xpv2.Creating())
	case o.Operation != nil && o.Operation.Kind == instance.Delete && o.Operation.Deposed == "":
		set(xpv2.Unavailable().WithMessage("The remote object is being replaced."))
	case !o.Exists():
		set(xpv2.Creating())
	case o.Held && o.Instance.Status == instance.Tainted:
		c := xpv2.Unavailable().WithMessage("Change the spec, or request a retry: the remote object is tainted, and is not replaced before.")
		c.Reason = v1alpha1.ReasonTainted
		set(c)
	case o.Inconsistent && o.Plan != nil && len(o.Plan.Contained) > 0:
		c := xpv2.Unavailable().WithMessage("Change the module, or request a retry: objects of it are not as " +
			"planned, and their successors would be the same.")
		c.Reason = v1alpha1.ReasonTainted
		set(c)
	case o.Inconsistent:
		c := xpv2.Unavailable().WithMessage("Change the configuration, request a retry, or untaint the object: it " +
			"is not as planned, and its successor would be the same.")
		c.Reason = v1alpha1.ReasonTainted
		set(c)
	case o.Stalled:
		c := xpv2.Unavailable().WithMessage("Change the configuration, or request a retry: the remote object is " +
			"tainted, because its creation failed, and is not replaced again before.")
		c.Reason = v1alpha1.ReasonTainted
		set(c)
	case o.Instance.Status == instance.Tainted:
		c := xpv2.Unavailable().WithMessage("The remote object is tainted, because its creation failed or was " +
			"interrupted, or by request. It will be replaced.")
		c.Reason = v1alpha1.ReasonTainted
		set(c)
	case o.Instance.Incomplete && !o.UpToDate():
		set(xpv2.Unavailable().WithMessage("The last apply did not make all changes: status.plan has those that are left."))
	default:
		set(xpv2.Available())
	}
	if o.Stalled || o.Held {
		set(stalled(o)) // setProgress sets it for other reasons, and ends it
	}
	if !waits {
		e.setApproved(r)
	}
	if o.Contradiction != "" || r.GetCondition(v1alpha1.TypeIdentifiable).Status != corev1.ConditionUnknown {
		set(identifiable(o.Contradiction))
	}
	e.setDeferred(r, terraform.NotDeferred, "")
	if o.Drift != nil || r.GetCondition(v1alpha1.TypeDrifted).Status != corev1.ConditionUnknown {
		set(e.drifted(r, o.Drift))
	}
	if o.Flap != nil || r.GetCondition(v1alpha1.TypeFlapping).Status != corev1.ConditionUnknown {
		set(flapping(e.kind, r.GetNamespace(), o.Flap))
	}
	if o.Unsettled != nil && o.Unsettled.Never || r.GetCondition(v1alpha1.TypeNeverSettles).Status != corev1.ConditionUnknown {
		set(neverSettles(e.kind, o.Unsettled))
	}
	switch {
	case o.UpToDate():
		set(xpv2.ObserveMatched())
	case o.Exists() && o.Plan != nil && !e.spec.Policies.Update:
		set(xpv2.UpdateRestricted())
	case o.Exists() && o.Plan != nil && !o.Last.Failed():
		set(xpv2.UpdateRequested())
	}
	if o.Last != nil && o.Operation == nil {
		c := xpv2.Condition{
			Type: v1alpha1.TypeLastAsyncOperation, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonSuccess,
			LastTransitionTime: metav1.NewTime(o.Last.At),
		}
		if o.Last.Failed() {
			c.Status, c.Reason = corev1.ConditionFalse, asyncReasons[o.Last.Kind]
			c.Message = e.message(r, &scheduler.Error{Diagnostics: o.Last.Diagnostics})
		}
		set(c)
	}
}

// stalled returns the condition Stalled of a resource that was interrupted, or whose creates failed
// too often.
func stalled(o *scheduler.Observation) xpv2.Condition {
	c := xpv2.Condition{Type: v1alpha1.TypeStalled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}
	if o.Held {
		c.Reason = v1alpha1.ReasonInterrupted
		c.Message = "Change the spec, or request a retry: the last operation was interrupted by request."
	} else {
		c.Reason = v1alpha1.ReasonCreateAttemptsExhausted
		c.Message = "Change the configuration, or request a retry: creates of it failed too often after they had made an object."
	}
	return c
}

// flapping returns the condition Flapping. A resource that never flapped has none. Resources of
// other namespaces are not named.
func flapping(k *Kind, namespace string, f *scheduler.Flap) xpv2.Condition {
	c := xpv2.Condition{
		Type: v1alpha1.TypeFlapping, Status: corev1.ConditionFalse, Reason: v1alpha1.ReasonSteady,
		LastTransitionTime: metav1.Now(),
	}
	if f == nil {
		return c
	}
	paths := translate.FieldPaths(k.Model, f.Paths)
	if more := len(paths) - maxPaths; more > 0 {
		paths = append(paths[:maxPaths:maxPaths], fmt.Sprintf("%d more", more))
	}
	c.Status, c.Reason = corev1.ConditionTrue, v1alpha1.ReasonChangedBack
	c.Message = fmt.Sprintf("Let only one resource or program set these fields, which something else changes back "+
		"again and again: %s.", strings.Join(paths, ", "))
	if f.Other.Name != "" && f.Other.Namespace == namespace {
		c.Message = fmt.Sprintf("Let both declare the same, or delete one of them: %s %s changes these fields back again and again: %s.",
			f.Other.Kind, cache.ObjectName{Namespace: f.Other.Namespace, Name: f.Other.Name}, strings.Join(paths, ", "))
	}
	return c
}

// identifiable returns the condition Identifiable. A resource whose object never contradicted the
// configuration has none.
func identifiable(contradiction string) xpv2.Condition {
	c := xpv2.Condition{
		Type: v1alpha1.TypeIdentifiable, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonConfigurationConfirmed,
		LastTransitionTime: metav1.Now(),
	}
	if contradiction != "" {
		c.Status, c.Reason, c.Message = corev1.ConditionFalse, v1alpha1.ReasonConfigurationContradicted, contradicted(contradiction)
	}
	return c
}

// contradicted returns what an object that contradicts the configuration leads to.
func contradicted(why string) string {
	return "Correct the identity or the import id in the provider's configuration: objects of this kind are not " +
		"looked for by it any more, since this object contradicts it. " + why
}

func planStatus(k *Kind, o *scheduler.Observation) map[string]any {
	p := o.Plan
	out := map[string]any{"action": string(p.Action), "changes": changesStatus(changesOf(k, p)), "hash": o.PlanHash}
	if len(p.Contained) > 0 {
		out["resources"], out["summary"] = containedStatus(p.Contained)
	}
	if p.Reason != "" {
		out["reason"] = string(p.Reason)
	}
	if len(p.RequiresReplace) > 0 {
		paths := make([]any, len(p.RequiresReplace))
		for i, path := range translate.FieldPaths(k.Model, p.RequiresReplace) {
			paths[i] = path
		}
		out["requiresReplace"] = paths
	}
	return out
}

// message formats an error, one diagnostic per line, with the paths of fields in spec. Secret
// values of the resource, its object and its provider configuration are redacted.
func (c *connector) message(r *CustomResource, err *scheduler.Error) string {
	o := r.observation
	if o == nil {
		o = c.kind.known(r)
	}
	return c.text(err, r.secrets, o)
}

// text formats an error. The given secrets and those of the observed objects are redacted.
func (c *connector) text(err *scheduler.Error, secrets []string, observed ...*scheduler.Observation) string {
	var text string
	if err.Err != nil {
		text = err.Err.Error()
	} else {
		text = translate.Message(c.kind.Model, err.Diagnostics.Errors())
	}
	return Shorten(c.conceal(text, secrets, observed...))
}

// conceal redacts the given secrets and those of the observed objects.
func (c *connector) conceal(text string, secrets []string, observed ...*scheduler.Observation) string {
	return c.hidden(secrets, observed...).Replacer().ReplaceInLine(text) // line breaks of diagnostics are spaces
}

// hidden returns what redacts the given secrets and those of the observed objects.
func (c *connector) hidden(secrets []string, observed ...*scheduler.Observation) *redact.Redactor {
	hidden := &redact.Redactor{}
	for _, s := range secrets {
		hidden.Add([]byte(s))
	}
	for _, o := range observed {
		if !o.Exists() {
			continue
		}
		for _, value := range translate.ConnectionDetails(c.kind.Model, o.Instance.State) {
			hidden.Add(value)
		}
		for _, path := range o.Instance.SensitivePaths {
			if v, err := path.Apply(o.Instance.State); err == nil {
				hidden.AddValue(v)
			}
		}
	}
	return hidden
}

// known returns the observation by whose values messages about a resource are redacted.
func (k *Kind) known(r *CustomResource) *scheduler.Observation {
	o := k.tracked.last(subjectOf(r))
	if o == scheduler.Rested {
		o = &scheduler.Observation{Instance: k.Scheduler.Recall(k.key(&r.Unstructured), r.GetUID())}
	}
	return o
}
