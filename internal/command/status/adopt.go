package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Adoption takes the values of a remote object that were changed outside of its resource over into
// the resource's spec.
type Adoption struct {
	Row
	// Patch is a merge patch (RFC 7386) of the resource. Removed are the fields that it removes.
	Patch   map[string]any
	Removed []string
	// Left are fields that cannot be adopted, with the reason.
	Left []string
}

// Adopt returns the adoption of the drift in a resource's status. It is an error if there is none,
// or nothing of it can be adopted.
func (c *Client) Adopt(ctx context.Context, k Kind, namespace, name string) (Adoption, error) {
	u, err := c.resources(k, namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return Adoption{}, err
	}
	return adopt(u, func() (map[string]any, error) { return c.inputs(k) })
}

// adopt returns the adoption of a resource's drift. inputs returns the schema of spec.forProvider.
func adopt(u *unstructured.Unstructured, inputs func() (map[string]any, error)) (Adoption, error) {
	out := Adoption{Row: RowOf(u)}
	if gone, _, _ := unstructured.NestedBool(u.Object, "status", "drift", "gone"); gone {
		return out, fmt.Errorf("the remote object of %s was destroyed, which cannot be adopted. Delete the "+
			"resource, or create the object again with landbridge reapply", out.Title())
	}
	changes, _, _ := unstructured.NestedSlice(u.Object, "status", "drift", "changes")
	if len(changes) == 0 {
		return out, fmt.Errorf("%s has no drift", out.Title())
	}
	before, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")
	at, _, _ := unstructured.NestedMap(u.Object, "status", "atProvider")
	a := adopter{inputs: inputs}
	after := runtime.DeepCopyJSON(before)
	if after == nil {
		after = map[string]any{}
	}
	for _, x := range changes {
		change, _ := x.(map[string]any)
		path, _ := change["path"].(string)
		steps, err := parseFieldPath(path)
		if err == nil {
			err = a.adopt(after, at, steps, nil, change["after"] == nil && change["afterSensitive"] != true)
		}
		if err != nil {
			out.Left = append(out.Left, fmt.Sprintf("%s: %s", path, err))
		}
	}
	patch := mergePatch(before, after)
	if len(patch) == 0 {
		return out, fmt.Errorf("nothing of the drift of %s can be adopted. %s", out.Title(), strings.Join(out.Left, ". "))
	}
	out.Patch = map[string]any{"spec": map[string]any{"forProvider": patch}}
	out.Removed = removed(patch, "")
	return out, nil
}

// Apply applies an adoption by server-side apply.
func (c *Client) Apply(ctx context.Context, a Adoption, k Kind) error {
	if len(a.Removed) > 0 {
		return fmt.Errorf("server-side apply cannot remove fields that others have set: %s. Use the patch instead", strings.Join(a.Removed, ", "))
	}
	body := map[string]any{
		"apiVersion": a.APIVersion, "kind": a.Kind, "metadata": map[string]any{"name": a.Name, "namespace": a.Namespace}, "spec": a.Patch["spec"],
	}
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = c.resources(k, a.Namespace).Patch(ctx, a.Name, types.ApplyPatchType, b, metav1.PatchOptions{
		FieldManager: "landbridge-adopt-drift", Force: ptr.To(true),
	})
	return err
}

// step is a key of an object, an index of a list, or an element of a set.
type step struct {
	key   string
	index int
	kind  byte // k, i or s
}

// parseFieldPath parses a path as in status.drift, such as rule[0].maxAge, tags["a.b"] or zones[*].
func parseFieldPath(path string) ([]step, error) {
	var out []step
	rest := path
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "[*]"):
			out, rest = append(out, step{kind: 's'}), rest[3:]
		case strings.HasPrefix(rest, `["`):
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err != nil {
				return nil, errors.New("it is not a field")
			}
			key, _ := strconv.Unquote(quoted)
			out, rest = append(out, step{kind: 'k', key: key}), strings.TrimPrefix(rest[1+len(quoted):], "]")
		case rest[0] == '[':
			number, after, ok := strings.Cut(rest[1:], "]")
			n, err := strconv.Atoi(number)
			if !ok || err != nil {
				return nil, errors.New("it is not a field")
			}
			out, rest = append(out, step{kind: 'i', index: n}), after
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, errors.New("it is not a field")
			}
			out, rest = append(out, step{kind: 'k', key: rest[:end]}), rest[end:]
		}
	}
	if len(out) == 0 || out[0].kind != 'k' || out[0].key == "…" {
		return nil, errors.New("the status does not show all changes. Adopt these first, and then again")
	}
	return out, nil
}

type adopter struct {
	inputs func() (map[string]any, error)
}

