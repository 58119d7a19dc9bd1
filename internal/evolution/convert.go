package evolution

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kversion "k8s.io/apimachinery/pkg/version"
)

// Converter converts objects of a kind between the versions of its CustomResourceDefinition.
type Converter struct {
	name     string
	versions map[string]*Kind
}

// AnnotationFormerNames is on a definition with several versions. Its value has the names of fields
// in earlier versions as JSON: {"v1beta1":{"spec.forProvider.age":["maxAge"]}}.
const AnnotationFormerNames = "landbridge.io/former-names"

// NewConverter reads a definition.
func NewConverter(d *apiextensionsv1.CustomResourceDefinition) (*Converter, error) {
	c := &Converter{name: d.Name, versions: map[string]*Kind{}}
	for _, v := range d.Spec.Versions {
		k, err := FromDefinition(d, v.Name)
		if err != nil {
			return nil, err
		}
		c.versions[v.Name] = k
	}
	return c, nil
}

// rename sets the former names of a kind's fields, from the annotation of its definition.
func (k *Kind) rename(d *apiextensionsv1.CustomResourceDefinition) error {
	text := d.Annotations[AnnotationFormerNames]
	if text == "" {
		return nil
	}
	former := map[string]map[string][]string{}
	if err := json.Unmarshal([]byte(text), &former); err != nil {
		return fmt.Errorf("%s: the annotation %s: %w", d.Name, AnnotationFormerNames, err)
	}
	for path, names := range former[k.Version] {
		f := k.field(path)
		if f == nil {
			return fmt.Errorf("%s: the annotation %s: the version %s has no field %s", d.Name, AnnotationFormerNames, k.Version, path)
		}
		f.Former = names
	}
	return nil
}

// Versions returns the versions of the kind, the oldest first.
func (c *Converter) Versions() []string {
	return slices.SortedFunc(maps.Keys(c.versions), kversion.CompareKubeAwareVersionStrings)
}

// Convert returns an object in another version. It does not change the object, but the result may
// share values with it. Numbers are int64 or float64, as in apimachinery's JSON.
func (c *Converter) Convert(object map[string]any, to string) (map[string]any, error) {
	return c.via(object, to, map[string]bool{})
}

// via converts an object through the versions that it was in, since the values in an annotation can
// only be compared with those of the version that they were converted to. been are the versions so
// far.
func (c *Converter) via(object map[string]any, to string, been map[string]bool) (map[string]any, error) {
	apiVersion, _ := object["apiVersion"].(string)
	group, from, _ := strings.Cut(apiVersion, "/")
	if from == to {
		return object, nil
	}
	for _, v := range []string{from, to} {
		if c.versions[v] == nil {
			return nil, fmt.Errorf("%s: there is no version %q", c.name, v)
		}
	}
	been[from] = true
	next := to
	if in := memory(object, to).In; c.versions[in] != nil && !been[in] {
		next = in
	} else if in != from {
		for _, v := range c.Versions() {
			if !been[v] && v != to && memory(object, v).In == from {
				next = v
				break
			}
		}
	}
	was := memory(object, next)
	if was.In != from {
		was = &remembered{}
	}
	out, made := c.convert(object, c.versions[from], c.versions[next], was)
	out["apiVersion"] = group + "/" + next
	if err := annotate(out, from, next, made); err != nil {
		return nil, err
	}
	return c.via(out, to, been)
}

// memory returns the values of a version that an object has in an annotation. Annotations that are
// not from a conversion are ignored.
func memory(object map[string]any, version string) *remembered {
	out := &remembered{}
	if text, ok := annotation(object, version); ok && utiljson.Unmarshal([]byte(text), out) != nil {
		return &remembered{}
	}
	return out
}

