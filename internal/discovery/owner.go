package discovery

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/translate"
)

// Owner manages a remote object, or will.
type Owner struct {
	// Kind, Namespace and Name of a custom resource.
	Kind, Namespace, Name string
	// Address is that in a Terraform state; empty for a custom resource.
	Address string
	// Identity is the object's identity; unknown attributes are null. cty.NilVal when nothing is
	// known.
	Identity cty.Value
	// ExternalName is the external name of the object; empty when it is not known.
	ExternalName string
	// Declared is set if the custom resource describes the object, and has not managed it yet.
	Declared bool
}

// String returns namespace/name, or the address.
func (o Owner) String() string {
	if o.Address != "" {
		return o.Address
	}
	return o.Namespace + "/" + o.Name
}

// Owners holds the owners of objects of one resource type and provider configuration.
type Owners struct {
	whole map[string][]Owner
	// partial are those whose identity lacks an attribute.
	partial []Owner
	named   map[string][]Owner
}

// NewOwners returns Owners of the given ones.
func NewOwners(all []Owner) *Owners {
	out := &Owners{whole: map[string][]Owner{}, named: map[string][]Owner{}}
	for _, o := range all {
		switch {
		case o.Identity == cty.NilVal || o.Identity.IsNull() || !o.Identity.IsWhollyKnown():
			if o.ExternalName != "" {
				out.named[o.ExternalName] = append(out.named[o.ExternalName], o)
			}
		case lacks(o.Identity):
			out.partial = append(out.partial, o)
		default:
			key := translate.CanonicalIdentity(o.Identity)
			out.whole[key] = append(out.whole[key], o)
		}
	}
	return out
}

func lacks(identity cty.Value) bool {
	for it := identity.ElementIterator(); it.Next(); {
		if _, v := it.Element(); v.IsNull() {
			return true
		}
	}
	return false
}

// Of returns the owners of the object with an identity.
func (o *Owners) Of(identity cty.Value) []Owner {
	out := append([]Owner(nil), o.whole[translate.CanonicalIdentity(identity)]...)
	for _, p := range o.partial {
		if agree(p.Identity, identity) {
			out = append(out, p)
		}
	}
	if lacks(identity) {
		for _, key := range slices.Sorted(maps.Keys(o.whole)) {
			for _, w := range o.whole[key] {
				if agree(identity, w.Identity) {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

// Named returns the owners of an object without a known identity, by its external name.
func (o *Owners) Named(externalName string) []Owner {
	if externalName == "" {
		return nil
	}
	return o.named[externalName]
}

// agree reports whether two identities, each of which may lack attributes, may be the same.
func agree(a, b cty.Value) bool {
	same := false
	for name := range a.Type().AttributeTypes() {
		x := a.GetAttr(name)
		if x.IsNull() {
			continue
		}
		if !b.Type().HasAttribute(name) {
			return false
		}
		y := b.GetAttr(name)
		if !y.IsNull() && !x.RawEquals(y) {
			return false
		}
		same = same || !y.IsNull()
	}
	return same
}
