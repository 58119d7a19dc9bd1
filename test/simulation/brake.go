package simulation

import (
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	lbterraform "github.com/landbridge-io/landbridge/internal/terraform"
)

// In schedules with the brake, users delete all resources of a namespace, or of both, at once now
// and then, and an administrator releases the brake. From the outside, no process destroys the
// objects of more resources of a namespace in an account within a minute than the limit, nor of all
// namespaces one and a half times as many, unless that was released, and none destroys what an
// earlier one has held. Pairs have no limit: what is destroyed of them is planned by another
// program.
//
// With replicas, resources have several accounts. Each process counts for itself: an account has
// one, unless it is divided by kind. What is reserved in an account counts in that one, so
// resources whose accounts have changed just before are left out.

// Unbraked is the kind of a destroy that the brake should have held.
const Unbraked ViolationKind = "unbraked"

// mostDestroys is the limit, and mostDestroysOfAll that of all namespaces together.
const (
	mostDestroys      = 2
	mostDestroysOfAll = mostDestroys + mostDestroys/2
)

// braking returns what worlds with the brake share: resources in two namespaces.
func braking() *shared {
	out := *common()
	out.keys = slices.Clone(out.keys)
	for i := range out.keys {
		if i%2 == 1 {
			out.keys[i].Namespace = "crew"
		}
	}
	return &out
}

// brakeProvider is the provider of all resources.
const brakeProvider = "sim"

// limitOf returns how much of a resource type may be destroyed; nil for no limit.
func (w *world) limitOf(resourceType string) func() brake.Limit {
	if !w.choices.brake || resourceType == pair {
		return nil
	}
	return func() brake.Limit { return brake.Limit{Destroys: mostDestroys} }
}

// deleteAll deletes all resources of some namespaces.
func (u *users) deleteAll(namespaces ...string) {
	u.w.note("user deletes everything of %v", namespaces)
	for _, k := range u.w.keys {
		if r := u.resource(k); slices.Contains(namespaces, k.Namespace) && r != nil && r.GetDeletionTimestamp() == nil {
			u.delete(k, u.current[k])
		}
	}
}

// releaseBrake lets everything be destroyed that waits.
func (u *users) releaseBrake() {
	u.w.note("an administrator releases the brake")
	u.released = u.w.now()
	u.w.api.log = append(u.w.api.log, watchEvent{released: u.released})
}

// destroying is a destroy that a process has begun.
type destroying struct {
	tag, account, namespace string
	at                      time.Time
}

// recently is longer than a destroy waits from its reservation until it begins, and counts.
const recently = 2*brake.Window + operationTimeout

// countsFor returns the account that counts the destroys of a resource, and since when it does.
func (u *users) countsFor(i *incarnation) (name string, since time.Time) {
	name, since = i.configuration, u.declared[i.configuration]
	if i.referred.After(since) {
		since = i.referred
	}
	if declared := u.configurations[name].Declared; declared != "" {
		return "account " + declared, since
	}
	return name, since
}

// begins is called when a process begins to carry out a plan.
func (c *check) begins(p *process, plan lbterraform.Plan) {
	if !c.w.choices.brake || plan.Action != lbterraform.Delete || plan.Resource.Schema.Type == pair {
		return
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	tag := tagIn(plan.Prior)
	now := c.w.now()
	i := c.w.users.byTag[tag]
	if i == nil {
		return
	}
	u := c.w.api.resources[i.key]
	if u != nil && u.GetUID() != types.UID("uid-"+tag) {
		u = nil
	}
	if u == nil || u.GetDeletionTimestamp() != nil && !u.GetDeletionTimestamp().After(c.w.users.released) {
		return // it was released
	}
	account, since := c.w.users.countsFor(i)
	c.staysHeld(p, i, u, since)
	if now.Sub(since) < recently {
		return
	}
	c.destroying[p] = append(c.destroying[p], destroying{tag, account, i.key.Namespace, now})
	// What was released does not count, and begins after it.
	if now.Sub(c.w.users.released) < recently {
		return
	}
	within, all := map[string]bool{}, map[string]bool{}
	for _, d := range c.destroying[p] {
		if d.account == account && now.Sub(d.at) < brake.Window {
			if all[d.tag] = true; d.namespace == i.key.Namespace {
				within[d.tag] = true
			}
		}
	}
	if len(within) > mostDestroys || len(all) > mostDestroysOfAll {
		c.violated(Unbraked, p.name+tag, "%s destroys the objects of %d resources of %s within a minute, %d of them "+
			"of one namespace", p, len(all), account, len(within))
	}
}

// staysHeld checks, when a process destroys the object of a resource, that no process has held that
// since the resource was deleted, in an account that counts for it since a time.
func (c *check) staysHeld(p *process, i *incarnation, u *unstructured.Unstructured, counts time.Time) {
	deleted := u.GetDeletionTimestamp()
	if i.kept || !i.deleted || deleted == nil {
		return
	}
	reason, since := heldSince(u)
	if reason != string(v1alpha1.ReasonDestroyBrake) {
		return
	}
	for _, before := range []time.Time{deleted.Time, counts, c.w.users.released} {
		if !before.Before(since) {
			return
		}
	}
	c.violated(Unbraked, p.name+i.tag, "%s destroys the object of %s, which was held", p, i.key.Name)
}

// tagIn returns the tag of an object.
func tagIn(in instance.Instance) string {
	if in.State == cty.NilVal || in.State.IsNull() || !in.State.Type().HasAttribute("tag") {
		return ""
	}
	v := in.State.GetAttr("tag")
	if v.IsNull() || !v.IsKnown() {
		return ""
	}
	return v.AsString()
}

// heldSince returns the reason of the condition Synced, and since when it is so.
func heldSince(u *unstructured.Unstructured) (reason string, since time.Time) {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, x := range list {
		if c, _ := x.(map[string]any); c["type"] == "Synced" {
			reason, _ = c["reason"].(string)
			at, _ := c["lastTransitionTime"].(string)
			since, _ = time.Parse(time.RFC3339, at)
		}
	}
	return reason, since
}