func (c *Converter) convert(object map[string]any, from, to *Kind, was *remembered) (map[string]any, *remembered) {
	out := maps.Clone(object)
	made := &remembered{In: to.Version, Parts: map[string]*memo{}}
	p := pair{backwards: kversion.CompareKubeAwareVersionStrings(from.Version, to.Version) > 0}
	for _, part := range append([]string{InitProvider}, parts...) {
		typed := part
		if part == InitProvider {
			typed = ForProvider
		}
		f, t := from.Parts[typed], to.Parts[typed]
		steps := strings.Split(part, ".")
		v, ok := get(out, steps)
		if f == nil || !ok {
			if w, ok := was.Parts[part].recall(""); ok {
				put(out, steps, w)
			}
			continue
		}
		if t == nil {
			put(out, steps, nil)
			if !isStatus(part) {
				made.Parts[part] = remember(v, "")
			}
			continue
		}
		value, ok, rest := p.convert(v, f, t, was.Parts[part])
		switch {
		case !ok:
			put(out, steps, nil)
		default:
			put(out, steps, value)
		}
		// Controllers rewrite the status, so old values of it must not be restored.
		if rest != nil && !isStatus(part) {
			made.Parts[part] = rest
		}
	}
	if f, t := from.Parts[ForProvider], to.Parts[ForProvider]; f != nil && t != nil {
		p.paths(out, f, t)
	}
	return out, made
}

// pair are the versions of a conversion, in either direction. Names are matched the same way in
// both.
type pair struct{ backwards bool }

func (c pair) back() pair { return pair{!c.backwards} }

// renamed are names by their names in the other version.
type renamed map[string]string

func (r renamed) of(name string) string {
	if to, ok := r[name]; ok {
		return to
	}
	return name
}

func (c pair) names(from, to *Node) renamed {
	if !c.backwards {
		return renames(from, to)
	}
	out := renamed{}
	for a, b := range renames(to, from) {
		out[b] = a
	}
	return out
}

// field returns the field at a path of a part, such as spec.forProvider.rule[].age.
func (k *Kind) field(path string) *Field {
	for part, n := range k.Parts {
		rest, ok := strings.CutPrefix(path, part+".")
		if !ok {
			continue
		}
		steps := strings.Split(strings.NewReplacer("[", ".[").Replace(rest), ".")
		last := len(steps) - 1
		if in := n.at(steps[:last]); in != nil && in.Form == Object {
			return in.Fields[steps[last]]
		}
	}
	return nil
}

func get(object map[string]any, path []string) (any, bool) {
	for _, step := range path[:len(path)-1] {
		next, ok := object[step].(map[string]any)
		if !ok {
			return nil, false
		}
		object = next
	}
	v, ok := object[path[len(path)-1]]
	return v, ok
}

// put sets the value at a path, or removes it if the value is nil. It copies what it changes.
func put(object map[string]any, path []string, v any) {
	for _, step := range path[:len(path)-1] {
		next, ok := object[step].(map[string]any)
		if !ok && v == nil {
			return
		}
		next = maps.Clone(next)
		if next == nil {
			next = map[string]any{}
		}
		object[step] = next
		object = next
	}
	if v == nil {
		delete(object, path[len(path)-1])
		return
	}
	object[path[len(path)-1]] = v
}

func annotation(object map[string]any, version string) (string, bool) {
	v, _ := get(object, []string{"metadata", "annotations"})
	annotations, _ := v.(map[string]any)
	text, ok := annotations[AnnotationPrefix+version].(string)
	return text, ok
}

// annotate adds the annotation for the version that an object was in, and removes that of its new
// version.
func annotate(object map[string]any, from, to string, made *remembered) error {
	v, _ := get(object, []string{"metadata", "annotations"})
	had, _ := v.(map[string]any)
	annotations := maps.Clone(had)
	delete(annotations, AnnotationPrefix+to)
	delete(annotations, AnnotationPrefix+from)
	if len(made.Parts) > 0 {
		text, err := made.annotation(from)
		if err != nil {
			return err
		}
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations[AnnotationPrefix+from] = text
	}
	switch {
	case len(annotations) > 0:
		put(object, []string{"metadata", "annotations"}, annotations)
	case len(had) > 0:
		put(object, []string{"metadata", "annotations"}, nil)
	}
	return nil
}

// FormerNames returns the former names of the kind's fields, by path, for AnnotationFormerNames. It
// includes fields of status.
func (k *Kind) FormerNames() map[string][]string {
	out := map[string][]string{}
	var walk func(path string, n *Node)
	walk = func(path string, n *Node) {
		switch {
		case n.list():
			walk(path+"[]", n.Element)
		case n.Form == Map:
			walk(path+"[key]", n.Element)
		case n.Form == Object:
			for name, f := range n.Fields {
				if len(f.Former) > 0 && f.Form != Hidden {
					out[path+"."+name] = f.Former
				}
				walk(path+"."+name, f.Node)
			}
		}
	}
	for part, n := range k.Parts {
		walk(part, n)
	}
	return out
}
