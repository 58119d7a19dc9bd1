package module_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

var thing = &schema.Resource{
	Type: "cloud_thing", Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}},
	},
}

func packed(t *testing.T, id string) []byte {
	t.Helper()
	v := cty.NullVal(thing.ImpliedType())
	if id != "" {
		v = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)})
	}
	b, err := wire.Marshal(v, thing.ImpliedType())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestReplay checks that answers are in the state as the program would have written them.
func TestReplay(t *testing.T) {
	t.Parallel()
	at := func(key any, kind instance.OperationKind, id string) module.Change {
		return module.Change{
			Address: fmt.Sprintf("module.this.cloud_thing.a[%v]", key), Module: "module.this", Type: "cloud_thing", Name: "a",
			Key: key, Kind: kind, Answered: true, State: packed(t, id),
		}
	}
	tainted, unanswered := at("x", instance.Create, "1"), at("x", instance.Create, "1")
	tainted.Tainted, unanswered.Answered = true, false
	failed := func(c module.Change) module.Change { c.Failed = true; return c }
	for name, test := range map[string]struct {
		changes []module.Change
		want    map[string]string // by key: the id and the status, of the current object and of deposed ones
	}{
		"nothing": {},
		"creates": {
			[]module.Change{at("x", instance.Create, "1"), at("y", instance.Create, "2")}, map[string]string{
				"x": "1 Full", "y": "2 Full",
			},
		},
		"with count": {
			[]module.Change{at(float64(0), instance.Create, "1"), at(float64(1), instance.Create, "2")},
			map[string]string{"0": "1 Full", "1": "2 Full"},
		},
		"no key": {[]module.Change{at(nil, instance.Create, "1")}, map[string]string{"<nil>": "1 Full"}},
		"a replaced object that is not destroyed": {
			[]module.Change{
				at("x", instance.Create, "1"), at("x", instance.Create, "2"), at("x", instance.Delete, "1"),
			}, map[string]string{"x": "2 Full, deposed 1 Full"},
		},
		"half an object":             {[]module.Change{tainted}, map[string]string{"x": "1 Tainted"}},
		"no answer":                  {[]module.Change{unanswered}, nil},
		"a create that made nothing": {[]module.Change{at("x", instance.Create, "")}, nil},
		"an update": {
			[]module.Change{at("x", instance.Create, "1"), at("x", instance.Update, "2")},
			map[string]string{"x": "2 Full"},
		},
		"a delete": {
			[]module.Change{
				at("x", instance.Create, "1"), at("y", instance.Create, "2"), at("x", instance.Delete, ""),
			}, map[string]string{"y": "2 Full"},
		},
		"a delete that failed": {
			[]module.Change{at("x", instance.Create, "1"), failed(at("x", instance.Delete, "1"))},
			map[string]string{"x": "1 Full"},
		},
		"a delete that failed of half an object": {
			[]module.Change{tainted, failed(at("x", instance.Delete, "1"))}, map[string]string{"x": "1 Tainted"},
		},
		"a delete that failed without an object": {
			[]module.Change{at("x", instance.Create, "1"), failed(at("x", instance.Delete, ""))}, map[string]string{"x": "1 Full"},
		},
		"an update that failed without an object": {
			[]module.Change{at("x", instance.Create, "1"), failed(at("x", instance.Update, ""))}, map[string]string{"x": "1 Full"},
		},
		"a deposed object whose delete failed without an object": {
			[]module.Change{
				at("x", instance.Create, "1"), at("x", instance.Create, "2"), failed(at("x", instance.Delete, "")),
			}, map[string]string{"x": "2 Full, deposed 1 Full"},
		},
		"a replacement that made nothing": {
			[]module.Change{at("x", instance.Create, "1"), failed(at("x", instance.Create, ""))}, map[string]string{"x": "1 Full"},
		},
		"a replacement that turned out to have made nothing": {
			[]module.Change{at("x", instance.Create, "1"), at("x", instance.Create, "")}, map[string]string{"x": "1 Full"},
		},
		"a replacement": {
			[]module.Change{
				at("x", instance.Create, "1"), at("x", instance.Delete, ""), at("x", instance.Create, "2"),
			}, map[string]string{"x": "2 Full"},
		},
		"half a replacement": {
			[]module.Change{at("x", instance.Create, "1"), at("x", instance.Create, "2")}, map[string]string{
				"x": "2 Full, deposed 1 Full",
			},
		},
		"a replacement the other way around": {
			[]module.Change{
				at("x", instance.Create, "1"), at("x", instance.Create, "2"), at("x", instance.Delete, ""),
			}, map[string]string{"x": "2 Full"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// In one operation, and each change in one of its own.
			whole, err := module.Replay(nil, test.changes, thing)
			if err != nil {
				t.Fatal(err)
			}
			var one []byte
			for _, c := range test.changes {
				if one, err = module.Replay(one, []module.Change{c}, thing); err != nil {
					t.Fatal(err)
				}
			}
			for how, b := range map[string][]byte{"in one operation": whole, "in several": one} {
				if b == nil {
					continue
				}
				state, err := tfstate.Read(b, func(string) *schema.Resource { return thing })
				if err != nil {
					t.Fatal(err)
				}
				var got map[string]string
				for _, r := range state.Resources {
					for _, i := range r.Instances {
						if got == nil {
							got = map[string]string{}
						}
						text := fmt.Sprintf("%s %s", i.State.GetAttr("id").AsString(), i.Status)
						for _, d := range i.Deposed {
							text += fmt.Sprintf(", deposed %s %s", d.State.GetAttr("id").AsString(), d.Status)
						}
						got[fmt.Sprint(i.IndexKey)] = text
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s: %s", how, diff)
				}
			}
		})
	}
}

// TestHas checks that the state of a program that was killed is not taken for the one after the
// changes.
func TestHas(t *testing.T) {
	t.Parallel()
	at := func(key any, kind instance.OperationKind, id string) module.Change {
		return module.Change{
			Address: fmt.Sprintf("module.this.cloud_thing.a[%v]", key), Module: "module.this", Type: "cloud_thing", Name: "a",
			Key: key, Kind: kind, Answered: true, State: packed(t, id),
		}
	}
	before := []module.Change{at("x", instance.Create, "1")}
	unanswered := at("y", instance.Create, "2")
	unanswered.Answered = false
	for name, test := range map[string]struct {
		changes []module.Change
		// present and exactly are what is reported of the state before the changes, without and
		// with a comparison.
		present, exactly bool
	}{
		"nothing":                        {present: true, exactly: true},
		"no answer":                      {changes: []module.Change{unanswered}, present: true, exactly: true},
		"another object":                 {changes: []module.Change{at("y", instance.Create, "2")}},
		"an update":                      {changes: []module.Change{at("x", instance.Update, "2")}, present: true},
		"a replacement":                  {changes: []module.Change{at("x", instance.Delete, ""), at("x", instance.Create, "2")}, present: true},
		"half a replacement":             {changes: []module.Change{at("x", instance.Create, "2")}, present: true},
		"a replacement the other way":    {changes: []module.Change{at("x", instance.Create, "2"), at("x", instance.Delete, "")}, present: true},
		"a delete, which the next finds": {changes: []module.Change{at("x", instance.Delete, "")}, present: true, exactly: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stale, err := module.Replay(nil, before, thing)
			if err != nil {
				t.Fatal(err)
			}
			after, err := module.Replay(stale, test.changes, thing)
			if err != nil {
				t.Fatal(err)
			}
			for exactly, want := range map[bool]bool{false: test.present, true: test.exactly} {
				if got := module.Has(stale, test.changes, thing, exactly); got != want {
					t.Errorf("exactly: %t: the state before has the objects: %t", exactly, got)
				}
				if !module.Has(after, test.changes, thing, exactly) {
					t.Errorf("exactly: %t: the state after does not have the objects", exactly)
				}
			}
		})
	}
}

// FuzzReadJournal checks that damaged journals do not panic.
func FuzzReadJournal(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("{}"))
	f.Fuzz(func(_ *testing.T, b []byte) { _ = module.ReadJournal(b) })
}
