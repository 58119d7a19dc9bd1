package scheduler

import (
	"context"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/schema"
)

// OwnedElsewhere reports whether a resource of another namespace than the given one owns the object
// that a data source has read. of is the resource type of the data source's name: data is taken for
// an object of it as far as it has its identity or, if the type has no identity schema, its id.
func (s *Scheduler) OwnedElsewhere(ctx context.Context, namespace string, by ownership.Access, of *schema.Resource, data cty.Value) bool {
	for _, on := range by.Objects(of.Type, dataKey(of, data)) {
		if on.Identity == "" {
			return false
		}
		for {
			owner, ok := s.owners.Elsewhere(namespace, on, true)
			if !ok {
				break
			}
			if s.mayExist(ctx, owner.Key, owner.UID) {
				return true
			}
			s.wake(s.owners.Release(owner.Key))
		}
	}
	return false
}

// dataKey returns the ownership.Object.Identity of what a data source has read; empty if it does
// not tell. Some data sources have an id as a number that is text in the resource type.
func dataKey(of *schema.Resource, data cty.Value) string {
	if of.Identity == nil {
		return ownership.StateKey(cty.ObjectVal(map[string]cty.Value{"id": attributeAs(data, "id", cty.String)}))
	}
	values, some := make(map[string]cty.Value, len(of.Identity.Attributes)), false
	for name, a := range of.Identity.Attributes {
		v := attributeAs(data, name, a.Type)
		if v.IsNull() && a.RequiredForImport {
			return ""
		}
		values[name], some = v, some || !v.IsNull()
	}
	if !some {
		return ""
	}
	return ownership.IdentityKey(of, instance.Instance{Identity: cty.ObjectVal(values), IdentityVersion: of.Identity.Version})
}

// attributeAs returns an attribute of an object, converted to a type; null if it has none of it.
func attributeAs(object cty.Value, name string, t cty.Type) cty.Value {
	if !object.Type().HasAttribute(name) {
		return cty.NullVal(t)
	}
	v, err := convert.Convert(object.GetAttr(name), t)
	if err != nil {
		return cty.NullVal(t)
	}
	return v
}
