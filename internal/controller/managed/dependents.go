package managed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// The replacement of an object to which other resources refer, its dependents, has phases, as
// Terraform's graph orders them:
//
//	Planned ──▶ Started ──▶ DestroyingDependents ──▶ the object is destroyed, and created again
//	               └── the new object is created ──▶ Following ──▶ the old one is destroyed     (createBeforeDestroy)
//
// status.replacement of the resource has the phase, and status.awaitedReplacements of each
// dependent has its answer: what it would do, that it waits, that its object is destroyed, that it
// follows. Both are stored before anything depends on them, so that replicas of other shards, and
// those that start again, know of them. A dependent that waits does nothing to its object. The
// replacement begins when all dependents have answered, and none refuses.
//
// A dependent that must be replaced, too, has dependents itself. Its own replacement is planned
// with the first one, under an id that says so, and begins when that destroys its dependents. The
// list of what is destroyed is made while the replacement is planned: the hash of the plan covers
// it, so that an approval is one of this list, and what comes later is never destroyed. It waits,
// and follows.

// dependents returns Request.Dependents of a resource.
func (e *external) dependents(r *CustomResource) func(context.Context, scheduler.ReplacementStep, *scheduler.Observation) error {
	return func(ctx context.Context, step scheduler.ReplacementStep, o *scheduler.Observation) error {
		stored := replacementOf(r.read)
		switch step {
		case scheduler.Recreate:
			return e.startAtOnce(ctx, r, stored, e.replacementID(r, o.Plan))
		case scheduler.DestroyDeposed:
			return e.follow(ctx, r, stored)
		}
		return e.begin(ctx, r, stored, wanted{e.replacementID(r, o.Plan), step, o.Plan.Action})
	}
}

// startAtOnce makes dependents wait for the new object of one that is gone already.
func (e *external) startAtOnce(ctx context.Context, r *CustomResource, stored *managed.Replacement, id string) error {
	if by, err := e.kind.dependentKeys(ctx, r); err != nil || len(by) == 0 || holds(stored) {
		return awaitingDependents(err)
	}
	r.setReplacement(managed.Replacement{ID: r.newID(id), Phase: phaseStarted})
	return whenTold("the object is created again as soon as the status tells so")
}

// follow makes dependents follow the new object before the old one is destroyed.
func (e *external) follow(ctx context.Context, r *CustomResource, stored *managed.Replacement) error {
	if stored == nil {
		return nil
	}
	by, err := e.kind.dependentKeys(ctx, r)
	if err != nil {
		return awaitingDependents(err)
	}
	if stored.Phase != phaseFollowing && len(by) > 0 {
		r.setReplacement(managed.Replacement{ID: stored.ID, Phase: phaseFollowing})
		return whenTold("the old object is destroyed as soon as the resources that refer to it follow the new one")
	}
	var waiting []string
	for _, d := range e.kind.dependentsOf(ctx, r.GetNamespace(), by) {
		if a, answered := answerTo(d.resource, r.GetUID()); answered && !a.Follows {
			waiting = append(waiting, d.name)
		}
	}
	if len(waiting) > 0 {
		return awaitingDependents(fmt.Errorf("the old object is destroyed as soon as these follow the new one: %s", listed(waiting)))
	}
	return nil
}

// wanted is a step of a replacement that is to be made.
type wanted struct {
	// id identifies what the replacement is for.
	id     string
	step   scheduler.ReplacementStep
	action terraform.Action
}

// isPart reports whether the replacement is part of that of another object.
func (w wanted) isPart() bool { return strings.HasPrefix(w.id, partOf) }

