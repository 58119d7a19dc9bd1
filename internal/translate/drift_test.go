package translate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Drift is presented as changes are, after it was stored, and without secrets.
func TestDrift(t *testing.T) {
	t.Parallel()
	r := thing(t)
	b := r.Schema.Block
	str := cty.StringVal
	object := func(values map[string]cty.Value) cty.Value { return with(b, values) }
	label := func(block, l string) cty.Value {
		return with(b.Blocks[block].Block, map[string]cty.Value{"label": str(l), "token": str("hunter2")})
	}
	tags := func(pairs ...string) cty.Value {
		m := map[string]cty.Value{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = str(pairs[i+1])
		}
		return object(map[string]cty.Value{"tags": cty.MapVal(m)})
	}
	name := cty.GetAttrPath("name")
	tests := map[string]struct {
		before, after cty.Value
		sensitive     []cty.Path
		concealed     []cty.Path
		want          []translate.Change
	}{
		"none": {before: object(nil), after: object(nil)},
		"primitive": {
			before: object(map[string]cty.Value{"size": cty.NumberIntVal(1)}),
			after:  object(map[string]cty.Value{"size": cty.NumberIntVal(2)}), want: []translate.Change{{
				Path: "size", Before: int64(1), After: int64(2),
			}},
		},
		"unset": {
			before: object(map[string]cty.Value{"name": str("x")}), after: object(nil), want: []translate.Change{{
				Path: "name", Before: "x",
			}},
		},
		"maps": {
			before: tags("a", "1", "b", "1"), after: tags("b", "2", "c", "1"),
			want: []translate.Change{
				{Path: `tags["a"]`, Before: "1"}, {Path: `tags["b"]`, Before: "1", After: "2"}, {
					Path: `tags["c"]`, After: "1",
				},
			},
		},
		"sensitive in the schema": {
			before: object(map[string]cty.Value{"password": str("hunter1")}), after: object(map[string]cty.Value{"password": str("hunter2")}),
			want: []translate.Change{{Path: "password", BeforeSensitive: true, AfterSensitive: true}},
		},
		"sensitive by its source": {
			before: object(nil), after: object(map[string]cty.Value{"name": str("hunter2")}), sensitive: []cty.Path{name},
			want: []translate.Change{{Path: "name", AfterSensitive: true}},
		},
		"concealed later": {
			before: object(nil), after: object(map[string]cty.Value{"name": str("hunter2")}), concealed: []cty.Path{name},
			want: []translate.Change{{Path: "name", AfterSensitive: true}},
		},
		"long": {
			before: object(map[string]cty.Value{"name": str("x")}), after: object(map[string]cty.Value{"name": str(strings.Repeat("x", 5000))}),
			want: []translate.Change{{Path: "name", Before: translate.LongValue, After: translate.LongValue}},
		},
		"blocks in a list": {
			before: object(map[string]cty.Value{"list_block": cty.ListVal([]cty.Value{label("list_block", "a")})}),
			after:  object(map[string]cty.Value{"list_block": cty.ListVal([]cty.Value{label("list_block", "b"), label("list_block", "c")})}),
			want: []translate.Change{
				{Path: "listBlock[0].label", Before: "a", After: "b"}, {Path: "listBlock[1].label", After: "c"},
				{Path: "listBlock[1].token", AfterSensitive: true},
			},
		},
		"blocks in a set": {
			before: object(map[string]cty.Value{"set_block": cty.SetVal([]cty.Value{label("set_block", "a")})}),
			after:  object(map[string]cty.Value{"set_block": cty.SetVal([]cty.Value{label("set_block", "b")})}),
			want: []translate.Change{
				{Path: "setBlock[*]", Before: map[string]any{"label": "a"}}, {
					Path: "setBlock[*]", After: map[string]any{"label": "b"},
				},
			},
		},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			d := instance.DriftAfter(nil, instance.Read{Before: test.before, After: test.after, At: time.Now(), Sensitive: func(p cty.Path) bool {
				for _, s := range append(test.sensitive, cty.GetAttrPath("password")) {
					if p.Equals(s) {
						return true
					}
				}
				return false
			}})
			if d == nil {
				d = &instance.Drift{}
			}
			raw, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			var stored instance.Drift
			if err := json.Unmarshal(raw, &stored); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, translate.Drift(r, stored.Changes, test.concealed...)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if test.sensitive != nil && strings.Contains(string(raw), "hunter") {
				t.Errorf("a secret is kept: %s", raw)
			}
		})
	}
	t.Run("of another schema", func(t *testing.T) {
		t.Parallel()
		got := translate.Drift(r, []instance.DriftChange{
			{Path: instance.Path(cty.GetAttrPath("no_such")), Before: []byte(`{"value":"x","type":"string"}`)},
			{Path: instance.Path(cty.GetAttrPath("size")), Before: []byte(`{"value":"x","type":"string"}`)},
			{Path: instance.Path(cty.GetAttrPath("size").IndexInt(0)), Before: []byte(`{"value":"x","type":"string"}`)},
		})
		if got != nil {
			t.Errorf("got %+v", got)
		}
	})
}
