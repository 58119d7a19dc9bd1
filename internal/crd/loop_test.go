package crd_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func testResource(t rapid.TB, b *schema.Block) *model.Resource {
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: b}}}
	return provider(t, "test", s).Resources["test_thing"]
}

// What is observed is accepted as status, and nothing of it is pruned.
func TestObservationsAreAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		r := testResource(t, b)
		v := schematest.Value(t, b)
		server := serve(t, definition(t, r))
		object := map[string]any{
			"spec":   map[string]any{"forProvider": map[string]any{}, "managementPolicies": []any{"Observe"}},
			"status": map[string]any{"atProvider": translate.Observation(r, v)},
		}
		got, errs := server.write(t, object, nil)
		if len(errs) > 0 {
			t.Fatalf("%s\n%#v", messages(errs), v)
		}
		if diff := cmp.Diff(form(t, object)["status"], got["status"]); diff != "" {
			t.Fatalf("-want, +got:\n%s", diff)
		}
	})
}

// optional makes everything that can be given optional: what is required is not the question here.
func optional(attributes map[string]*schema.Attribute) {
	for _, a := range attributes {
		if a.Required {
			a.Required, a.Optional = false, true
		}
		if a.Nested != nil {
			optional(a.Nested.Attributes)
		}
	}
}

func optionalBlock(b *schema.Block) {
	optional(b.Attributes)
	for _, n := range b.Blocks {
		optionalBlock(n.Block)
	}
}

// user writes values into a spec, as a person would.
type user struct {
	t       rapid.TB
	secrets map[string][]byte
}

func (u *user) read(s translate.SecretKeySelector) ([]byte, error) {
	v, ok := u.secrets[s.Name+"/"+s.Key]
	if !ok {
		return nil, fmt.Errorf("there is no Secret %s with a key %s", s.Name, s.Key)
	}
	return v, nil
}

// write returns what the user writes for a value, and the value that this means: what cannot be
// given is absent, and numbers are ones that the API server keeps.
func (u *user) write(t *model.Type, v cty.Value) (any, cty.Value) {
	if v.IsNull() && t.Kind != model.Dynamic {
		return nil, t.Absent
	}
	switch t.Kind {
	case model.Dynamic, model.Tuple:
		j, err := translate.Encode(t, v)
		if err != nil {
			u.t.Fatal(err)
		}
		if j == nil {
			return nil, cty.NullVal(t.Cty)
		}
		return j, v
	case model.Number:
		if i, acc := v.AsBigFloat().Int64(); acc == 0 {
			return i, v
		}
		return 7, cty.NumberIntVal(7)
	case model.List, model.Set:
		elements := []any{}
		var values []cty.Value
		seen := map[string]bool{}
		for it := v.ElementIterator(); it.Next(); {
			_, x := it.Element()
			j, value := u.write(t.Element, x)
			key := fmt.Sprintf("%#v", j)
			if t.Kind == model.Set && t.Element.IsPrimitive() && (j == nil || seen[key]) {
				continue
			}
			seen[key] = true
			elements, values = append(elements, j), append(values, value)
		}
		if t.Singleton {
			if len(elements) == 0 {
				return nil, t.Absent
			}
			return elements[0], collection(t, values)
		}
		return elements, collection(t, values)
	case model.Map:
		elements, values := map[string]any{}, map[string]cty.Value{}
		for it := v.ElementIterator(); it.Next(); {
			k, x := it.Element()
			elements[k.AsString()], values[k.AsString()] = u.write(t.Element, x)
		}
		switch {
		case t.Cty == cty.DynamicPseudoType:
			return elements, cty.ObjectVal(values)
		case len(values) == 0:
			return elements, cty.MapValEmpty(t.Cty.ElementType())
		}
		return elements, cty.MapVal(values)
	case model.Object:
		elements, values := map[string]any{}, map[string]cty.Value{}
		for _, f := range t.Object.All {
			x := v.GetAttr(f.Name)
			switch {
			case !f.Input:
				values[f.Name] = f.Type.Absent
			case f.SecretRef != "":
				values[f.Name] = x
				if x.IsNull() {
					values[f.Name] = f.Type.Absent
					continue
				}
				name := fmt.Sprintf("s%d", len(u.secrets))
				u.secrets[name+"/key"] = secretOf(u.t, f.Type, x)
				elements[f.SecretRef] = map[string]any{"name": name, "key": "key"}
			default:
				j, value := u.write(f.Type, x)
				if values[f.Name] = value; j != nil {
					elements[f.JSONName] = j
				}
			}
		}
		return elements, cty.ObjectVal(values)
	case model.String:
		return v.AsString(), v
	default:
		return v.True(), v
	}
}

func secretOf(t rapid.TB, ty *model.Type, v cty.Value) []byte {
	j, err := translate.Encode(ty, v)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := j.(string); ok && ty.IsPrimitive() {
		return []byte(s)
	}
	raw, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func collection(t *model.Type, values []cty.Value) cty.Value {
	switch {
	case t.Cty == cty.DynamicPseudoType:
		return cty.TupleVal(values)
	case t.Kind == model.Set && len(values) == 0:
		return cty.SetValEmpty(t.Cty.ElementType())
	case t.Kind == model.Set:
		return cty.SetVal(values)
	case len(values) == 0:
		return cty.ListValEmpty(t.Cty.ElementType())
	default:
		return cty.ListVal(values)
	}
}

// What a user writes is accepted, not pruned, and is the configuration that the user meant.
func TestSpecsAreAcceptedAndUnderstood(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		optionalBlock(b)
		r := testResource(t, b)
		v := schematest.Value(t, b)
		u := &user{t: t, secrets: map[string][]byte{}}
		written, want := u.write(r.Root(), v)
		object := map[string]any{"spec": map[string]any{"forProvider": written}}
		got, errs := serve(t, definition(t, r)).write(t, object, nil)
		if len(errs) > 0 {
			t.Fatalf("%s\n%#v", messages(errs), written)
		}
		spec := got["spec"].(map[string]any)["forProvider"].(map[string]any)
		if diff := cmp.Diff(form(t, object)["spec"].(map[string]any)["forProvider"], any(spec)); diff != "" {
			t.Fatalf("-want, +got:\n%s", diff)
		}
		c, diags := translate.Config(r, spec, nil, u.read)
		if diags.HasErrors() { // large numbers in dynamically typed values are warned about
			t.Fatalf("%s\n%v", diags, written)
		}
		if !c.Value.RawEquals(want) {
			t.Fatalf("got %#v\nwant %#v\nfrom %v", c.Value, want, written)
		}
		// The same under initProvider.
		again, diags := translate.Config(r, nil, spec, u.read)
		if diags.HasErrors() || !again.Value.RawEquals(want) {
			t.Fatalf("from initProvider: %s, got %#v\nwant %#v", diags, again.Value, want)
		}
	})
}
