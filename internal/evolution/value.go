package evolution

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// convert converts a value to another version. ok is false if the other version cannot hold any of
// it. m has the remembered parts of the value in the other version; convert returns the parts of
// this one to remember.
func (c pair) convert(v any, from, to *Node, m *memo) (out any, ok bool, made *memo) {
	if was, ok := m.recall(digest(v)); ok {
		return was, true, nil
	}
	switch {
	case v == nil:
		return nil, from.Form == to.Form || to.Nullable, nil
	case from.Form == SecretRef && to.Form == SecretRef:
		return v, true, nil
	case from.Form == Object && to.Form == Object:
		object, is := v.(map[string]any)
		if !is {
			return v, true, nil
		}
		out, made := c.object(object, from, to, m)
		return out, true, made
	case from.Form == Map && to.Form == Map:
		entries, is := v.(map[string]any)
		if !is {
			return v, true, nil
		}
		out, made := c.entries(entries, from.Element, to.Element, m)
		return out, true, made
	case from.list() && to.list():
		list, is := v.([]any)
		if !is {
			return v, true, nil
		}
		return c.list(list, from, to, m)
	}
	out, ok = c.primitive(v, from, to)
	if !ok {
		return nil, false, nil
	}
	// Whether the conversion is exact is tested by converting back.
	if back, ok := c.back().primitive(out, to, from); !ok || digest(back) != digest(v) {
		made = remember(v, digest(out))
	}
	return out, true, made
}

// primitive converts a value without parts, or with another form in the other version.
func (c pair) primitive(v any, from, to *Node) (any, bool) {
	whole := func(v any, from, to *Node) (any, bool) {
		if v == nil {
			return nil, false
		}
		out, ok, _ := c.convert(v, from, to, nil)
		return out, ok
	}
	switch {
	case from.Form == SecretRef, to.Form == SecretRef, from.Form == Hidden, to.Form == Hidden:
		return nil, false
	case from.Form == to.Form, to.Form == Any:
		return v, true
	case from.Form == Any:
		return v, matches(v, to)
	case from.list() && !to.list():
		list, is := v.([]any)
		if !is || len(list) != 1 {
			return nil, false
		}
		return whole(list[0], from.Element, to)
	case to.list() && !from.list():
		element, ok := whole(v, from, to.Element)
		return []any{element}, ok
	case from.Form == Bool && to.Form == String:
		b, is := v.(bool)
		return strconv.FormatBool(b), is
	case from.Form == String && to.Form == Bool:
		s, _ := v.(string)
		return s == "true", s == "true" || s == "false"
	case from.Form == Number && to.Form == String:
		return numberText(v)
	case from.Form == String && to.Form == Number:
		s, _ := v.(string)
		return parseNumber(s)
	default:
		return v, matches(v, to) // an empty object is an empty map
	}
}

func numberText(v any) (any, bool) {
	switch n := v.(type) {
	case int64:
		return strconv.FormatInt(n, 10), true
	case float64:
		return strconv.FormatFloat(n, 'f', -1, 64), true
	default:
		return nil, false
	}
}

func parseNumber(s string) (any, bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	if s == "" || strings.Trim(s, "+-.0123456789eE") != "" {
		return nil, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// matches reports whether a value is of a type.
func matches(v any, n *Node) bool {
	if v == nil || n.Form == Any {
		return v != nil || n.Nullable
	}
	switch n.Form {
	case String:
		_, ok := v.(string)
		return ok
	case Bool:
		_, ok := v.(bool)
		return ok
	case Number:
		switch v.(type) {
		case int64, float64, json.Number:
			return true
		}
		return false
	case List, Set:
		list, ok := v.([]any)
		for _, e := range list {
			ok = ok && matches(e, n.Element)
		}
		return ok && !(n.Form == Set && len(distinct(list)) < len(list))
	case Map:
		entries, ok := v.(map[string]any)
		for _, e := range entries {
			ok = ok && matches(e, n.Element)
		}
		return ok
	case Object:
		object, ok := v.(map[string]any)
		for name, e := range object {
			f := n.Fields[name]
			ok = ok && f != nil && f.Form != SecretRef && matches(e, f.Node)
		}
		return ok
	default:
		return false
	}
}

func distinct(list []any) []any {
	seen := map[string]bool{}
	var out []any
	for _, v := range list {
		if d := digest(v); !seen[d] {
			seen[d] = true
			out = append(out, v)
		}
	}
	return out
}

func (c pair) object(v map[string]any, from, to *Node, m *memo) (map[string]any, *memo) {
	out, made := make(map[string]any, len(v)), &memo{}
	names := c.names(from, to)
	given := map[string]bool{} // names of the other version whose value is given here
	for name, value := range v {
		f := from.Fields[name]
		if f == nil {
			made.set(name, remember(value, ""))
			continue
		}
		toName := names.of(name)
		given[toName] = true
		t := to.Fields[toName]
		if t == nil {
			if !becameSensitive(from, to, name) {
				made.set(name, remember(value, ""))
			}
			continue
		}
		converted, ok, rest := c.convert(value, f.Node, t.Node, m.field(toName))
		if !ok {
			made.set(name, remember(value, ""))
			continue
		}
		out[toName] = converted
		made.set(name, rest)
	}
	m.restore(out, func(name string) bool { return given[name] })
	return out, made.orNil()
}

func (c pair) entries(v map[string]any, from, to *Node, m *memo) (map[string]any, *memo) {
	out, made := make(map[string]any, len(v)), &memo{}
	for key, value := range v {
		converted, ok, rest := c.convert(value, from, to, m.field(key))
		if !ok {
			made.set(key, remember(value, ""))
			continue
		}
		out[key] = converted
		made.set(key, rest)
	}
	m.restore(out, func(key string) bool { _, given := v[key]; return given })
	return out, made.orNil()
}

func (c pair) list(v []any, from, to *Node, m *memo) (any, bool, *memo) {
	out, made := make([]any, len(v)), &memo{}
	were := m.elements(v)
	for i, value := range v {
		if was, ok := were[i]; ok {
			out[i] = was
			continue
		}
		converted, ok, rest := c.convert(value, from.Element, to.Element, nil)
		if !ok {
			return nil, false, nil
		}
		out[i] = converted
		if rest != nil {
			raw, _ := json.Marshal(value)
			made.Elements = append(made.Elements, element{Index: i, Value: raw, As: digest(converted)})
		}
	}
	if to.Form == Set {
		if d := distinct(out); len(d) < len(out) {
			return d, true, remember(v, digest(d))
		}
	}
	return out, true, made.orNil()
}

func (m *memo) set(name string, x *memo) {
	if x == nil {
		return
	}
	if m.Fields == nil {
		m.Fields = map[string]*memo{}
	}
	m.Fields[name] = x
}

func (m *memo) orNil() *memo {
	if m.Value == nil && len(m.Fields)+len(m.Elements) == 0 {
		return nil
	}
	return m
}
