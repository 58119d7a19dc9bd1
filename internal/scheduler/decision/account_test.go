package decision_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/schema"
)

// Only what a provider makes shows whether two objects are the same.
func TestCompareMade(t *testing.T) {
	inside := map[string]*schema.Attribute{
		"uid": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Optional: true, Computed: true},
	}
	s := &schema.Resource{Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"id":         {Type: cty.String, Optional: true, Computed: true}, // as in the legacy SDK
			"name":       {Type: cty.String, Required: true},
			"number":     {Type: cty.Number, Computed: true},
			"created_at": {Type: cty.String, Computed: true},
			"updated_at": {Type: cty.String, Computed: true},
			"etag":       {Type: cty.String, Computed: true},
			"secret_id":  {Type: cty.String, Computed: true, Sensitive: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"metadata": {Nesting: schema.NestingList, Block: &schema.Block{Attributes: inside}},
		},
	}}
	object := func(values map[string]string, uids ...string) cty.Value {
		out := map[string]cty.Value{"number": cty.NullVal(cty.Number)}
		for _, name := range []string{"id", "name", "created_at", "updated_at", "etag", "secret_id"} {
			if out[name] = cty.NullVal(cty.String); values[name] != "" {
				out[name] = cty.StringVal(values[name])
			}
		}
		element := cty.Object(map[string]cty.Type{"uid": cty.String, "name": cty.String})
		var list []cty.Value
		for _, uid := range uids {
			list = append(list, cty.ObjectVal(map[string]cty.Value{"uid": cty.StringVal(uid), "name": cty.StringVal("n")}))
		}
		if out["metadata"] = cty.ListValEmpty(element); len(list) > 0 {
			out["metadata"] = cty.ListVal(list)
		}
		return cty.ObjectVal(out)
	}
	type m = map[string]string
	const uuid, other = "0b0ad6ad-0000-4000-8000-000000000001", "0b0ad6ad-0000-4000-8000-000000000002"
	tests := map[string]struct {
		stored, found cty.Value
		want          any
	}{
		"the same id": {object(m{"id": uuid, "name": "x"}), object(m{"id": uuid, "name": "y"}), decision.Proved},
		"another id":  {object(m{"id": uuid}), object(m{"id": other}), decision.Stranger},
		"an id made of the name": {
			object(m{"id": "ns/web-server", "name": "web-server"}),
			object(m{"id": "ns/web-server", "name": "web-server"}), decision.Undecided,
		},
		"a short id":       {object(m{"id": "17"}), object(m{"id": "17"}), decision.Undecided},
		"another short id": {object(m{"id": "17"}), object(m{"id": "18"}), decision.Stranger},
		"created at the same time": {
			object(m{"id": "17", "created_at": "2026-01-02T15:04:05Z"}),
			object(m{"id": "17", "created_at": "2026-01-02T15:04:05Z"}), decision.Proved,
		},
		"created at another time": {
			object(m{"id": "17", "created_at": "2026-01-02T15:04:05Z"}),
			object(m{"id": "17", "created_at": "2026-01-03T15:04:05Z"}), decision.Stranger,
		},
		"one the same, another not": {
			object(m{"id": uuid, "created_at": "2026-01-02T15:04:05Z"}),
			object(m{"id": uuid, "created_at": "2026-01-03T15:04:05Z"}), decision.Stranger,
		},
		"what changes with an update": {
			object(m{"id": uuid, "etag": "aaaaaaaaaa", "updated_at": "2026"}),
			object(m{"id": uuid, "etag": "bbbbbbbbbb", "updated_at": "2027"}), decision.Proved,
		},
		"only what may change":    {object(m{"etag": "aaaaaaaaaa"}), object(m{"etag": "aaaaaaaaaa"}), decision.Undecided},
		"a secret":                {object(m{"secret_id": uuid}), object(m{"secret_id": other}), decision.Undecided},
		"not told any more":       {object(m{"created_at": "2026-01-02T15:04:05Z"}), object(nil), decision.Undecided},
		"the same uid in a block": {object(m{"id": "n"}, uuid), object(m{"id": "n"}, uuid), decision.Proved},
		"another uid in a block":  {object(m{"id": "n"}, uuid), object(m{"id": "n"}, other), decision.Stranger},
		"blocks in another order": {object(nil, uuid, other), object(nil, other, uuid), decision.Undecided},
		"nothing is stored":       {cty.NilVal, object(m{"id": uuid}), decision.Undecided},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := decision.CompareMade(s, test.stored, test.found); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
