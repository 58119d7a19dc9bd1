package managed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// replacements returns the resources among keys whose objects are being replaced, as the cache has
// them.
func (k *Kind) replacements(ctx context.Context, keys []store.Key) map[store.Key]*unstructured.Unstructured {
	out := map[store.Key]*unstructured.Unstructured{}
	for _, of := range keys {
		if u, err := k.target(ctx, of, false); err == nil && replacementOf(u) != nil {
			out[of] = u
		}
	}
	return out
}

// released returns the resources for whose replacement a dependent has waited, and waits no more,
// and those whose objects are still being replaced, as the API server has them. The cache may be
// older or newer: both must be known from one read.
func (k *Kind) released(
	ctx context.Context, r *CustomResource,
) (out map[store.Key]bool, still map[store.Key]*unstructured.Unstructured, _ error) {
	still = map[store.Key]*unstructured.Unstructured{}
	for _, a := range answersOf(&r.Unstructured) {
		if a.Follows {
			continue // it has followed already
		}
		key := k.keyOfAnswer(a)
		if references.IsConfiguration(key) && !IsClosed(k.Neighbours.Settled()) {
			return nil, nil, errors.New("it is not known yet whether an object is replaced from which the provider configuration takes values")
		}
		u, err := k.target(ctx, key, true)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot read %s: %w", nameOf(key, r.GetNamespace()), err)
		}
		p := replacementOf(u)
		if p != nil {
			still[key] = u
		}
		if p == nil && !a.Waits || p != nil && p.Phase != phaseFollowing {
			continue
		}
		if out == nil {
			out = map[store.Key]bool{}
		}
		out[key] = true
	}
	return out, still, nil
}

// awaiting is one reconcile of a dependent of objects that are being replaced.
type awaiting struct {
	referrer
	resource *CustomResource
	// own is the replacement of the object of the dependent itself, which may be a part of others;
	// nil if there is none.
	own *managed.Replacement
	// busy is set while an operation is under way on the object of the dependent, or its outcome is
	// not known.
	busy    bool
	answers []managed.AwaitedReplacement
	// known is the effect on the dependent, and configured the one that its provider configuration
	// has; nil until it is asked for.
	known, configured *effect
	// failed is why the dependent cannot do its part.
	failed error
}

// awaitReplacements answers to the replacements of what a resource depends on. It returns an error
// while nothing may be done to the object of the resource.
func (f referrer) awaitReplacements(ctx context.Context, r *CustomResource) error {
	if !r.awaitsReplacement() {
		return nil
	}
	w := &awaiting{referrer: f, resource: r, own: replacementOf(r.read), busy: f.kind.Scheduler.Operates(f.kind.key(&r.Unstructured))}
	var waits []string
	for _, of := range slices.SortedFunc(maps.Keys(r.replaced), store.Key.Compare) {
		x := r.replaced[of]
		if holds(replacementOf(x)) {
			waits = append(waits, f.kind.called(r, of))
		}
		if a, ok := w.answer(ctx, of, x); ok {
			w.answers = append(w.answers, a)
		}
	}
	f.passOn(r, w.own, w.answers)
	w.destroyFirst(ctx)
	for _, a := range answersOf(&r.Unstructured) {
		if r.released[f.kind.keyOfAnswer(a)] &&
			!slices.ContainsFunc(w.answers, func(b managed.AwaitedReplacement) bool { return b.UID == a.UID }) {
			w.answers = append(w.answers, a) // until what it refers to is set
		}
	}
	r.setAnswers(w.answers)
	if len(waits) == 0 {
		return nil
	}
	r.told = true
	if r.reason == "" { // that of what has failed
		r.reason = v1alpha1.ReasonAwaitingReplacement
	}
	if r.lookAt.IsZero() {
		r.lookAt = time.Now().Add(f.kind.poll(r)) // the ends of replacements wake it
	}
	return errors.Join(fmt.Errorf("nothing is done to the object until that of %s is replaced", listed(waits)), w.failed)
}

// answer returns the answer to the replacement of the object of a resource; ok is false if there is
// none.
func (w *awaiting) answer(ctx context.Context, of store.Key, x *unstructured.Unstructured) (_ managed.AwaitedReplacement, ok bool) {
	r, p := w.resource, replacementOf(x)
	a, answered := answerTo(&r.Unstructured, x.GetUID())
	configures := slices.Contains(r.configuring, of)
	if p.Phase == phaseFollowing {
		a.Waits, a.Follows = false, a.Follows || configures && answered // it was read again
		return a, answered
	}
	if !answered {
		a = w.kind.newAnswer(r, of, x.GetUID())
	}
	// Without an effect it had no object yet.
	again := a.ID != p.ID || a.Generation != r.GetGeneration() || a.Refused != "" || holds(p) && !a.Waits ||
		a.Effect == "" && hadObject(r)
	if a.Effect == effectDestroyed {
		again = !holds(p) || a.ID != p.ID
	}
	if again {
		is := w.effect(ctx, configures, holds(p))
		a.Effect, a.Refused, a.Approval = is.action, is.refused, is.approval || is.destroys && !isReplace(is.action) && !w.consents(of, x)
		if w.own != nil && !isPart(w.own) && isReplace(is.action) {
			a.Refused = "its own object is being replaced"
		}
	}
	a.ID, a.Generation, a.Follows = p.ID, r.GetGeneration(), false
	a.Waits = holds(p) && !w.busy
	return a, true
}

