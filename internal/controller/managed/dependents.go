package managed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// The replacement of an object to which other resources refer, its dependents, has phases, as Terraform's graph orders them:
//
//	Planned ──▶ Started ──▶ DestroyingDependents ──▶ the object is destroyed, and created again
//	               └── the new object is created ──▶ Following ──▶ the old one is destroyed     (createBeforeDestroy)
//
// status.replacement of the resource has the phase, and status.awaitedReplacements of each dependent has its answer: what it would do,
// that it waits, that its object is destroyed, that it follows. Both are stored before anything depends on them, so that replicas of
// other shards, and those that start again, know of them. A dependent that waits does nothing to its object. The replacement begins
// when all dependents have answered, and none refuses.

// Phases of a replacement.
const (
	phasePlanned    = "Planned"
	phaseStarted    = "Started"
	phaseDestroying = "DestroyingDependents"
	phaseFollowing  = "Following"
)

// effectDestroyed is the effect on a dependent that was destroyed for the replacement. Others are actions of plans.
const effectDestroyed = "Destroyed"

// replacementOf returns the replacement that the status of a resource has; nil if there is none.
func replacementOf(u *unstructured.Unstructured) *managed.Replacement {
	if u == nil {
		return nil
	}
	raw, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "replacement")
	fields, _ := raw.(map[string]any)
	id, _ := fields["id"].(string)
	phase, _ := fields["phase"].(string)
	if phase == "" {
		return nil
	}
	return &managed.Replacement{ID: id, Phase: phase}
}

// holds reports whether dependents wait.
func holds(p *managed.Replacement) bool {
	return p != nil && (p.Phase == phaseStarted || p.Phase == phaseDestroying)
}

// answersOf returns the answers of a dependent.
func answersOf(u *unstructured.Unstructured) []managed.AwaitedReplacement {
	raw, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "awaitedReplacements")
	list, _ := raw.([]any)
	out := make([]managed.AwaitedReplacement, 0, len(list))
	for _, x := range list {
		fields, _ := x.(map[string]any)
		var a managed.AwaitedReplacement
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &a); err == nil {
			out = append(out, a)
		}
	}
	return out
}

// answerTo returns the answer of a dependent to the replacement of the object of a resource.
func answerTo(u *unstructured.Unstructured, to types.UID) (managed.AwaitedReplacement, bool) {
	for _, a := range answersOf(u) {
		if a.UID == string(to) {
			return a, true
		}
	}
	return managed.AwaitedReplacement{}, false
}

func (r *CustomResource) setReplacement(p managed.Replacement) {
	r.set(map[string]any{"id": p.ID, "phase": p.Phase}, "status", "replacement")
}

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
		return e.begin(ctx, r, stored, e.replacementID(r, o.Plan), o.Plan.Action)
	}
}

// startAtOnce makes dependents wait for the new object of one that is gone already.
func (e *external) startAtOnce(ctx context.Context, r *CustomResource, stored *managed.Replacement, id string) error {
	if by, err := e.kind.referrers(ctx, r); err != nil || len(by) == 0 || holds(stored) {
		return awaitingDependents(err)
	}
	r.setReplacement(managed.Replacement{ID: id, Phase: phaseStarted})
	return whenTold("the object is created again as soon as the status tells so")
}

// follow makes dependents follow the new object before the old one is destroyed.
func (e *external) follow(ctx context.Context, r *CustomResource, stored *managed.Replacement) error {
	if stored == nil {
		return nil
	}
	by, err := e.kind.referrers(ctx, r)
	if err != nil {
		return awaitingDependents(err)
	}
	if stored.Phase != phaseFollowing && len(by) > 0 {
		r.setReplacement(managed.Replacement{ID: stored.ID, Phase: phaseFollowing})
		return whenTold("the old object is destroyed as soon as the resources that refer to it follow the new one")
	}
	var waiting []string
	for _, d := range e.kind.dependentsOf(ctx, r, by) {
		if a, answered := answerTo(d.resource, r.GetUID()); answered && !a.Follows {
			waiting = append(waiting, d.name)
		}
	}
	if len(waiting) > 0 {
		return awaitingDependents(fmt.Errorf("the old object is destroyed as soon as these follow the new one: %s", listed(waiting)))
	}
	return nil
}

