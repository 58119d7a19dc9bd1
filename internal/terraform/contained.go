package terraform

import (
	"cmp"
	"slices"
)

// Object identifies one of the remote objects that an object consists of.
type Object struct {
	// Configuration is the provider configuration of the object: a source, or the name of a named
	// configuration.
	Configuration string `json:"configuration"`
	// Settings identifies settings that the provider has beside the configuration; empty without
	// any.
	Settings string `json:"settings,omitempty"`
	Type     string `json:"type"`
	// Identity is its identity as JSON, and IdentityVersion the version of the identity's schema.
	// They are empty for types without an identity schema, whose objects have an ID instead.
	Identity        string `json:"identity,omitempty"`
	IdentityVersion int64  `json:"identityVersion,omitempty"`
	ID              string `json:"id,omitempty"`
	// Made is what its provider has made of it, as far as that is known.
	Made Made `json:"made,omitempty"`
}

// Named returns the object as it is named, without what is known of it.
func (o Object) Named() Object {
	o.Made = ""
	return o
}

// Objects sorts objects, and removes those that occur twice.
func Objects(list []Object) []Object {
	slices.SortFunc(list, func(a, b Object) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Identity, b.Identity), cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Configuration, b.Configuration), cmp.Compare(a.Settings, b.Settings),
			cmp.Compare(a.IdentityVersion, b.IdentityVersion), cmp.Compare(b.Made, a.Made))
	})
	return slices.CompactFunc(list, func(a, b Object) bool { return a.Named() == b.Named() })
}