// adopt sets the value at a path of to as in from. at is the path that leads to both. gone is set
// when the value does not exist remotely.
func (a adopter) adopt(to, from map[string]any, steps []step, at []string, gone bool) error {
	key := steps[0].key
	at = append(slices.Clone(at), key)
	value, exists := from[key]
	if len(steps) == 1 || steps[1].kind != 'k' && whole(to[key], value, steps[1]) {
		return a.set(to, key, value, exists, at, gone)
	}
	if steps[1].kind == 'k' {
		next, _ := value.(map[string]any)
		inner, ok := to[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
		}
		if err := a.adopt(inner, next, steps[1:], at, gone); err != nil {
			return err
		}
		to[key] = inner
		return nil
	}
	i := steps[1].index
	mine, theirs := to[key].([]any), value.([]any)
	if len(steps) == 2 {
		mine[i] = theirs[i]
		return nil
	}
	inner, ok := mine[i].(map[string]any)
	next, okToo := theirs[i].(map[string]any)
	if !ok || !okToo || steps[2].kind != 'k' {
		return a.set(to, key, value, exists, at, gone)
	}
	return a.adopt(inner, next, steps[2:], append(at, ""), gone)
}

// whole reports whether a list has to be adopted as a whole: the element at a step is not one of
// the other list.
func whole(mine, theirs any, s step) bool {
	m, ok := mine.([]any)
	t, okToo := theirs.([]any)
	return !ok || !okToo || len(m) != len(t) || s.kind != 'i' || s.index >= len(m)
}

func (a adopter) set(to map[string]any, key string, value any, exists bool, at []string, gone bool) error {
	if !exists {
		if !gone {
			return errors.New("the value is not in status.atProvider, since it is sensitive or too long")
		}
		delete(to, key)
		return nil
	}
	if hasSecret(to[key]) {
		return errors.New("it has references to Secrets, which are not in status.atProvider. Change it yourself")
	}
	if hasObject(value) {
		schema, err := a.inputs()
		if err != nil {
			return err
		}
		value = prune(value, schemaAt(schema, at))
	}
	to[key] = value
	return nil
}

func hasSecret(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if strings.HasSuffix(k, "SecretRef") || hasSecret(x) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasSecret)
	}
	return false
}

func hasObject(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return true
	case []any:
		return slices.ContainsFunc(v, hasObject)
	}
	return false
}

// inputs returns the schema of spec.forProvider of a kind, as the API server publishes it.
func (c *Client) inputs(k Kind) (map[string]any, error) {
	paths, err := c.discovery.OpenAPIV3().Paths()
	if err != nil {
		return nil, err
	}
	group, ok := paths["apis/"+k.GroupVersion().String()]
	if !ok {
		return nil, fmt.Errorf("the API server does not publish the schema of %s", k)
	}
	b, err := group.Schema(runtime.ContentTypeJSON)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(b, &document); err != nil {
		return nil, err
	}
	schemas, _, _ := unstructured.NestedMap(document, "components", "schemas")
	for _, s := range schemas {
		m, _ := s.(map[string]any)
		kinds, _, _ := unstructured.NestedSlice(m, "x-kubernetes-group-version-kind")
		for _, x := range kinds {
			if gvk, _ := x.(map[string]any); gvk["kind"] == k.Kind && gvk["group"] == k.Group {
				out, _, _ := unstructured.NestedMap(m, "properties", "spec", "properties", "forProvider")
				return out, nil
			}
		}
	}
	return nil, fmt.Errorf("the API server does not publish the schema of %s", k)
}

// schemaAt returns the schema at a path, in which an empty key is an element of a list; nil if
// there is none.
func schemaAt(schema map[string]any, at []string) map[string]any {
	for _, key := range at {
		next := "items"
		if key == "" {
			schema, _ = schema[next].(map[string]any)
			continue
		}
		properties, _ := schema["properties"].(map[string]any)
		inner, ok := properties[key].(map[string]any)
		if !ok {
			inner, _ = schema["additionalProperties"].(map[string]any)
		}
		schema = inner
	}
	return schema
}

// prune removes the fields of a value that spec does not have.
func prune(v any, schema map[string]any) any {
	properties, typed := schema["properties"].(map[string]any)
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			inner, ok := properties[k].(map[string]any)
			if typed && !ok {
				continue
			}
			if !typed {
				inner, _ = schema["additionalProperties"].(map[string]any)
			}
			out[k] = prune(x, inner)
		}
		return out
	case []any:
		items, _ := schema["items"].(map[string]any)
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = prune(x, items)
		}
		return out
	default:
		return v
	}
}

// mergePatch returns the merge patch from one object to another.
func mergePatch(from, to map[string]any) map[string]any {
	out := map[string]any{}
	for k := range from {
		if _, ok := to[k]; !ok {
			out[k] = nil
		}
	}
	for k, v := range to {
		was, ok := from[k]
		m, isMap := v.(map[string]any)
		w, wasMap := was.(map[string]any)
		switch {
		case ok && reflect.DeepEqual(was, v):
		case isMap && wasMap:
			out[k] = mergePatch(w, m)
		default:
			out[k] = v
		}
	}
	return out
}

// removed returns the paths that a merge patch removes.
func removed(patch map[string]any, at string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(patch)) {
		switch v := patch[k].(type) {
		case nil:
			out = append(out, at+k)
		case map[string]any:
			out = append(out, removed(v, at+k+".")...)
		}
	}
	return out
}
