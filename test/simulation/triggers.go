package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/trigger"
	"github.com/landbridge-io/landbridge/test/simulation/internal/apiserver"
)

// In schedules with triggers, resources have actions invoked before and after changes of their
// objects. What carries actions out is part of the world: an action ends by chance, well or not, or
// with an unknown outcome. From the outside, each change is preceded and followed by its actions,
// each of them once.

// Untriggered is the kind of a change of an object without the actions that belong to it.
const Untriggered ViolationKind = "untriggered"

// snapshot is the kind of the actions.
var snapshot = schema.GroupVersionKind{Group: "action.sim.landbridge.io", Version: "v1alpha1", Kind: "Snapshot"}

const snapshots = "snapshots.action.sim.landbridge.io"

// actions are the objects of actions, and what was seen of them.
type actions struct {
	w *world
	// objects are those that exist, by name. The name of none is that of another one.
	objects map[string]*unstructured.Unstructured
	// ended are the phases in which they ended, also of those that are gone.
	ended map[string]invocation.Phase
	// changed are the rounds in which the cloud was asked for a change, and recorded are those that
	// were written with an action, by its name.
	changed  map[string]bool
	recorded map[string]recorded
}

// recorded is an action of a round.
type recorded struct {
	round string
	event trigger.Event
}

// chooseTriggers has actions invoked by a new resource.
func (u *users) chooseTriggers(i *incarnation, spec map[string]any) {
	if !u.w.choices.triggers || u.isPair(i.key) {
		return
	}
	i.onFailure = pick(u.w.choices, trigger.Halt, trigger.Halt, trigger.Continue)
	var events []any
	for _, e := range crd.TriggerEvents {
		events = append(events, e)
	}
	all := []any{map[string]any{"name": "first", "action": snapshots, "events": events, "onFailure": string(i.onFailure)}}
	if u.w.choices.one(3) {
		all = append(all, map[string]any{"name": "second", "action": snapshots,
			"events": []any{"AfterCreate", "AfterUpdate"}, "onFailure": string(trigger.Taint)})
		i.tainted = true // the controller may taint it
	}
	spec["actions"] = all
}

// repeat deletes the actions of a resource that have not succeeded, so that they are invoked again.
func (u *users) repeat(k store.Key) {
	a := u.w.actions
	for _, name := range slices.Sorted(maps.Keys(a.objects)) {
		if of, _ := managed.TriggeredBy(a.objects[name]); of == k && a.ended[name] != "" && a.ended[name] != invocation.Succeeded {
			u.w.note("user deletes the action %s, which is %s", name, a.ended[name])
			delete(a.objects, name)
			a.wake(k)
		}
	}
}

// helpWithActions does what the conditions of a resource ask for whose action has failed.
func (u *users) helpWithActions(k store.Key, r *unstructured.Unstructured) {
	ready, _ := condition(r, "Ready")
	synced, _ := condition(r, "Synced")
	if reason := string(v1alpha1.ReasonActionFailed); ready == reason || synced == reason || ready == "False" {
		u.repeat(k)
	}
}

// moves are what may happen to actions.
func (a *actions) moves() (out []func()) {
	for _, name := range slices.Sorted(maps.Keys(a.objects)) {
		if a.ended[name] == "" {
			out = append(out, func() { a.advance(name) })
		}
	}
	return out
}

// advance goes on with an action.
func (a *actions) advance(name string) {
	u := a.objects[name].DeepCopy()
	phase := invocation.Succeeded
	if c := a.w.choices; !a.w.calm {
		phase = pick(c, invocation.Succeeded, invocation.Succeeded, invocation.Running, invocation.AwaitingApproval,
			invocation.Failed, invocation.Unknown)
	}
	u.Object["status"] = map[string]any{"phase": string(phase)}
	u.SetResourceVersion(a.w.api.nextVersion())
	a.objects[name] = u
	a.w.note("the action %s is %s", name, phase)
	if phase.Final() {
		a.ended[name] = phase
	}
	if of, ok := managed.TriggeredBy(u); ok && !a.w.choices.one(4) {
		a.wake(of)
	}
}

