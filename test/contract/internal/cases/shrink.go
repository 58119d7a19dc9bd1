package cases

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// Smaller returns cases that are slightly smaller, those with the greatest reduction first.
func (c *Case) Smaller() []*Case {
	var out []*Case
	add := func(change func(*Case) bool) {
		x, err := c.Named(c.Schemas[0].Type)
		if err != nil || !change(x) || !x.fit() {
			return
		}
		out = append(out, x)
	}
	for i := range c.Steps {
		add(func(x *Case) bool {
			x.Steps = slices.Delete(x.Steps, i, i+1)
			return len(x.Steps) > 0
		})
	}
	for i := range c.Steps {
		for _, change := range []func(*Step) bool{
			func(s *Step) bool { had := s.Faults != nil; s.Faults = nil; return had },
			func(s *Step) bool { had := s.Taint; s.Taint = false; return had },
			func(s *Step) bool { had := s.Drift; s.Drift = NoDrift; return had != NoDrift },
			func(s *Step) bool { had := s.Import; s.Import = NoImport; return had != NoImport },
			func(s *Step) bool { had := s.CreateBeforeDestroy; s.CreateBeforeDestroy = false; return had },
			func(s *Step) bool { had := s.IgnoreChanges; s.IgnoreChanges = nil; return had != nil },
			func(s *Step) bool { had := s.Move; s.Move = false; return had },
			func(s *Step) bool { had := s.Sensitive; s.Sensitive = nil; return had != nil },
			func(s *Step) bool { had := s.Config; s.Config = nil; return had != nil },
		} {
			add(func(x *Case) bool { return change(&x.Steps[i]) })
		}
	}
	add(func(x *Case) bool { had := x.Legacy; x.Legacy = false; return had })
	add(func(x *Case) bool {
		had := x.Direct
		x.Direct = false
		for i := range x.Steps {
			x.Steps[i].Move, x.Steps[i].Sensitive = false, nil
		}
		return had
	})
	add(func(x *Case) bool {
		had := x.Schemas[0].Identity != nil
		x.Schemas[0].Identity, x.Schemas[1].Identity = nil, nil
		return had
	})
	for _, path := range paths(c.Schemas[0].Block, nil) {
		add(func(x *Case) bool {
			return remove(x.Schemas[0].Block, path) && (remove(x.Schemas[1].Block, path) || true)
		})
	}
	for i, step := range c.Steps {
		var fields map[string]json.RawMessage
		if json.Unmarshal(step.Config, &fields) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			empty := json.RawMessage("null")
			if n := c.Schemas[step.Version].Block.Blocks[name]; n != nil && n.Nesting != schema.NestingSingle {
				continue
			}
			if string(fields[name]) == "null" {
				continue
			}
			add(func(x *Case) bool {
				now := maps.Clone(fields)
				now[name] = empty
				raw, err := json.Marshal(now)
				x.Steps[i].Config = raw
				return err == nil
			})
		}
	}
	return out
}

// paths returns the paths of all attributes and blocks except the id, outer ones first.
func paths(b *schema.Block, at []string) [][]string {
	var out [][]string
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		if len(at) > 0 || name != "id" {
			out = append(out, append(slices.Clone(at), name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		out = append(out, append(slices.Clone(at), name))
	}
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		if n := b.Attributes[name].Nested; n != nil {
			out = append(out, paths(&schema.Block{Attributes: n.Attributes}, append(slices.Clone(at), name))...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		out = append(out, paths(b.Blocks[name].Block, append(slices.Clone(at), name))...)
	}
	return out
}

func remove(b *schema.Block, path []string) bool {
	name := path[0]
	a, n := b.Attributes[name], b.Blocks[name]
	switch {
	case len(path) == 1 && (a != nil || n != nil):
		delete(b.Attributes, name)
		delete(b.Blocks, name)
		return true
	case len(path) > 1 && a != nil && a.Nested != nil:
		return remove(&schema.Block{Attributes: a.Nested.Attributes}, path[1:])
	case len(path) > 1 && n != nil:
		return remove(n.Block, path[1:])
	}
	return false
}

// fit removes from the configurations what the schemas no longer have.
func (c *Case) fit() bool {
	for i, step := range c.Steps {
		if i > 0 && step.Version < c.Steps[i-1].Version {
			return false
		}
		if step.Import == ImportByIdentity && c.Schemas[step.Version].Identity == nil {
			c.Steps[i].Import = ImportByID
		}
		if step.Config == nil {
			continue
		}
		b := c.Schemas[step.Version].Block
		var v any
		if json.Unmarshal(step.Config, &v) != nil {
			return false
		}
		raw, err := json.Marshal(fitBlock(b, v))
		if err != nil {
			return false
		}
		c.Steps[i].Config = raw
		c.Steps[i].IgnoreChanges = slices.DeleteFunc(c.Steps[i].IgnoreChanges, func(name string) bool {
			return name != "*" && b.Attributes[name] == nil && b.Blocks[name] == nil
		})
		value, err := c.ConfigValue(c.Steps[i])
		if err != nil || !isWhole(b, value) {
			return false
		}
		c.Steps[i].Sensitive = slices.DeleteFunc(c.Steps[i].Sensitive, func(p instance.Path) bool {
			x, err := cty.Path(p).Apply(value)
			return err != nil || x.IsNull() || hasEmptyObjects(x.Type())
		})
	}
	return true
}

// isWhole reports whether all blocks are there that are always there.
func isWhole(b *schema.Block, v cty.Value) bool {
	if v.IsNull() || !v.Type().IsObjectType() || len(v.Type().AttributeTypes()) != len(b.Attributes)+len(b.Blocks) {
		return false
	}
	for name := range b.Attributes {
		if !v.Type().HasAttribute(name) {
			return false
		}
	}
	for name, n := range b.Blocks {
		if !v.Type().HasAttribute(name) {
			return false
		}
		whole := true
		x := v.GetAttr(name)
		if x.IsNull() && n.Nesting != schema.NestingSingle {
			return false
		}
		MapObjects(n.Nesting, x, func(v cty.Value) cty.Value {
			whole = whole && isWhole(n.Block, v)
			return v
		})
		if !whole {
			return false
		}
	}
	return true
}

func fitBlock(b *schema.Block, v any) any {
	fields, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for name, x := range fields {
		if a := b.Attributes[name]; a != nil {
			if a.Nested != nil {
				inside := &schema.Block{Attributes: a.Nested.Attributes}
				x = fitObjects(a.Nested.Nesting, x, func(v any) any { return fitBlock(inside, v) })
			}
			out[name] = x
		} else if n := b.Blocks[name]; n != nil {
			if n.ImpliedType() == cty.DynamicPseudoType {
				out[name] = x // its JSON holds its type, too
				continue
			}
			out[name] = fitObjects(n.Nesting, x, func(v any) any { return fitBlock(n.Block, v) })
		}
	}
	return out
}

func fitObjects(nesting schema.Nesting, v any, f func(any) any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = f(v[i])
		}
		return v
	case map[string]any:
		if nesting != schema.NestingMap {
			return f(v)
		}
		for key := range v {
			v[key] = f(v[key])
		}
		return v
	}
	return v
}
