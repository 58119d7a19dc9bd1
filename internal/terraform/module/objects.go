package module

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Objects of a module are claimed as those of other resources are. Which ones it has is stored with
// its state: not all programs store identities, so they are taken from the providers' answers. What
// a program does not read again, such as an object that was destroyed while it or its controller
// was killed, is claimed until the next refresh. Provider blocks with the same settings for the
// same configuration are one account; which others it may be is not known.

// objects are the remote objects that an operation of the program has met.
type objects struct {
	mu sync.Mutex
	// seen are those that exist, by the sum of their state.
	seen map[string]terraform.Object
	// read is set when objects were read, so that seen is complete.
	read bool
	// created are those that the plan creates, imported those that it imports, as far as they are
	// known.
	created, imported []terraform.Object
	// imports are the resource types of which objects are imported.
	imports map[string]bool
}

func newObjects() *objects {
	return &objects{seen: map[string]terraform.Object{}, imports: map[string]bool{}}
}

// object returns the object with a state and an identity, both msgpack; ok is false if nothing
// identifies it.
func (s *attached) object(at configuredServer, r *schema.Resource, state, identity []byte) (out terraform.Object, ok bool) {
	in := s.objectIn(at, r)
	if in == nil {
		return out, false
	}
	out = *in
	if v, err := wire.Unmarshal(state, r.ImpliedType()); err == nil {
		out.Made = terraform.MadeOf(r, v)
	}
	if r.Identity == nil {
		out.ID = idOf(r, state)
		return out, out.ID != ""
	}
	v, err := wire.Unmarshal(identity, r.IdentityType())
	if len(identity) == 0 || err != nil || v.IsNull() || !v.IsWhollyKnown() {
		target := (&change{Planned: state, PlannedIdentity: identity}).identity(r)
		if target == nil {
			return out, false
		}
		v = target.Identity
	}
	out.Identity, out.IdentityVersion = string(instance.Instance{Identity: v}.IdentityJSON()), r.Identity.Version
	return out, out.Identity != ""
}

// objectIn returns an object that nothing identifies yet; nil without a resource type.
func (s *attached) objectIn(at configuredServer, r *schema.Resource) *terraform.Object {
	if r == nil {
		return nil
	}
	return &terraform.Object{Configuration: cmp.Or(at.name, s.source), Settings: at.settings, Type: r.Type}
}

// objectOf is object; nil if nothing identifies it.
func (s *attached) objectOf(at configuredServer, r *schema.Resource, state, identity []byte) *terraform.Object {
	if out, ok := s.object(at, r, state, identity); ok {
		return &out
	}
	return nil
}

// existing returns an object that the operation has met, by its state; nil if nothing identifies
// it.
func (s *attached) existing(at configuredServer, r *schema.Resource, state []byte) *terraform.Object {
	if r == nil {
		return nil
	}
	s.objects.mu.Lock()
	seen, ok := s.objects.seen[sum(r, state, nil)]
	s.objects.mu.Unlock()
	if ok {
		return &seen
	}
	return s.objectOf(at, r, state, nil)
}

// found returns an object that was looked up; nil if nothing identifies it.
func (s *attached) found(at configuredServer, r *schema.Resource, in instance.Instance) *terraform.Object {
	w := instance.WireOf(in, r)
	if w == nil {
		return nil
	}
	return s.objectOf(at, r, w.State, w.Identity)
}

// idOf returns the id of an object; empty if it has none.
func idOf(r *schema.Resource, state []byte) string {
	if a := r.Block.Attributes["id"]; a == nil {
		return ""
	}
	v, err := wire.Unmarshal(state, r.ImpliedType())
	if err != nil || v.IsNull() || !v.IsKnown() {
		return ""
	}
	if id := v.GetAttr("id"); id.Type() == cty.String && id.IsKnown() && !id.IsNull() {
		return id.AsString()
	}
	return ""
}

// sees records that an object exists.
func (s *attached) sees(ctx context.Context, resourceType string, before, state, identity []byte) {
	r := s.schema.Resources[resourceType]
	if r == nil {
		return
	}
	found, ok := terraform.Object{}, false
	if !wire.IsNull(state) {
		found, ok = s.object(s.connection(ctx), r, state, identity)
	}
	o := s.objects
	o.mu.Lock()
	defer o.mu.Unlock()
	o.read = o.read || before == nil
	if len(before) > 0 && !wire.IsNull(before) {
		delete(o.seen, sum(r, before, nil))
	}
	if ok {
		o.seen[sum(r, state, nil)] = found
	}
}