// begin returns nil when the replacement may begin, or when its plan is complete if that is the
// step. Otherwise the status has what is to be answered.
func (e *external) begin(ctx context.Context, r *CustomResource, stored *managed.Replacement, w wanted) error {
	by, err := e.kind.dependentKeys(ctx, r)
	if err != nil || len(by) == 0 && (stored == nil || len(stored.Dependents) == 0 && !stored.Approval) {
		return awaitingDependents(err)
	}
	newID := r.newID(w.id)
	if !identifies(w.id, stored) || stored.Phase == phaseFollowing {
		first := managed.Replacement{ID: newID, Phase: phasePlanned}
		if w.isPart() {
			first.ID, first.Phase = w.id, phaseStarted // what was not planned with the first one is not destroyed
		}
		r.setReplacement(first)
		return awaitingDependents(errors.New("the object is replaced as soon as the resources that refer to it are ready for it"))
	}
	v := e.kind.judge(stored, &r.Unstructured, r.GetNamespace(), by, w.action != terraform.CreateThenDelete)
	next, err := w.decide(stored, v, newID)
	if next != nil {
		r.setReplacement(*next)
	}
	return err
}

// decide returns what a stored replacement becomes by the answers of the dependents, nil if it
// stays, and why the step has to wait. With the new id, the replacement is planned again, and
// dependents that have waited go on.
func (w wanted) decide(stored *managed.Replacement, v verdict, newID string) (*managed.Replacement, error) {
	next := *stored
	if !w.isPart() && (stored.Phase != phaseDestroying || len(stored.Dependents) == 0) {
		next.Dependents, next.Approval = v.replaced, v.approval
	}
	again := next
	if holds(stored) {
		again.ID, again.Phase = newID, phasePlanned
	}
	switch {
	case len(v.refused) > 0:
		err := awaitingDependents(fmt.Errorf("the object is not replaced because of what refers to it: %s",
			strings.Join(bounded(v.refused), "; ")))
		if w.isPart() {
			return nil, err // the first one is planned again
		}
		return &again, err
	case len(v.waiting) > 0: // the list may be incomplete
		return nil, awaitingDependents(fmt.Errorf("the object is replaced as soon as these are ready for it: %s", listed(v.waiting)))
	case !sameList(stored, &next):
		return &again, whenTold("the object is replaced as soon as the plan tells which others are replaced with it")
	case w.step == scheduler.PlanReplacement:
		return nil, nil
	case stored.Phase == phasePlanned:
		next.Phase = phaseStarted
	case stored.Phase == phaseStarted && v.destroys && w.action != terraform.CreateThenDelete:
		next.Phase = phaseDestroying
	default:
		return nil, nil
	}
	return &next, awaitingDependents(errors.New("the object is replaced as soon as the resources that refer to it wait for it"))
}

// verdict is what the answers of dependents come to.
type verdict struct {
	waiting, refused []string
	// replaced are those that must be replaced, too, sorted by UID, with theirs. approval is set
	// when that needs an approval.
	replaced []managed.ReplacedDependent
	approval bool
	// destroys is set when the object of a dependent is to be destroyed before.
	destroys bool
}