// consents reports whether a resource whose object is replaced allows that objects within those of
// its dependents are destroyed.
func (w *awaiting) consents(of store.Key, x *unstructured.Unstructured) bool {
	k := w.kind.Neighbours.Kind(schema.GroupKind{Group: of.Group, Kind: of.Kind})
	return k != nil && k.replacesDependents(x)
}

// effect returns the effect on the dependent, or on one that only uses a provider configuration.
// Before it waits, the outcome of an operation is determined that an earlier process has begun.
func (w *awaiting) effect(ctx context.Context, configures, waits bool) effect {
	known, of := &w.known, w.kind.effect
	if configures {
		known, of = &w.configured, w.kind.configuredEffect
	}
	if *known == nil {
		is := of(ctx, w.resource)
		if is.operates && waits && !w.busy {
			if w.failed = w.recover(ctx); w.failed == nil {
				is = of(ctx, w.resource)
			}
		}
		w.busy = w.busy || is.operates
		*known = &is
	}
	return **known
}

// recover determines the outcome of an operation that an earlier process has begun.
func (w *awaiting) recover(ctx context.Context) error {
	e, o, err := w.observe(ctx)
	if err == nil {
		e.setStatus(ctx, w.resource, o)
	}
	return err
}

// observe observes the object of the dependent.
func (w *awaiting) observe(ctx context.Context) (*external, *scheduler.Observation, error) {
	c := &connector{kind: w.kind, client: w.client}
	e, diags := c.external(ctx, w.resource)
	if diags.HasErrors() {
		return nil, nil, c.explain(ctx, w.resource, &scheduler.Error{Reason: decision.ReasonInvalidConfiguration, Diagnostics: diags})
	}
	o, err := w.kind.Scheduler.Observe(ctx, e.request)
	if err != nil {
		return nil, nil, c.explain(ctx, w.resource, err)
	}
	return e, o, nil
}

// destroyFirst destroys the object of a dependent that must be replaced, before the one that it
// depends on.
func (w *awaiting) destroyFirst(ctx context.Context) {
	var due []*managed.AwaitedReplacement
	for i := range w.answers {
		a := &w.answers[i]
		p := replacementOf(w.resource.replaced[w.kind.keyOfAnswer(*a)])
		if p.Phase == phaseDestroying && isReplace(a.Effect) && lists(p, w.resource.GetUID()) {
			due = append(due, a)
		}
	}
	if len(due) == 0 || w.busy {
		return
	}
	gone, err := w.destroy(ctx)
	refused := ""
	if err != nil {
		w.failed = err
		refused = w.kind.effect(ctx, w.resource).refused // a policy, or an interrupt, may forbid it meanwhile
	}
	for _, a := range due {
		if a.Refused = refused; gone {
			a.Effect = effectDestroyed
		}
	}
}

// destroy destroys the object of the dependent. It reports whether that is gone.
func (w *awaiting) destroy(ctx context.Context) (gone bool, _ error) {
	r := w.resource
	e, o, err := w.observe(ctx)
	switch {
	case err != nil:
		return false, err
	case o.Operation != nil:
		return false, nil
	case !o.Exists() && len(o.Instance.Deposed) == 0:
		return true, nil
	}
	if err := e.mayWrite(ctx); err != nil {
		return false, err
	}
	own := replacementOf(&r.Unstructured)
	err = e.begin(ctx, r, own, wanted{w.partID(own, r), scheduler.Replace, terraform.DeleteThenCreate})
	if err == nil {
		e.request.Consented = true
		err = w.kind.Scheduler.Delete(ctx, e.request)
	}
	if err != nil {
		return false, e.explain(ctx, r, err)
	}
	return false, nil
}

// partID identifies the replacement of a dependent, which is part of those that it awaits. It stays
// the same while one of them lasts.
func (f referrer) partID(own *managed.Replacement, r *CustomResource) string {
	var id string
	for _, x := range r.replaced {
		of := partOf + replacementOf(x).ID
		if own != nil && own.ID == of {
			return of
		}
		id = max(id, of)
	}
	return id
}

// passOn plans the replacement of a dependent together with those of the objects that it refers to,
// for which it must be replaced: its own dependents answer to it, and wait when it does.
func (f referrer) passOn(r *CustomResource, own *managed.Replacement, answers []managed.AwaitedReplacement) {
	needed, held := false, false
	for _, a := range answers {
		p := replacementOf(r.replaced[f.kind.keyOfAnswer(a)])
		if p.Phase == phaseFollowing || !isReplace(a.Effect) || a.Refused != "" {
			continue
		}
		needed, held = true, held || holds(p) && lists(p, r.GetUID())
	}
	by := f.kind.dependentsBy(f.kind.key(&r.Unstructured))
	switch {
	case own != nil && (!isPart(own) || own.Phase == phaseDestroying && held):
		return
	case !needed || len(by) == 0:
		destroyed := slices.ContainsFunc(answersOf(r.read), func(a managed.AwaitedReplacement) bool { return a.Effect == effectDestroyed })
		if own != nil && own.Phase != phaseDestroying && !destroyed && r.string("status", "state") != "Empty" { // keepReplacement ends those
			unstructured.RemoveNestedField(r.Object, "status", "replacement")
		}
		return
	}
	next := managed.Replacement{ID: f.partID(own, r), Phase: phasePlanned}
	if own != nil && own.ID == next.ID {
		next.Dependents = own.Dependents
		if !holds(own) {
			next.Dependents = f.kind.judge(own, &r.Unstructured, r.GetNamespace(), by, true).replaced
		}
	}
	if held {
		next.Phase = phaseStarted
	}
	r.setReplacement(next)
}
