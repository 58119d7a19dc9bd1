package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// maxListed is the maximum of objects that are listed before a create. The intent has a digest of
// each.
const maxListed = 1000

// Listing is how the objects are listed among which a planned one is.
type Listing struct {
	Executor terraform.Executor
	Type     terraform.ResourceType
	// Arguments returns the arguments of the list for a planned object, or the one that is not
	// known.
	Arguments func(planned cty.Value) (arguments map[string]cty.Value, missing string)
}

// Snapshot lists the objects that exist before the create of an object with a planned state.
func (l Listing) Snapshot(ctx context.Context, state cty.Value) *instance.Listing {
	objects, why := l.List(ctx, state)
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

// List returns the identities of the objects that may be the one with a planned state, or why it
// cannot.
func (l Listing) List(ctx context.Context, state cty.Value) (objects []cty.Value, why string) {
	lister, ok := l.Executor.(terraform.Lister)
	if !ok {
		return nil, "the way of running the provider does not permit it"
	}
	if !instance.Present(state) {
		return nil, "the planned object is of another version of its schema"
	}
	arguments, missing := l.Arguments(state)
	if missing != "" {
		return nil, fmt.Sprintf("the argument %s, which the list needs, is not known before the create", missing)
	}
	objects, more, diags := lister.List(ctx, l.Type, arguments, maxListed)
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

// Resembles reports whether an object has the planned arguments. Those that a read need not return,
// because they are secret or optional, may be missing, but at least one has to be there.
func Resembles(s *schema.Resource, planned, found cty.Value) bool {
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
		if want, is := planned.GetAttr(name), found.GetAttr(name); want.IsWhollyKnown() &&
			!instance.NoContent(want) && !instance.NoContent(is) && !is.RawEquals(want) {
			return false
		}
	}
	return some
}

// Since returns the objects that are not in a snapshot.
func Since(snapshot *instance.Listing, objects []cty.Value) []cty.Value {
	return slices.DeleteFunc(slices.Clone(objects), func(identity cty.Value) bool {
		_, old := slices.BinarySearch(snapshot.Objects, digestOf(identity))
		return old
	})
}