// replacementID identifies a replacement by what it is for, and not by its values: plans of some providers differ with each look.
func (e *external) replacementID(r *CustomResource, p *terraform.Plan) string {
	h := sha256.New()
	fmt.Fprintln(h, r.GetGeneration(), p.Action, p.Reason, translate.FieldPaths(e.kind.Model, p.RequiresReplace))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// begin returns nil when the replacement may begin.
func (e *external) begin(ctx context.Context, r *CustomResource, stored *managed.Replacement, id string, action terraform.Action) error {
	by, err := e.kind.referrers(ctx, r)
	if err != nil || len(by) == 0 {
		return awaitingDependents(err)
	}
	next := managed.Replacement{ID: id, Phase: phasePlanned}
	if stored == nil || stored.ID != id || stored.Phase == phaseFollowing {
		r.setReplacement(next)
		return awaitingDependents(errors.New("the object is replaced as soon as the resources that refer to it are ready for it"))
	}
	v := e.kind.judge(stored, r, e.kind.dependentsOf(ctx, r, by))
	switch {
	case len(v.refused) > 0:
		r.setReplacement(next) // they go on meanwhile
		return awaitingDependents(fmt.Errorf("the object is not replaced because of what refers to it: %s", strings.Join(bounded(v.refused), "; ")))
	case len(v.waiting) > 0:
		return awaitingDependents(fmt.Errorf("the object is replaced as soon as these are ready for it: %s", listed(v.waiting)))
	case stored.Phase == phasePlanned:
		next.Phase = phaseStarted
	case stored.Phase == phaseStarted && v.replaced && action != terraform.CreateThenDelete:
		next.Phase = phaseDestroying
	default:
		return nil
	}
	r.setReplacement(next)
	return awaitingDependents(errors.New("the object is replaced as soon as the resources that refer to it wait for it"))
}

// verdict is what the answers of dependents come to.
type verdict struct {
	waiting, refused []string
	// replaced is set when a dependent must be replaced, too.
	replaced bool
}

// judge reads the answers of dependents in a phase.
func (k *Kind) judge(p *managed.Replacement, r *CustomResource, all []dependent) (v verdict) {
	for _, d := range all {
		a, _ := answerTo(d.resource, r.GetUID())
		switch {
		case d.resource.GetDeletionTimestamp() != nil:
			v.waiting = append(v.waiting, d.name+" (is being deleted)")
		case paused(&CustomResource{Unstructured: *d.resource}):
			v.refused = append(v.refused, d.name+" is paused")
		case a.ID != p.ID || a.Generation != d.resource.GetGeneration() && !a.Waits:
			v.waiting = append(v.waiting, d.name+" (has not answered yet)")
		case a.Refused != "":
			v.refused = append(v.refused, d.name+": "+a.Refused)
		case isReplace(a.Effect) && !k.replacesDependents(&r.Unstructured):
			v.refused = append(v.refused, d.name+" would be replaced, too, which spec.lifecycle.replaceDependents does not allow")
		case isReplace(a.Effect) && d.resource.GetNamespace() != r.GetNamespace() && !d.kind.replacesDependents(d.resource):
			v.refused = append(v.refused, d.name+" would be replaced, too, which its own spec.lifecycle.replaceDependents does not allow")
		case holds(p) && !a.Waits:
			v.waiting = append(v.waiting, d.name)
		case p.Phase == phaseDestroying && isReplace(a.Effect):
			v.waiting = append(v.waiting, d.name+" (is destroyed before)")
		}
		v.replaced = v.replaced || isReplace(a.Effect)
	}
	return v
}

func isReplace(effect string) bool { return terraform.Action(effect).IsReplace() }

// replacesDependents reports whether a resource of the kind consents to the replacement of its dependents.
func (k *Kind) replacesDependents(u *unstructured.Unstructured) bool {
	policy, _, _ := unstructured.NestedString(u.Object, "spec", "lifecycle", "replaceDependents")
	if policy == "" {
		return k.ReplacesDependents != nil && k.ReplacesDependents()
	}
	return policy == crd.DependentsAutomatic
}

// dependent is a resource that refers to another one, with the name by which messages of that one call it.
type dependent struct {
	kind     *Kind
	resource *unstructured.Unstructured
	name     string
}

// dependentsOf returns the resources of keys as the cache has them.
func (k *Kind) dependentsOf(ctx context.Context, r *CustomResource, keys []store.Key) []dependent {
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
		out = append(out, dependent{of, u, nameOf(by, r.GetNamespace())})
	}
	return out
}

// nameOf returns how messages of a resource call another one: names are for those who may read them.
func nameOf(by store.Key, namespace string) string {
	if by.Namespace != namespace {
		return fmt.Sprintf("a %s in namespace %s", by.Kind, by.Namespace)
	}
	return fmt.Sprintf("%s %s", by.Kind, cache.ObjectName{Namespace: by.Namespace, Name: by.Name})
}

// maxNamed bounds the resources that a message names.
const maxNamed = 8

// bounded returns the first names, and how many more there are.
func bounded(names []string) []string {
	if more := len(names) - maxNamed; more > 0 {
		return append(names[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	return names
}

func listed(names []string) string { return strings.Join(bounded(names), ", ") }

// awaitingDependents returns the error of a step that has to wait; nil for nil.
func awaitingDependents(err error) error {
	if err == nil {
		return nil
	}
	return &scheduler.Error{Reason: scheduler.ReasonAwaitingDependents, Err: err}
}

// whenTold returns the error of a step that waits for no more than that the status is written.
func whenTold(message string) error {
	return &scheduler.Error{Reason: scheduler.ReasonAwaitingDependents, Err: errors.New(message), LookAt: time.Now()}
}

// keepReplacement keeps status.replacement in a new status until the replacement is over.
func keepReplacement(r *CustomResource, o *scheduler.Observation, status map[string]any) {
	p := replacementOf(&r.Unstructured)
	if p == nil || r.GetDeletionTimestamp() != nil || o.Held {
		return
	}
	over := o.Operation == nil && o.Exists() && len(o.Instance.Deposed) == 0 && o.Plan != nil && !o.Plan.Action.IsReplace()
	if !over {
		status["replacement"] = map[string]any{"id": p.ID, "phase": p.Phase}
	}
}

// abandonReplacement ends a replacement that was not begun and is refused for another reason than its dependents.
func abandonReplacement(r *CustomResource, err error) {
	if o := r.observation; reasonOf(err) != scheduler.ReasonAwaitingDependents && o != nil && o.Exists() && len(o.Instance.Deposed) == 0 {
		unstructured.RemoveNestedField(r.Object, "status", "replacement")
	}
}

// wakeDependents queues the resources that take part in a replacement when one of them has changed.
func (k *Kind) wakeDependents(u *unstructured.Unstructured) {
	if replacementOf(u) != nil {
		k.wake(k.Neighbours.References().Referrers(k.key(u)))
	}
	for _, a := range answersOf(u) {
		k.Neighbours.Wake(store.Key{Group: a.Group, Kind: a.Kind, Namespace: a.Namespace, Name: a.Name})
	}
}

// target returns a resource that another one refers to, as the given reader has it; nil if there is none.
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
