package module

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Recover implements terraform.Journaled. Answers are added to the state from before the operation.
// The object of a create without an answer is looked up by its planned identity. As with other
// resources, an object that is found belongs to the create only if it did not exist before; it is
// tainted then. An object that is not found may appear until the operation's deadline.
func (e *Executor) Recover(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, op *instance.Operation,
	confirmed bool, now time.Time,
) (instance.Instance, diagnostic.Diagnostics) {
	j, err := readJournal(op.Journal)
	if err != nil {
		return in, diagnostic.Errorf("Module cannot be recovered", "%s.", err)
	}
	if len(j.Changes) == 0 {
		return in, nil
	}
	// All of them are reported, since a confirmation applies to all.
	var unknown diagnostic.Diagnostics
	for _, c := range j.unknown() {
		unknown = append(unknown, e.settle(ctx, c, op, confirmed, now)...)
	}
	if unknown.HasErrors() {
		return in, unknown
	}
	mem, err := recall(in)
	if err != nil {
		return in, diagnostic.Errorf("Module cannot be recovered", "%s.", err)
	}
	before, err := mem.state()
	if err == nil {
		before, err = j.replay(before, e.resourceType(ctx), e.version())
	}
	if err != nil {
		return in, diagnostic.Errorf("Module cannot be recovered", "%s.", err)
	}
	if !in.Exists() && managed(before) == 0 {
		return instance.Instance{}, nil
	}
	after, err := e.module.remember(e.module.remembered(memory{Variables: j.Variables}), before)
	if err != nil {
		return in, diagnostic.Errorf("Module cannot be recovered", "%s.", err)
	}
	_, known := j.begun()
	after = after.withObjects(terraform.Objects(slices.Concat(mem.objects(), known)))
	after.recent = recent{
		Appearing: j.appearing(mem.Appearing, e.resourceType(ctx), now, now.Add(op.Deadline.Sub(op.StartedAt))),
		Created:   j.created(mem.Created, e.resourceType(ctx), now, e.grace), Updated: mem.Updated,
		Destroyed: mem.Destroyed.after(j, now, e.grace),
	}
	out, err := e.module.instance(after, in.SensitivePaths)
	if err != nil {
		return in, diagnostic.Errorf("Module cannot be recovered", "%s.", err)
	}
	out.Incomplete = true // a plan without changes shows that nothing is left
	return out, nil
}

// settle finds the outcome of a create. A confirmation is not about an object that can be found:
// the message that demanded it did not name that create.
func (e *Executor) settle(ctx context.Context, c *change, op *instance.Operation, confirmed bool, now time.Time) diagnostic.Diagnostics {
	none := func() diagnostic.Diagnostics { c.Answered, c.State = true, null; return nil }
	address := strings.TrimPrefix(c.Resource.Address, callAddress)
	unknown := terraform.OutcomeUnknownError(c.Resource.Type)
	unknown[0].Summary += " of " + address
	unknown[0].Detail = "A create (operation " + op.ID + ") was interrupted, and it is unknown whether " + address + " was created. " +
		"Look for the object. If it exists, delete it, because nothing refers to it. Then set the annotation " +
		"landbridge.io/confirm-create to \"" + op.ID + "\"."
	r := e.resourceType(ctx)(c.Source, c.Resource.Type)
	var target *terraform.ImportTarget
	server := e.serverOf(c)
	if r != nil && server != nil {
		target = c.identity(r)
	}
	switch {
	case confirmed && (target == nil || !c.Absent):
		return none()
	case target == nil:
		return unknown
	}
	found, diags := engine.New(server).Import(ctx, terraform.ResourceType{Schema: r}, *target)
	until := op.Deadline.Add(max(0, e.grace))
	switch {
	case terraform.NonExistent(diags) && (confirmed || !now.Before(until)):
		return none()
	case terraform.NonExistent(diags):
		unknown[0].Detail = "A create (operation " + op.ID + ") was interrupted; " + address +
			" does not exist, but may still appear until " + until.UTC().Format(time.RFC3339) + ". " +
			"If you know that it will not, set the annotation landbridge.io/confirm-create to \"" + op.ID + "\"."
		return unknown
	case diags.HasErrors():
		return append(unknown, diags.Errors()...)
	case !c.Absent:
		unknown[0].Detail += " There is an object of its identity, but it may have existed before."
		return unknown
	}
	state, err := wire.Marshal(found.State, r.ImpliedType())
	if err == nil && r.Identity != nil && found.HasIdentity() {
		c.Identity, err = wire.Marshal(found.Identity, r.IdentityType())
	}
	if err != nil {
		return unknown
	}
	c.Answered, c.Tainted, c.State, c.Private, c.SchemaVersion, c.IdentityVersion = true, true, state, found.Private,
		found.SchemaVersion, found.IdentityVersion
	return nil
}

// serverOf returns the server that a change was requested of; nil if there is no such configuration
// any more, or if a provider block had settings, which only the program knows. Another one could
// not tell whether the object exists.
func (e *Executor) serverOf(c *change) provider.Server {
	switch {
	case c.Settings:
		return nil
	case c.Configuration != "":
		return e.servers[c.Configuration]
	default:
		return e.servers[c.Source]
	}
}

// identity returns the identity by which the object of a create can be imported; nil if it is not
// known beforehand. Providers that do not plan identities name identity attributes after those of
// the resource.
func (c *change) identity(r *schema.Resource) *terraform.ImportTarget {
	if r.Identity == nil || len(r.Identity.Required()) == 0 {
		return nil
	}
	known := func(b []byte, t cty.Type, name string, want cty.Type) cty.Value {
		object, err := wire.Unmarshal(b, t)
		if len(b) == 0 || err != nil || object.IsNull() || !object.IsKnown() || !object.Type().HasAttribute(name) {
			return cty.NilVal
		}
		if v := object.GetAttr(name); v.IsWhollyKnown() && !v.IsNull() && v.Type().Equals(want) {
			return v
		}
		return cty.NilVal
	}
	out := map[string]cty.Value{}
	for name, a := range r.Identity.Attributes {
		v := known(c.PlannedIdentity, r.IdentityType(), name, a.Type)
		if v == cty.NilVal {
			v = known(c.Planned, r.ImpliedType(), name, a.Type)
		}
		switch {
		case v != cty.NilVal:
			out[name] = v
		case a.RequiredForImport:
			return nil
		default:
			out[name] = cty.NullVal(a.Type)
		}
	}
	return &terraform.ImportTarget{Identity: cty.ObjectVal(out)}
}
