package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// ListRefresh is how unchanged objects are looked at by listing.
type ListRefresh struct {
	// Arguments are the arguments of the list resource, by their names.
	Arguments map[string]IdentitySource
	// ReadEvery is the number of looks of which one reads the object.
	ReadEvery int
}

// defaultReadEvery is the number of looks at an object of which one reads it, unless configured.
const defaultReadEvery = 100

// list sets what the objects of the type are listed for. list is the type's list resource; nil if
// there is none.
func (r *Resource) list(c config.Resource, list *schema.Block) (err error) {
	if l := c.ListRecovery; l != nil {
		if r.Settings.ListArguments, err = r.listArguments(l.Arguments, list); err != nil {
			return config.At(err, "listRecovery")
		}
	}
	if l := c.ListRefresh; l != nil {
		arguments, err := r.listArguments(l.Arguments, list)
		switch {
		case list == nil, r.Schema.Identity == nil:
			return config.At(fmt.Errorf("%w, so its objects can only be read; leave listRefresh out", err), "listRefresh")
		case err != nil:
			return config.At(err, "listRefresh")
		case l.ReadEvery != 0 && l.ReadEvery < 2:
			return config.At(
				fmt.Errorf("%d: it must be at least 2; to read objects with each look, leave listRefresh out",
					l.ReadEvery), "listRefresh", "readEvery",
			)
		}
		r.Settings.ListRefresh = &ListRefresh{Arguments: arguments, ReadEvery: cmp.Or(int(l.ReadEvery), defaultReadEvery)}
	}
	return nil
}

// listArguments returns the sources of arguments of the list resource.
func (r *Resource) listArguments(arguments map[string]config.IdentityValue, list *schema.Block) (map[string]IdentitySource, error) {
	switch {
	case list == nil:
		return nil, fmt.Errorf("the provider has no list resource for %s", r.Type)
	case r.Schema.Identity == nil:
		return nil, fmt.Errorf("%s has no identity", r.Type)
	}
	out := map[string]IdentitySource{}
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		a := list.Attributes[name]
		if a == nil {
			return nil, config.At(fmt.Errorf("the list resource has no argument %s", name), "arguments", name)
		}
		source, err := r.source(arguments[name], a.ImpliedType(), "argument of the list resource")
		if err != nil {
			return nil, config.At(err, "arguments", name)
		}
		out[name] = source
	}
	return out, nil
}
