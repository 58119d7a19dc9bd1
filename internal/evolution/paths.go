package evolution

import (
	"slices"
	"strings"
)

// paths converts the paths of fields in spec: those of references and of ignored changes. A path
// that is not one of both versions is not changed.
func (c pair) paths(object map[string]any, from, to *Node) {
	if v, ok := get(object, []string{"spec", "lifecycle", "ignoreChanges"}); ok {
		if list, ok := v.([]any); ok {
			out := slices.Clone(list)
			for i := range out {
				if path, ok := out[i].(string); ok {
					out[i] = c.path(path, from, to, false)
				}
			}
			put(object, []string{"spec", "lifecycle", "ignoreChanges"}, out)
		}
	}
	v, ok := get(object, []string{"spec", "references"})
	list, is := v.([]any)
	if !ok || !is {
		return
	}
	out := slices.Clone(list)
	for i := range out {
		reference, ok := out[i].(map[string]any)
		path, is := reference["to"].(string)
		if !ok || !is {
			continue
		}
		part, rest, ok := strings.Cut(path, ".")
		if !ok {
			continue
		}
		copied := map[string]any{"to": part + "." + c.path(rest, from, to, true)}
		for name, v := range reference {
			if name != "to" {
				copied[name] = v
			}
		}
		out[i] = copied
	}
	put(object, []string{"spec", "references"}, out)
}

// path converts the path of a field. whole is set if the field is one value, which for a list of
// one is its element.
func (c pair) path(path string, from, to *Node, whole bool) string {
	var out strings.Builder
	steps, ok := splitPath(path)
	if !ok {
		return path
	}
	for i := 0; ; i++ {
		last := i == len(steps)
		// A list of one element on one side is the element itself on the other.
		if to.list() && !from.list() && from.Form != Any && (!last || whole) {
			if !last && strings.HasPrefix(steps[i], "[") {
				return path
			}
			out.WriteString("[0]")
			to = to.Element
		}
		if from.list() && !to.list() && to.Form != Any {
			switch {
			case last:
				return out.String()
			case steps[i] != "[0]":
				return path
			}
			from = from.Element
			continue
		}
		if last {
			return out.String()
		}
		step := steps[i]
		index := strings.HasPrefix(step, "[")
		switch {
		case from.Form == Object && to.Form == Object && !index:
			name := c.names(from, to).of(step)
			f, t := from.Fields[step], to.Fields[name]
			if f == nil || t == nil {
				return path
			}
			if out.Len() > 0 {
				out.WriteByte('.')
			}
			out.WriteString(name)
			from, to = f.Node, t.Node
		case from.Form == Map && to.Form == Map, from.list() && to.list() && index:
			if !index {
				out.WriteByte('.')
			}
			out.WriteString(step)
			from, to = from.Element, to.Element
		default:
			for _, rest := range steps[i:] {
				if !strings.HasPrefix(rest, "[") {
					out.WriteByte('.')
				}
				out.WriteString(rest)
			}
			return out.String()
		}
	}
}

// splitPath splits a path into names and, in their brackets, indexes and keys.
func splitPath(path string) (steps []string, ok bool) {
	for rest := path; rest != ""; {
		if rest[0] == '[' {
			end := strings.IndexByte(rest, ']')
			if strings.HasPrefix(rest, `["`) {
				end = strings.Index(rest, `"]`) + 1
			}
			if end <= 0 {
				return nil, false
			}
			steps, rest = append(steps, rest[:end+1]), rest[end+1:]
			continue
		}
		if len(steps) > 0 {
			if rest[0] != '.' {
				return nil, false
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, false
		}
		steps, rest = append(steps, rest[:end]), rest[end:]
	}
	return steps, len(steps) > 0
}
