package managed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

const (
	reasonInvokes      event.Reason = "InvokingAction"
	reasonActionFailed event.Reason = "ActionFailed"
)

// keptAfterDestroy is how long the object of an action is kept that the destruction of an object
// has had invoked, once the resource does not wait for it. It has no owner, which may be gone.
const keptAfterDestroy = 7 * 24 * time.Hour

// advance creates the object of an invocation, or notes how far it is.
func (e *external) advance(ctx context.Context, r *CustomResource, round *trigger.Round, i int) error {
	x := &round.Invocations[i]
	t := trigger.Find(e.triggers, x.Trigger)
	if t == nil { // whatever became of it is not waited for any more
		x.Phase, x.Message = trigger.Skipped, ""
		return nil
	}
	u, err := e.action(r, x)
	if err == nil {
		err = e.client.live.Get(ctx, client.ObjectKeyFromObject(u), u)
	}
	switch {
	case kerrors.IsNotFound(err):
		return e.invokeAction(ctx, r, t, u, x)
	case meta.IsNoMatchError(err):
		return invalidTrigger(t.NotServed())
	case err != nil:
		return err
	}
	of := CustomResource{Unstructured: *u}
	before := x.Phase
	x.Message = ""
	if x.Phase = invocation.Phase(of.string("status", "phase")); x.Phase == "" {
		x.Phase = invocation.Pending
	}
	if x.Phase != invocation.Running && x.Phase != invocation.Succeeded {
		x.Message = of.GetCondition(xpv2.TypeSynced).Message
	}
	if t.OnFailure == trigger.Continue && x.Phase != before && (x.Phase == invocation.Failed || x.Phase == invocation.Unknown) {
		e.kind.Options.Recorder.Event(r,
			warning(reasonActionFailed,
				fmt.Sprintf("The action %s %s (%s) ended as %s: %s", x.Action, x.Name, x.Event, x.Phase, x.Message)))
	}
	if x.Event.OfDestroy() && x.Phase.Final() && round.Outcome(i, e.triggers, e.taintLimit()) != trigger.Halts {
		return e.expire(ctx, u)
	}
	return nil
}

// expire has an object that has no owner deleted after a time. While it halts the resource it is
// kept: without it, the action would be invoked again.
func (e *external) expire(ctx context.Context, u *unstructured.Unstructured) error {
	if _, expires, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "ttlSecondsAfterFinished"); expires {
		return nil
	}
	if err := unstructured.SetNestedField(u.Object, int64(keptAfterDestroy/time.Second), "spec", "ttlSecondsAfterFinished"); err != nil {
		return err
	}
	return e.client.cached.Update(ctx, u)
}

// action returns the object of an invocation, with its kind, namespace and name.
func (e *external) action(r *CustomResource, x *trigger.Invocation) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetNamespace(r.GetNamespace())
	u.SetName(x.Name)
	mapper, named := e.client.cached.RESTMapper(), x.Resource().WithVersion("")
	// A mapper knows singulars and beginnings of groups, too. The right to invoke was checked for
	// what is named.
	found, err := mapper.ResourceFor(named)
	if err == nil && found.GroupResource() != x.Resource() {
		err = &meta.NoResourceMatchError{PartialResource: named}
	}
	if err != nil {
		return u, err
	}
	gvk, err := mapper.KindFor(found)
	u.SetGroupVersionKind(gvk)
	return u, err
}

// invokeAction creates the object of an invocation. Its name is that of no other invocation, so one
// that exists was created before.
func (e *external) invokeAction(
	ctx context.Context, r *CustomResource, t *trigger.Trigger, u *unstructured.Unstructured, x *trigger.Invocation,
) error {
	of := e.changed(r)
	of.Old = r.object("status", "atProvider")
	spec, err := t.Spec(ctx, of.Self, of.Old, r.object("spec", "providerConfigRef"))
	if err != nil {
		return invalidTrigger(err)
	}
	u.Object["spec"] = spec
	u.SetAnnotations(map[string]string{v1alpha1.AnnotationTriggeredBy: triggeredBy(e.request.Key)})
	if !x.Event.OfDestroy() {
		version, kind := r.GroupVersionKind().ToAPIVersionAndKind()
		u.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: version, Kind: kind, Name: r.GetName(), UID: r.GetUID(), Controller: ptr.To(true),
		}})
	}
	switch err := e.client.cached.Create(ctx, u, client.FieldValidation(metav1.FieldValidationStrict)); {
	case kerrors.IsAlreadyExists(err):
	case kerrors.IsInvalid(err), kerrors.IsBadRequest(err):
		return invalidTrigger(fmt.Errorf("%s: %s", t.Path(), strings.ReplaceAll(refusedText(err), "spec.forProvider", t.Path()+".forProvider")))
	case err != nil:
		return &scheduler.Error{
			Reason: decision.ReasonAwaitingAction, LookAt: time.Now().Add(lookForAction),
			Err: fmt.Errorf("%s: the action cannot be created: %w", t.Path(), err),
		}
	default:
		e.kind.Options.Recorder.Event(r, event.Normal(reasonInvokes, fmt.Sprintf("The action %s %s is invoked (%s)", x.Action, x.Name, x.Event)))
	}
	x.Phase, x.Message = invocation.Pending, ""
	return nil
}

// removeAction deletes the object of an invocation.
func (e *external) removeAction(ctx context.Context, r *CustomResource, x *trigger.Invocation) error {
	u, err := e.action(r, x)
	if meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return client.IgnoreNotFound(e.client.cached.Delete(ctx, u, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// refusedText is the message of the API server about an object, without the part that names it.
func refusedText(err error) string {
	_, why, found := strings.Cut(err.Error(), " is invalid: ")
	if !found {
		return err.Error()
	}
	return why
}

func invalidTrigger(err error) error {
	return &scheduler.Error{Reason: decision.ReasonInvalidConfiguration, LookAt: time.Now().Add(lookForAction), Err: err}
}

// triggeredBy returns the value of AnnotationTriggeredBy.
func triggeredBy(k store.Key) string {
	return schema.GroupKind{Group: k.Group, Kind: k.Kind}.String() + "/" + k.Name
}

// TriggeredBy returns the resource whose spec.actions has an action invoked; ok is false if there
// is none.
func TriggeredBy(action *unstructured.Unstructured) (of store.Key, ok bool) {
	kind, name, ok := strings.Cut(action.GetAnnotations()[v1alpha1.AnnotationTriggeredBy], "/")
	gk := schema.ParseGroupKind(kind)
	return store.Key{Group: gk.Group, Kind: gk.Kind, Namespace: action.GetNamespace(), Name: name}, ok
}