// creates records that an object is planned to be created.
func (s *attached) creates(ctx context.Context, q *tfprotov6.PlanResourceChangeRequest, answer *tfprotov6.PlanResourceChangeResponse) {
	r := s.schema.Resources[q.TypeName]
	if r == nil || r.Identity == nil || !wire.IsNull(packed(q.PriorState)) || wire.IsNull(packed(answer.PlannedState)) {
		return
	}
	if found, ok := s.object(s.connection(ctx), r, packed(answer.PlannedState), identified(answer.PlannedIdentity)); ok {
		s.objects.mu.Lock()
		defer s.objects.mu.Unlock()
		s.objects.created = append(s.objects.created, found)
	}
}

// takes records that objects are imported.
func (s *attached) takes(ctx context.Context, q *tfprotov6.ImportResourceStateRequest, answer *tfprotov6.ImportResourceStateResponse) {
	at := s.connection(ctx)
	var found []terraform.Object
	if r := s.schema.Resources[q.TypeName]; r != nil && r.Identity == nil && q.ID != "" {
		if o := s.objectIn(at, r); o != nil {
			o.ID = q.ID
			found = append(found, *o)
		}
	}
	for _, i := range answer.ImportedResources {
		r := s.schema.Resources[i.TypeName]
		if r == nil || r.Identity == nil {
			continue
		}
		if o, ok := s.object(at, r, packed(i.State), identified(i.Identity)); ok {
			found = append(found, o)
		}
	}
	s.objects.mu.Lock()
	defer s.objects.mu.Unlock()
	s.objects.imports[q.TypeName] = true
	s.objects.imported = append(s.objects.imported, found...)
}

// existing returns the objects that exist after the operation, which had others before it. An
// operation that was not completed may have left a state with objects that it has destroyed. They
// are claimed until they are read: what another resource creates in their place would be taken for
// them.
func (o *objects) existing(before []terraform.Object, completed bool) []terraform.Object {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := slices.Collect(maps.Values(o.seen))
	if !o.read || !completed {
		out = append(out, before...)
	}
	return terraform.Objects(out)
}

// planned returns the objects that the plan creates and imports. The identity of an imported one
// may be known only when it was read: one of the module's own does no harm.
func (o *objects) planned() (created, imported []terraform.Object) {
	o.mu.Lock()
	defer o.mu.Unlock()
	imported = o.imported
	for _, seen := range o.seen {
		if o.imports[seen.Type] && seen.Identity != "" {
			imported = append(imported, seen)
		}
	}
	return terraform.Objects(o.created), terraform.Objects(imported)
}

// objects returns the objects that are stored in a memory.
func (m memory) objects() []terraform.Object {
	if len(m.Objects) == 0 {
		return nil
	}
	var out []terraform.Object
	b, err := decompress(m.Objects)
	if err != nil || json.Unmarshal(b, &out) != nil {
		return nil // the next refresh stores them again
	}
	return out
}

// withObjects returns a memory with the objects that exist.
func (m memory) withObjects(all []terraform.Object) memory {
	m.Objects = nil
	if len(all) == 0 {
		return m
	}
	b, err := json.Marshal(all)
	if err == nil {
		b, err = compress(b)
	}
	if err != nil {
		panic(err) // texts, in memory
	}
	m.Objects = b
	return m
}

// begun returns the objects of creates in a journal: those without an answer, and the others.
func (j *journal) begun() (unknown, known []terraform.Object) {
	for _, c := range j.Changes {
		switch {
		case c.Object == nil:
		case !c.Answered && c.Kind == instance.Create:
			unknown = append(unknown, *c.Object)
		case c.Answered && len(c.State) > 0 && !wire.IsNull(c.State):
			known = append(known, *c.Object)
		}
	}
	return unknown, known
}

// Consists returns the objects that an instance consists of, and those that an interrupted
// operation may have created.
func Consists(in instance.Instance) (held, begun []terraform.Object) {
	if mem, err := recall(in); err == nil && len(in.Private) > 0 {
		held = mem.objects()
	}
	if in.Operation != nil && len(in.Operation.Journal) > 0 {
		if j, err := readJournal(in.Operation.Journal); err == nil {
			unknown, known := j.begun()
			begun, held = terraform.Objects(unknown), terraform.Objects(slices.Concat(held, known))
		}
	}
	return held, begun
}
