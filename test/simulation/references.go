package simulation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/test/simulation/internal/apiserver"
)

// In schedules with references, five resources depend on each other, and users have their objects
// replaced:
//
//	first ◀── sized     its size is from the id of the first, and is changed in place
//	first ◀── placed    its zone is the id of the first, for which it must be replaced
//	placed ◀── nested   its zone is the id of placed
//	first ◀── configured   its provider configuration reads the connection Secret of the first
//
// From the outside, no object is destroyed while one of those that refer to it is being changed;
// none of these is written with the id of an object that was destroyed; and none is destroyed for
// another one unless the policy of that one allows it, or an approved plan has named it. Nothing is
// changed by a provider configuration while an object is replaced from which it takes values.

// Dependents is the kind of a change of an object in the course of the replacement of one that it
// refers to, which must not be made.
const Dependents ViolationKind = "dependents"

// reference is what a resource gets of the object of another one.
type reference struct {
	of store.Key
	// field is zone or size; empty if the provider configuration takes values from it.
	field string
}

// referring returns what worlds with references share.
func referring() *shared {
	out := *common()
	key := func(resourceType, name string) store.Key {
		r := out.model.Resources[resourceType]
		return store.Key{Group: r.Group, Kind: r.Kind, Namespace: "team", Name: name}
	}
	first, placed := key(identified, "a"), key(listed, "a")
	sized, nested, configured := key(anonymous, "a"), key(anonymous, "b"), key(identified, "b")
	out.keys = []store.Key{first, sized, placed, nested, configured}
	out.references = map[store.Key]reference{
		sized: {first, "size"}, placed: {first, "zone"}, nested: {placed, "zone"}, configured: {of: first},
	}
	return &out
}

// configuredBy is the name of the provider configuration that reads connectionSecret, which is that
// of the first resource.
const configuredBy, connectionSecret = "sim/ClusterProviderConfig//of-first", "tag-1"

// configuration returns the provider configuration with values of the first resource.
func configuration() store.Key {
	part := strings.Split(configuredBy, "/")
	return store.Key{Group: part[0], Kind: part[1], Namespace: part[2], Name: part[3]}
}

// configure tells a process what the provider configurations read.
func configure(g *references.Graph) {
	g.Configures(configuration(), []types.NamespacedName{{Namespace: "team", Name: connectionSecret}})
}

// chooseReference gives a new resource its reference.
func (u *users) chooseReference(i *incarnation, spec map[string]any) {
	if !u.w.choices.references {
		return
	}
	lifecycle := spec["lifecycle"].(map[string]any)
	lifecycle["replaceDependents"] = pick(u.w.choices, crd.DependentsAsk, crd.DependentsAutomatic)
	if i.key == u.w.keys[0] && !u.w.choices.shared() {
		i.unpublished = false
		spec["writeConnectionSecretToRef"] = map[string]any{"name": connectionSecret}
	}
	ref, refers := u.w.references[i.key]
	if !refers {
		return
	}
	i.createFirst = false
	lifecycle["createBeforeDestroy"] = false
	if ref.field == "" {
		if !u.w.choices.shared() { // replicas place the configurations that the world has
			spec["providerConfigRef"] = map[string]any{"kind": "ClusterProviderConfig", "name": configuredBy}
		}
		return
	}
	from := map[string]any{"kind": ref.of.Kind, "name": ref.of.Name, "fieldPath": "status.atProvider.id"}
	if ref.field == "size" {
		from["transform"] = "int(self.split('-')[1])"
	}
	spec["references"] = []any{map[string]any{"to": "forProvider." + ref.field, "from": from, "policy": map[string]any{"resolve": "Always"}}}
	unstructured.RemoveNestedField(spec, "forProvider", ref.field)
	if ref.field == "zone" {
		i.zone = ""
	}
}

// wrote is called when a resource is written: a controller may have set what it gets of another
// one.
func (u *users) wrote(r *unstructured.Unstructured) {
	ref, refers := u.w.references[apiserver.KeyOf(r)]
	i := u.byTag[strings.TrimPrefix(string(r.GetUID()), "uid-")]
	if refers && i != nil && ref.field == "zone" {
		i.zone, _, _ = unstructured.NestedString(r.Object, "spec", "forProvider", "zone")
		i.places[i.zone] = true
	}
}

