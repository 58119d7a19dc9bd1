package differential

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// objectName is the name of all custom resources here, and that of the resources in the states.
const objectName = "x"

// manifestOf is what a user wants in a step, as one would give it to kubectl. A null config wants
// nothing: such a manifest is for a destroy. identity is what to import by, or cty.NilVal.
func manifestOf(m *model.Resource, step cases.Step, config cty.Value, importID string, identity cty.Value) ([]byte, error) {
	w := manifestWriter{name: strings.ReplaceAll(m.Type, "_", "-"), secrets: map[string][]byte{}}
	spec := map[string]any{"forProvider": map[string]any{}}
	if !config.IsNull() {
		in, err := w.object(m.Root(), config)
		if err != nil {
			return nil, err
		}
		spec["forProvider"] = in
	}
	lifecycle := map[string]any{}
	if step.CreateBeforeDestroy {
		lifecycle["createBeforeDestroy"] = true
	}
	if ignored := ignoredFields(m, step.IgnoreChanges); len(ignored) > 0 {
		lifecycle["ignoreChanges"] = ignored
	}
	spec["lifecycle"] = lifecycle
	switch {
	case identity != cty.NilVal:
		spec["import"] = map[string]any{"identity": translate.Identity(m, identity)}
	case importID != "":
		spec["import"] = map[string]any{"id": importID}
	}
	gvk := m.GroupVersionKind()
	items := []any{map[string]any{
		"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind,
		"metadata": map[string]any{"name": objectName}, "spec": spec,
	}}
	if len(w.secrets) > 0 {
		items = append(items, map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": w.name}, "data": w.secrets,
		})
	}
	raw, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	return forYAML(raw), err
}

func ignoredFields(m *model.Resource, names []string) []string {
	if slices.Equal(names, []string{"*"}) {
		return names
	}
	var out []string
	for _, name := range names {
		out = append(out, m.FieldPath(cty.GetAttrPath(name)))
	}
	return out
}

// forYAML is JSON that is YAML, too: YAML knows no half characters, and takes some for line ends.
func forYAML(raw []byte) []byte {
	var out []byte
	for _, r := range string(raw) {
		if r < utf8.RuneSelf && r != 0x7f || r > 0xffff {
			out = utf8.AppendRune(out, r)
			continue
		}
		out = fmt.Appendf(out, `\u%04x`, r)
	}
	return out
}

// manifestWriter writes values as spec.forProvider has them.
type manifestWriter struct {
	// name is that of the Secret.
	name string
	// secrets are what the written fields refer to, by key.
	secrets map[string][]byte
}

func (w *manifestWriter) object(t *model.Type, v cty.Value) (map[string]any, error) {
	out := map[string]any{}
	for _, f := range t.Object.All {
		x := v.GetAttr(f.Name)
		if !f.Input || x.IsNull() {
			continue
		}
		var err error
		if f.SecretRef != "" {
			out[f.SecretRef], err = w.secret(f.Type, x)
		} else {
			out[f.JSONName], err = w.value(f.Type, x)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// secret puts a value into the Secret, and returns a reference to it.
func (w *manifestWriter) secret(t *model.Type, v cty.Value) (any, error) {
	key := fmt.Sprintf("key-%d", len(w.secrets))
	if t.IsPrimitive() {
		text, err := wire.MarshalJSON(v, t.Cty)
		if err != nil {
			return nil, err
		}
		w.secrets[key] = text
		if t.Kind == model.String {
			w.secrets[key] = []byte(v.AsString())
		}
	} else {
		j, err := translate.Encode(t, v)
		if err != nil {
			return nil, err
		}
		if w.secrets[key], err = json.Marshal(j); err != nil {
			return nil, err
		}
	}
	return map[string]any{"name": w.name, "key": key}, nil
}

func (w *manifestWriter) value(t *model.Type, v cty.Value) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	if t.Kind == model.Object {
		return w.object(t, v)
	}
	if t.Element == nil {
		return translate.Encode(t, v)
	}
	keyed, list := map[string]any{}, []any{}
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		x, err := w.value(t.Element, e)
		if err != nil {
			return nil, err
		}
		if t.Kind == model.Map {
			keyed[key.AsString()] = x
			continue
		}
		list = append(list, x)
	}
	switch {
	case t.Kind == model.Map:
		return keyed, nil
	case !t.Singleton:
		return list, nil
	case len(list) == 0:
		return nil, nil
	}
	return list[0], nil
}