// wake has controllers look at a resource.
func (a *actions) wake(k store.Key) {
	for _, p := range a.w.leaders() {
		p.enqueue(k, 0)
	}
}

// isAction reports whether a kind is that of the action.
func isAction(kind string) bool { return kind == snapshot.Kind }

// RESTMapper implements client.Client.
func (c resourceClient) RESTMapper() meta.RESTMapper {
	out := meta.NewDefaultRESTMapper(nil)
	out.Add(snapshot, meta.RESTScopeNamespace)
	return out
}

// invoke creates an action.
func (c resourceClient) invoke(ctx context.Context, u *unstructured.Unstructured) error {
	return c.p.Call(ctx, "invoke "+u.GetName(), func() error {
		if err := c.p.Fence(); err != nil {
			return err
		}
		a := c.p.w.actions
		if a.objects[u.GetName()] != nil {
			return kerrors.NewAlreadyExists(schema.GroupResource{Resource: "snapshots"}, u.GetName())
		}
		c.p.w.check.invoked(u)
		delete(a.ended, u.GetName())
		made := apiserver.Decoded(u)
		made.SetResourceVersion(c.p.w.api.nextVersion())
		a.objects[u.GetName()] = made
		*u = *made.DeepCopy()
		return nil
	})
}

// update changes the spec of an action.
func (a *actions) update(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	old := a.objects[u.GetName()]
	switch {
	case old == nil:
		return nil, apiserver.NotFound(u.GetName())
	case old.GetResourceVersion() != u.GetResourceVersion():
		return nil, apiserver.Conflict(u.GetName())
	}
	out := old.DeepCopy()
	out.Object["spec"] = u.DeepCopy().Object["spec"]
	out.SetResourceVersion(a.w.api.nextVersion())
	a.objects[u.GetName()] = out
	return out, nil
}

// Delete implements client.Writer, for actions.
func (c resourceClient) Delete(ctx context.Context, o client.Object, _ ...client.DeleteOption) error {
	return c.p.Call(ctx, "delete "+o.GetName(), func() error {
		if err := c.p.Fence(); err != nil {
			return err
		}
		if c.p.w.actions.objects[o.GetName()] == nil {
			return apiserver.NotFound(o.GetName())
		}
		delete(c.p.w.actions.objects, o.GetName())
		return nil
	})
}

// collect removes the actions of a resource that is gone, as Kubernetes does.
func (a *actions) collect(r *unstructured.Unstructured) {
	maps.DeleteFunc(a.objects, func(_ string, u *unstructured.Unstructured) bool {
		return len(u.GetOwnerReferences()) > 0 && u.GetOwnerReferences()[0].UID == r.GetUID()
	})
}

// triggering returns the incarnation of a resource if its actions are to be checked; nil if they
// are not.
func (c *check) triggering(r *unstructured.Unstructured) *incarnation {
	if r == nil {
		return nil
	}
	i := c.w.users.byTag[strings.TrimPrefix(string(r.GetUID()), "uid-")]
	if i == nil || i.onFailure == "" || i.excused() || i.strange {
		return nil
	}
	return i
}

// invoked is called when an action is created. It must be recorded before, and not have succeeded.
func (c *check) invoked(u *unstructured.Unstructured) {
	k, _ := managed.TriggeredBy(u)
	r := c.w.api.resources[k]
	if c.triggering(r) == nil {
		return
	}
	name := u.GetName()
	if c.w.actions.ended[name] == invocation.Succeeded {
		c.violated(InvokedAgain, name, "the action %s has succeeded, and is invoked again", name)
	}
	switch at, ok := c.w.actions.recorded[name]; {
	case !ok:
		c.violated(InvokedAgain, name, "the action %s of %s %s is invoked, and is not recorded: it would be invoked again", name, k.Kind, k.Name)
	case !at.event.Before() && !c.w.actions.changed[at.round]:
		c.violated(Untriggered, name, "the action %s (%s) of %s %s is invoked, and nothing was changed", name, at.event, k.Kind, k.Name)
	}
}

