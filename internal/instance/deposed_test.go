package instance_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
)

func named(id string) instance.Instance {
	return instance.Instance{State: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)}), Status: instance.Full}
}

// withDeposed returns an instance with a current object, unless current is empty, and deposed
// objects whose ids are their keys.
func withDeposed(current string, deposed ...string) instance.Instance {
	var in instance.Instance
	if current != "" {
		in = named(current)
	}
	for _, key := range deposed {
		in.Deposed = append(in.Deposed, named(key).Depose(key))
	}
	return in
}

func TestDeposed(t *testing.T) {
	intent := &instance.Operation{ID: "op"}
	interrupted := withDeposed("", "a", "b")
	interrupted.Operation = intent
	recovered := withDeposed("b", "a")
	recovered.Operation = intent
	tests := map[string]struct{ got, want instance.Instance }{
		"set aside":                       {withDeposed("a").SetAside("a"), withDeposed("", "a")},
		"set aside a second object":       {withDeposed("b", "a").SetAside("b"), withDeposed("", "a", "b")},
		"fall back on the key":            {withDeposed("", "a", "b").FallBack("a"), withDeposed("a", "b")},
		"fall back on the last":           {withDeposed("", "a", "b").FallBack(""), withDeposed("b", "a")},
		"fall back for an unknown key":    {withDeposed("", "a").FallBack("c"), withDeposed("a")},
		"fall back keeps the operation":   {interrupted.FallBack(""), recovered},
		"no fall back with an object":     {withDeposed("b", "a").FallBack("a"), withDeposed("b", "a")},
		"no fall back without deposed":    {withDeposed("").FallBack("a"), withDeposed("")},
		"a deposed object is destroyed":   {withDeposed("c", "a", "b").WithDeposed("a", instance.Instance{}), withDeposed("c", "b")},
		"the last deposed is destroyed":   {withDeposed("c", "a").WithDeposed("a", instance.Instance{}), withDeposed("c")},
		"a deposed object is left":        {withDeposed("c", "a").WithDeposed("a", named("a")), withDeposed("c", "a")},
		"what is left of an unknown key":  {withDeposed("c", "a").WithDeposed("x", named("x")), withDeposed("c", "a")},
		"values are not changed in place": {interrupted, withOperation(withDeposed("", "a", "b"), intent)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			equal := cmp.Comparer(func(a, b cty.Value) bool {
				if a == cty.NilVal || b == cty.NilVal {
					return a == cty.NilVal && b == cty.NilVal
				}
				return a.RawEquals(b)
			})
			if diff := cmp.Diff(test.want, test.got, equal); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func withOperation(in instance.Instance, op *instance.Operation) instance.Instance {
	in.Operation = op
	return in
}

func TestIsDeposed(t *testing.T) {
	identified := func(id, identity string) instance.Instance {
		in := named(id)
		in.Identity = cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(identity)})
		return in
	}
	tests := map[string]struct {
		deposed, found instance.Instance
		want           bool
	}{
		"same id":                         {named("a"), named("a"), true},
		"another id":                      {named("a"), named("b"), false},
		"same identity":                   {identified("a", "x"), identified("b", "x"), true},
		"another identity":                {identified("a", "x"), identified("a", "y"), false},
		"one without an identity":         {named("a"), identified("b", "x"), false},
		"neither id nor identity to tell": {instance.Instance{RawState: []byte(`{}`)}, named("a"), true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := instance.Instance{Deposed: []instance.Deposed{test.deposed.Depose("key")}}
			if got := in.IsDeposed(test.found); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
	if (instance.Instance{}).IsDeposed(named("a")) {
		t.Error("there is no deposed object")
	}
}
