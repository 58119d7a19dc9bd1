package scheduler

import (
	"context"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Without a handle, the object of an interrupted create may be found by listing the objects of its
// type, if the configuration permits it: what existed right before the create is stored in the
// intent. Afterwards, the object is the create's if it is the only new one that no resource has,
// and has the planned arguments.
//
// An object may be new because another resource creates it. As long as that is not claimed, its
// create claims the creating key of the type. So nothing is concluded unless that claim is this
// resource's alone, which is checked after the objects were listed: by then, the objects that were
// listed are claimed, or their creates still are.

// listing is how the objects are listed among which a planned one is.
func (r *Request) listing(ex terraform.Executor) journal.Listing {
	return journal.Listing{Executor: ex, Type: r.Type, Arguments: r.ListArguments}
}

// byList looks for the object of an interrupted create among those that are new since. done
// is false if the outcome stays unknown, and err is nil then.
func (x *recovery) byList(ctx context.Context) (done bool, err error) {
	e, r, op := x.e, x.r, x.op
	if r.ListArguments == nil || op.Listed == nil {
		return false, nil
	}
	unknown := func(format string, args ...any) (bool, error) {
		x.unknown = append(x.unknown, diagnostic.Errorf("Object not listed", format, args...)...)
		return false, nil
	}
	if op.Listed.Missing != "" {
		return unknown("The objects that existed before the create are not known: %s.", op.Listed.Missing)
	}
	if err := r.allClaimed(); err != nil {
		return true, err
	}
	objects, why := r.listing(x.ex).List(ctx, op.PlannedState)
	if why != "" {
		return unknown("The objects that exist now are not known: %s.", why)
	}
	if !r.claiming().Free(e.claimant, ownership.Creating) {
		return unknown("Objects that are new since are not considered while another resource creates one of the same type.")
	}
	var found []cty.Value
	for _, identity := range journal.Since(op.Listed, objects) {
		if e.free(r, instance.Instance{Identity: identity}) {
			found = append(found, identity)
		}
	}
	switch len(found) {
	case 0:
		return unknown("The objects were listed at %s, and none is new since the create began that no "+
			"resource manages.", x.o.Clock.Now().UTC().Format(time.RFC3339))
	case 1:
	default:
		names := make([]string, 0, len(found))
		for _, identity := range found[:min(len(found), 5)] {
			names = append(names, translate.CanonicalIdentity(identity))
		}
		return unknown("%d objects are new since the create began, and no resource manages them: %s.", len(found), strings.Join(names, "; "))
	}
	target := terraform.ImportTarget{Identity: found[0]}
	out, diags := x.ex.Import(ctx, r.Type, target)
	switch {
	case diags.HasErrors():
		x.unknown = append(x.unknown, diags.Errors()...)
		return unknown("One object is new since the create began, but it cannot be read: %s.", translate.CanonicalIdentity(found[0]))
	case !e.free(r, out) || e.record.Instance.IsDeposed(out):
		return unknown("One object is new since the create began, and another resource manages it: %s.", translate.CanonicalIdentity(found[0]))
	case !journal.Resembles(r.Type.Schema, op.PlannedState, out.State):
		x.unknown = append(x.unknown, foundAfterCreate(r, target)...)
		return unknown("One object is new since the create began, but it does not have the planned arguments: %s.",
			translate.CanonicalIdentity(found[0]))
	}
	out.Status = instance.Tainted // it may be incomplete
	return true, x.adopt(ctx, out)
}

// free reports whether no other resource claims an object.
func (e *entry) free(r Request, in instance.Instance) bool {
	return r.claiming().Free(e.claimant, ownership.IdentityKey(r.Type.Schema, in))
}