// acts is called when the cloud is asked for a change of an object of a resource: what is to be
// invoked before it has ended.
func (c *check) acts(action instance.OperationKind, tag string) {
	i := c.w.users.byTag[tag]
	if i == nil || c.w.api.resources[i.key] == nil {
		return
	}
	r := c.w.api.resources[i.key]
	round := trigger.RoundOf(r)
	if round != nil { // also of a resource that has the object of an earlier one
		c.w.actions.changed[round.ID] = true
	}
	if c.triggering(r) != i {
		return
	}
	before, changes := trigger.BeforeUpdate, []trigger.Change{trigger.Update}
	switch action {
	case instance.Create:
		before, changes = trigger.BeforeCreate, []trigger.Change{trigger.Create, trigger.Replace}
	case instance.Delete:
		if i.createFirst {
			return // what was replaced is destroyed later
		}
		before, changes = trigger.BeforeDestroy, []trigger.Change{trigger.Destroy, trigger.Replace}
	}
	if round == nil || round.Stage != trigger.Before || !slices.Contains(changes, round.Change) {
		c.violated(Untriggered, tag, "%s of the object of %s %s without its actions: the round is %+v", action, i.key.Kind, i.key.Name, round)
		return
	}
	ended := 0
	for _, x := range round.Invocations {
		if x.Event != before {
			continue
		}
		if phase := c.w.actions.ended[x.Name]; phase != invocation.Succeeded && (phase == "" || i.onFailure != trigger.Continue) {
			c.violated(Untriggered, tag, "%s of the object of %s %s while its action %s is %q", action, i.key.Kind, i.key.Name, x.Name, phase)
		}
		ended++
	}
	if ended == 0 {
		c.violated(Untriggered, tag, "%s of the object of %s %s without an action for %s", action, i.key.Kind, i.key.Name, before)
	}
}

// rounds is called when a resource is written, or is gone.
func (c *check) rounds(old, now *unstructured.Unstructured) {
	if !c.w.choices.triggers {
		return
	}
	if now != nil {
		c.records(trigger.RoundOf(now))
	}
	if c.triggering(old) == nil {
		return
	}
	was := trigger.RoundOf(old)
	if was == nil {
		return
	}
	name := fmt.Sprintf("%s %s", old.GetKind(), old.GetName())
	changed, left := c.w.actions.changed[was.ID], c.left(was, c.triggering(old).onFailure)
	if now == nil {
		if was.Change == trigger.Destroy && changed && left != "" {
			c.violated(Untriggered, was.ID, "%s is gone before its action %s", name, left)
		}
		return
	}
	is := trigger.RoundOf(now)
	switch {
	case is == nil:
		c.violated(Untriggered, was.ID, "the round %s of %s is forgotten", was.ID, name)
	case is.ID != was.ID && was.Stage == trigger.Before && was.Change == is.Change && !changed:
		c.violated(InvokedAgain, was.ID, "%s has another round for the same change (%s), before it was changed", name, is.Change)
	case is.ID != was.ID && was.Stage == trigger.After && is.Change != trigger.Destroy && left != "":
		c.violated(Untriggered, was.ID, "the next change of %s begins before its action %s has ended", name, left)
	case is.ID == was.ID && was.Stage != trigger.Complete && is.Stage == trigger.Complete && !is.Tainted && changed && left != "":
		c.violated(Untriggered, was.ID, "the round of %s is complete, and its action %s was not invoked", name, left)
	}
}

// records notes the actions of a round that is written, which may be nil.
func (c *check) records(round *trigger.Round) {
	if round == nil {
		return
	}
	for _, x := range round.Invocations {
		c.w.actions.recorded[x.Name] = recorded{round.ID, x.Event}
	}
}

// left returns the first action of a round that follows the change, and has not ended; empty if all
// have, or one has failed that keeps the others from being invoked.
func (c *check) left(round *trigger.Round, onFailure trigger.OnFailure) string {
	for _, x := range round.Invocations {
		switch phase := c.w.actions.ended[x.Name]; {
		case x.Event.Before(), phase == invocation.Succeeded, x.Phase == trigger.Skipped:
		case phase == "":
			return x.Name
		case onFailure == trigger.Halt:
			return ""
		}
	}
	return ""
}
