package scheduler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
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

// maxListed is the maximum of objects that are listed before a create. The intent has a digest of
// each.
const maxListed = 1000

// snapshot lists the objects that exist before a create; nil if they are not needed.
func snapshot(ctx context.Context, ex terraform.Executor, r Request, p terraform.Plan) *instance.Listing {
	if !r.claiming().OnlyListed(&p) || r.generated(p) != "" {
		return nil
	}
	objects, why := list(ctx, ex, r, p.State)
	if why != "" {
		return &instance.Listing{Missing: why}
	}
	out := &instance.Listing{}
	for _, identity := range objects {
		out.Objects = append(out.Objects, digestOf(identity))
	}
	slices.Sort(out.Objects)
	return out
}

// list returns the identities of the objects that may be the one with a planned state, or why it
// cannot.
func list(ctx context.Context, ex terraform.Executor, r Request, state cty.Value) (objects []cty.Value, why string) {
	lister, ok := ex.(terraform.Lister)
	if !ok {
		return nil, "the way of running the provider does not permit it"
	}
	if !instance.Present(state) {
		return nil, "the planned object is of another version of its schema"
	}
	arguments, missing := r.ListArguments(state)
	if missing != "" {
		return nil, fmt.Sprintf("the argument %s, which the list needs, is not known before the create", missing)
	}
	objects, more, diags := lister.List(ctx, r.Type, arguments, maxListed)
	switch {
	case diags.HasErrors():
		return nil, "they cannot be listed: " + strings.TrimSuffix(diags.Errors().String(), ".")
	case more:
		return nil, fmt.Sprintf("there are more than %d. Arguments of the list in listRecovery may narrow them down", maxListed)
	}
	return objects, ""
}

// digestOf identifies an object in a snapshot.
func digestOf(identity cty.Value) string {
	sum := sha256.Sum256([]byte(translate.CanonicalIdentity(identity)))
	return hex.EncodeToString(sum[:8])
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
	objects, why := list(ctx, x.ex, r, op.PlannedState)
	if why != "" {
		return unknown("The objects that exist now are not known: %s.", why)
	}
	if !r.claiming().Free(e.claimant, ownership.Creating) {
		return unknown("Objects that are new since are not considered while another resource creates one of the same type.")
	}
	var found []cty.Value
	for _, identity := range objects {
		_, old := slices.BinarySearch(op.Listed.Objects, digestOf(identity))
		if !old && e.free(r, instance.Instance{Identity: identity}) {
			found = append(found, identity)
		}
	}
	switch len(found) {
	case 0:
		return unknown("The objects were listed at %s, and none is new since the create began that no resource manages.", x.o.Clock.Now().UTC().Format(time.RFC3339))
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
	case !resembles(r.Type.Schema, op.PlannedState, out.State):
		x.unknown = append(x.unknown, foundAfterCreate(r, target)...)
		return unknown("One object is new since the create began, but it does not have the planned arguments: %s.", translate.CanonicalIdentity(found[0]))
	}
	out.Status = instance.Tainted // it may be incomplete
	return true, x.adopt(ctx, out)
}

// free reports whether no other resource claims an object.
func (e *entry) free(r Request, in instance.Instance) bool {
	return r.claiming().Free(e.claimant, ownership.IdentityKey(r.Type.Schema, in))
}

// resembles reports whether an object has the planned arguments. Those that a read need not return,
// because they are secret or optional, may be missing, but at least one has to be there.
func resembles(s *schema.Resource, planned, found cty.Value) bool {
	if !instance.Present(planned) || !instance.Known(found) {
		return false
	}
	some := false
	for name, a := range s.Block.Attributes {
		want, is := planned.GetAttr(name), found.GetAttr(name)
		switch {
		case !want.IsWhollyKnown() || want.IsNull():
		case is.IsNull() && (!a.Required || a.Sensitive || a.WriteOnly):
		case !is.RawEquals(want):
			return false
		default:
			some = true
		}
	}
	for name := range s.Block.Blocks {
		if want, is := planned.GetAttr(name), found.GetAttr(name); want.IsWhollyKnown() && !none(want) && !none(is) && !is.RawEquals(want) {
			return false
		}
	}
	return some
}

// none reports whether a nested block has no content.
func none(v cty.Value) bool {
	return v.IsNull() || v.CanIterateElements() && !v.Type().IsObjectType() && v.LengthInt() == 0
}