// judge reads the answers of the dependents of a resource in a phase, and of theirs while nothing
// is destroyed yet. Names are for those who may read a namespace. whole is set when those that must
// be replaced are destroyed before the object.
func (k *Kind) judge(p *managed.Replacement, u *unstructured.Unstructured, namespace string, by []dependsBy, whole bool) (v verdict) {
	for _, d := range k.dependentsOf(context.Background(), namespace, by) {
		a, _ := answerTo(d.resource, u.GetUID())
		elsewhere := d.resource.GetNamespace() != namespace
		current := a.ID == p.ID && a.Refused == ""
		replaced := current && (isReplace(a.Effect) || a.Effect == effectDestroyed)
		destroyed := replaced && (p.Phase != phaseDestroying || lists(p, d.resource.GetUID()))
		switch {
		case d.resource.GetDeletionTimestamp() != nil:
			v.waiting = append(v.waiting, d.name+" (is being deleted)")
		case paused(&CustomResource{Unstructured: *d.resource}):
			v.refused = append(v.refused, d.name+" is paused")
		case a.ID != p.ID || a.Generation != d.resource.GetGeneration() && !a.Waits:
			v.waiting = append(v.waiting, d.name+" (has not answered yet)")
		case a.Refused != "":
			v.refused = append(v.refused, d.name+": "+a.Refused)
		case replaced && elsewhere && !d.kind.replacesDependents(d.resource):
			v.refused = append(v.refused, d.name+" would be replaced, too, which its own spec.lifecycle.replaceDependents does not allow")
		case a.Approval && elsewhere:
			v.refused = append(v.refused, d.name+" would be changed, which needs an approval of its own")
		case holds(p) && !a.Waits:
			v.waiting = append(v.waiting, d.name)
		case p.Phase == phaseDestroying && destroyed && isReplace(a.Effect):
			v.waiting = append(v.waiting, d.name+" ("+destroyedBefore(d.resource)+")")
		}
		v.approval = v.approval || current && a.Approval && !elsewhere
		if !destroyed {
			continue
		}
		v.destroys, v.approval = true, v.approval || !k.replacesDependents(u)
		of := managed.ReplacedDependent{UID: string(d.resource.GetUID())}
		if !elsewhere {
			of.Kind, of.Name = d.resource.GetKind(), d.resource.GetName()
		}
		v.replaced = append(v.replaced, of)
		if whole && isReplace(a.Effect) && p.Phase != phaseDestroying {
			v.add(d, p, namespace)
		}
	}
	slices.SortFunc(v.replaced, func(a, b managed.ReplacedDependent) int { return strings.Compare(a.UID, b.UID) })
	v.replaced = slices.Compact(v.replaced)
	return v
}

// add adds what is said of the dependents of a dependent that must be replaced.
func (v *verdict) add(d dependent, p *managed.Replacement, namespace string) {
	by := d.kind.dependentsBy(d.kind.key(d.resource))
	if len(by) == 0 {
		return
	}
	own := replacementOf(d.resource)
	// It holds its own only when it is to be destroyed.
	if !isPart(own) || holds(p) && lists(p, d.resource.GetUID()) && !holds(own) {
		v.waiting = append(v.waiting, d.name+" (has not answered yet)")
		return
	}
	of := d.kind.judge(own, d.resource, namespace, by, true)
	if !holds(own) && !sameDependents(own.Dependents, of.replaced) { // once it holds, its list stays
		v.waiting = append(v.waiting, d.name+" (has not answered yet)")
	}
	v.waiting, v.refused = append(v.waiting, of.waiting...), append(v.refused, of.refused...)
	v.replaced, v.approval = append(v.replaced, of.replaced...), v.approval || of.approval
}

// destroyedBefore says what a replacement waits for whose dependent is to be destroyed before. What
// stops that is a reason of the dependent's own.
func destroyedBefore(u *unstructured.Unstructured) string {
	r := &CustomResource{Unstructured: *u}
	synced := r.GetCondition(xpv2.TypeSynced)
	if synced.Status != corev1.ConditionFalse || synced.Reason == v1alpha1.ReasonAwaitingReplacement {
		return "is destroyed before"
	}
	return fmt.Sprintf("is destroyed before, which waits with the reason %s", synced.Reason)
}

func isReplace(effect string) bool { return terraform.Action(effect).IsReplace() }

// replacesDependents reports whether a resource of the kind consents to the replacement of its
// dependents.
func (k *Kind) replacesDependents(u *unstructured.Unstructured) bool {
	policy, _, _ := unstructured.NestedString(u.Object, "spec", "lifecycle", "replaceDependents")
	if policy == "" {
		return k.ReplacesDependents != nil && k.ReplacesDependents()
	}
	return policy == crd.DependentsAutomatic
}

// dependentKeys returns the resources that depend on the object of a resource. It returns an error
// until all are known.
func (k *Kind) dependentKeys(ctx context.Context, r *CustomResource) ([]dependsBy, error) {
	if err := k.referencesKnown(ctx, r); err != nil {
		return nil, err
	}
	return k.dependentsBy(k.key(&r.Unstructured)), nil
}