// operateReferring carries out one operation of a user in a schedule with references.
func (u *users) operateReferring() {
	c := u.w.choices
	for _, k := range u.w.keys {
		if u.resource(k) == nil {
			u.create(k)
			return
		}
	}
	first, k := u.w.keys[0], pick(c, u.w.keys...)
	i := u.current[k]
	switch c.next(15) {
	case 12:
		if u.w.references[k].field != "" && !u.isReferredTo(k) { // a new one comes in the course of a replacement
			u.delete(k, i)
		}
	case 0, 1, 2, 3, 4:
		u.move(first, u.current[first])
	case 5:
		u.taint(first, u.current[first])
	case 6:
		u.taint(k, i)
	case 7:
		u.resize(pick(c, first, u.w.keys[4]))
	case 8:
		u.drift(i)
	case 9:
		u.destroyObject(i)
	case 10:
		u.w.note("user interrupts %s %s", k.Kind, k.Name)
		u.serial++
		u.annotate(k, v1alpha1.AnnotationInterrupt, fmt.Sprint(u.serial))
	case 11:
		u.retry(k, i)
	default:
		u.approve(first, u.current[first])
		u.approve(k, i)
	}
}

// isReferredTo reports whether another resource refers to one.
func (u *users) isReferredTo(k store.Key) bool {
	for _, ref := range u.w.references {
		if ref.of == k {
			return true
		}
	}
	return false
}

// target is the resource that another one refers to; nil if it refers to none.
func (c *check) target(i *incarnation) (*incarnation, reference) {
	ref, refers := c.w.references[i.key]
	if !refers || ref.field == "" && c.w.choices.shared() { // no such configuration is placed
		return nil, ref
	}
	return c.w.users.current[ref.of], ref
}

// replaces is called when a process destroys an object.
func (c *check) replaces(o *object) {
	if !c.w.choices.references {
		return
	}
	i := c.w.users.byTag[o.tag]
	c.destroyedIDs[o.id] = true
	i.replacing = true
	if !i.createFirst {
		for _, k := range c.w.keys {
			j := c.w.users.current[k]
			if j == nil || c.busy[j.tag] == 0 || j.excused() || i.excused() {
				continue
			}
			if t, _ := c.target(j); t == i {
				c.violated(Dependents, o.id+j.tag, "%s is destroyed while an object of %s %s is being changed", o, j.key.Kind, j.key.Name)
			}
		}
	}
	t, ref := c.target(i)
	if t == nil || ref.field != "zone" || i.zone != o.zone || i.deleted || i.tainted || i.drifted || i.excused() ||
		!o.stored || o.tainted || o.coming {
		return
	}
	if !c.consents(t, i) {
		c.violated(Dependents, o.id+"unasked", "%s is destroyed for the object of %s %s, and nothing allows that", o, t.key.Kind, t.key.Name)
	}
}

// consents reports whether the user of a resource allows that another one, which refers to it, is
// replaced with it.
func (c *check) consents(t, i *incarnation) bool {
	policy, _, _ := unstructured.NestedString(c.w.users.resource(t.key).Object, "spec", "lifecycle", "replaceDependents")
	if policy == crd.DependentsAutomatic {
		return true
	}
	for ; t != nil; t, _ = c.target(t) {
		if slices.ContainsFunc(t.approved, func(s seen) bool { return slices.Contains(s.dependents, "uid-"+i.tag) }) {
			return true
		}
	}
	return false
}

// changes is called while an object is changed, with what it is to be; nil if it is destroyed. It
// returns what is called afterwards.
func (c *check) changes(tag string, planned state) (done func()) {
	i := c.w.users.byTag[tag]
	if !c.w.choices.references || i == nil {
		return func() {}
	}
	if _, ref := c.target(i); planned != nil && !i.excused() {
		value := planned.text("zone")
		if ref.field == "size" {
			value = fmt.Sprintf("i-%d", planned.size())
		}
		if ref.field != "" && c.destroyedIDs[value] {
			c.violated(Dependents, value+tag, "%s %s is written with the id %s of an object that was destroyed", i.key.Kind, i.key.Name, value)
		}
	}
	if t, ref := c.target(i); t != nil && ref.field == "" && i.key != t.key && t.replacing && !t.excused() && !i.excused() {
		if slices.ContainsFunc(c.w.cloud.objects, func(x *object) bool { return x.tag == t.tag }) {
			t.replacing = false
		} else {
			c.violated(Dependents, t.tag+tag, "%s %s is changed by a provider configuration while the object of %s "+
				"%s is replaced, from which that takes values", i.key.Kind, i.key.Name, t.key.Kind, t.key.Name)
		}
	}
	c.busy[tag]++
	return func() { c.busy[tag]-- }
}

// follows checks, when all is settled, that an object has the id of the one that its resource
// refers to.
func (c *check) follows(i *incarnation, o *object) {
	t, ref := c.target(i)
	if t == nil || t.excused() || t.imports || ref.field == "" {
		return
	}
	value := o.zone
	if ref.field == "size" {
		value = fmt.Sprintf("i-%d", o.size)
	}
	if !slices.ContainsFunc(c.w.cloud.objects, func(x *object) bool { return x.tag == t.tag && x.zone == t.zone && x.id == value }) {
		c.violated(Stuck, i.tag, "%s has %s, which is not the id of the object of %s %s", o, value, t.key.Kind, t.key.Name)
	}
}
