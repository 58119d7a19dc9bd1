package model

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/config"
)

// forcesNew is what descriptions of arguments say whose changes replace the object.
var forcesNew = regexp.MustCompile(`(?i)\bforces? (?:the creation of )?(?:a )?new (?:resource|instance|object)\b|\brequires? (?:the )?replacement of (?:the|this) resource\b`)

// ForcesNew reports whether the description of an argument says that its changes replace the
// object.
func ForcesNew(description string) bool { return forcesNew.MatchString(description) }

// settle makes fields immutable, those that the configuration names, and those that it permits to
// infer.
func (r *Resource) settle(c config.Resource) error {
	for _, path := range slices.Sorted(maps.Keys(c.Fields)) {
		if given := c.Fields[path].Immutable; given == nil || !*given {
			continue
		}
		way, _ := r.Root().trace(strings.Split(path, "."))
		if err := mayBeImmutable(way); err != nil {
			return config.At(err, "fields", path, "immutable")
		}
		if r.immutable == MaxImmutable {
			return config.At(fmt.Errorf("a resource type can have at most %d immutable fields", MaxImmutable), "fields", path, "immutable")
		}
		way[len(way)-1].Immutable = true
		r.immutable++
	}
	if c.InferImmutable {
		r.inferImmutable(c, r.Root(), nil, "")
	}
	return nil
}

// MaxImmutable is the maximum number of immutable fields of a resource type: the API server limits
// the cost of all rules of a kind.
const MaxImmutable = 40

// MayBeImmutable reports whether the field at a path of Terraform names can be immutable.
func (r *Resource) MayBeImmutable(path string) bool {
	way, _ := r.Root().trace(strings.Split(path, "."))
	return way != nil && mayBeImmutable(way) == nil
}

// inferImmutable makes the fields of an object immutable whose descriptions say that changes
// replace the object.
func (r *Resource) inferImmutable(c config.Resource, t *Type, way []*Field, prefix string) {
	for _, f := range t.Object.All {
		way, path := append(slices.Clone(way), f), prefix+f.Name
		if inner := f.Type.object(); inner != nil && inner.Kind == Object {
			r.inferImmutable(c, inner, way, path+".")
		}
		if c.Fields[path].Immutable == nil && ForcesNew(f.Description) && mayBeImmutable(way) == nil && r.immutable < MaxImmutable {
			f.Immutable = true
			r.immutable++
		}
	}
}

// object is the type of an object, or of the one element of a block that is presented as an object;
// nil for other types.
func (t *Type) object() *Type {
	if t.Singleton {
		return t.Element
	}
	if t.Kind == Object {
		return t
	}
	return nil
}

// mayBeImmutable returns an error if the last field of a way cannot be immutable. The API server
// compares only what it can correlate with what it was, which elements of lists are not, and values
// whose size is limited.
func mayBeImmutable(way []*Field) error {
	f := way[len(way)-1]
	switch {
	case !f.Input:
		return errors.New("the field is not in spec")
	case f.SecretRef != "":
		return errors.New("what a Secret holds cannot be compared")
	case !f.Type.IsPrimitive(), f.Type.Presented() == JSON:
		return errors.New("only strings, numbers and booleans can be immutable")
	case slices.ContainsFunc(way[:len(way)-1], func(outer *Field) bool { return outer.Type.object() == nil }):
		return errors.New("fields of elements of lists, sets and maps cannot be immutable")
	}
	return nil
}