// dependsBy is a resource that depends on the object of another one. configured is set if it only
// uses a provider configuration that takes values from it.
type dependsBy struct {
	store.Key
	configured bool
}

// dependentsBy returns the resources that depend on the object of a resource.
func (k *Kind) dependentsBy(key store.Key) (out []dependsBy) {
	dependents, users := k.Neighbours.References().Dependents(key, configurations{k.Neighbours})
	for _, x := range dependents {
		out = append(out, dependsBy{x, false})
	}
	for _, x := range users {
		out = append(out, dependsBy{x, true})
	}
	return out
}

// dependent is a resource that refers to another one, with the name by which messages of that one
// call it.
type dependent struct {
	kind     *Kind
	resource *unstructured.Unstructured
	name     string
	// configured is that of dependsBy.
	configured bool
}

// dependentsOf returns the resources of keys as the cache has them, with the names that they have
// in messages for a namespace.
func (k *Kind) dependentsOf(ctx context.Context, namespace string, keys []dependsBy) []dependent {
	var out []dependent
	for _, by := range keys {
		of := k.Neighbours.Kind(schema.GroupKind{Group: by.Group, Kind: by.Kind})
		if of == nil {
			continue // nothing is done to its object
		}
		u, err := of.get(ctx, of.reader, types.NamespacedName{Namespace: by.Namespace, Name: by.Name})
		if err != nil {
			continue // it is gone
		}
		out = append(out, dependent{of, u, nameOf(by.Key, namespace), by.configured})
	}
	return out
}

// awaitingDependents returns the error of a step that has to wait; nil for nil.
func awaitingDependents(err error) error {
	if err == nil {
		return nil
	}
	return &scheduler.Error{Reason: decision.ReasonAwaitingDependents, Err: err}
}

// whenTold returns the error of a step that waits for no more than that the status is written.
func whenTold(message string) error {
	return &scheduler.Error{Reason: decision.ReasonAwaitingDependents, Err: errors.New(message), LookAt: time.Now()}
}

// wakeDependents queues the resources that take part in a replacement when one of them has changed.
func (k *Kind) wakeDependents(u *unstructured.Unstructured) {
	if replacementOf(u) != nil {
		for _, by := range k.dependentsBy(k.key(u)) {
			k.wakeDependent(by)
		}
	}
	k.wakeAwaited(u, map[store.Key]bool{})
}

// wakeDependent queues a resource. One that uses a provider configuration may be at rest.
func (k *Kind) wakeDependent(by dependsBy) {
	if of := k.Neighbours.Kind(schema.GroupKind{Group: by.Group, Kind: by.Kind}); of != nil && by.configured {
		of.disturb(by.Key)
	}
	k.Neighbours.Wake(by.Key)
}

// wakeAwaited queues the resources to whose replacements one has answered, and those to whose
// replacements these have.
func (k *Kind) wakeAwaited(u *unstructured.Unstructured, woken map[store.Key]bool) {
	for _, a := range answersOf(u) {
		key := k.keyOfAnswer(a)
		if woken[key] {
			continue
		}
		woken[key] = true
		k.Neighbours.Wake(key)
		if of, err := k.target(context.Background(), key, false); err == nil && of != nil {
			k.wakeAwaited(of, woken)
		}
	}
}

// target returns a resource that another one refers to, as the given reader has it; nil if there is
// none.
func (k *Kind) target(ctx context.Context, of store.Key, live bool) (*unstructured.Unstructured, error) {
	kind := k.Neighbours.Kind(schema.GroupKind{Group: of.Group, Kind: of.Kind})
	if kind == nil {
		return nil, nil
	}
	reader := kind.reader
	if live {
		reader = kind.live
	}
	u, err := kind.get(ctx, reader, types.NamespacedName{Namespace: of.Namespace, Name: of.Name})
	if kerrors.IsNotFound(err) {
		return nil, nil
	}
	return u, err
}
