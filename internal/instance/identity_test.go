package instance_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
)

func identified(id cty.Value) instance.Instance {
	return instance.Instance{
		State: cty.EmptyObjectVal, Status: instance.Full, IdentityVersion: 1,
		Identity: cty.ObjectVal(map[string]cty.Value{"id": id}),
	}
}

func TestIdentityHistory(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	a, b := identified(cty.StringVal("<a>")), identified(cty.StringVal("b"))
	none := identified(cty.NilVal)
	none.Identity = cty.NullVal(a.Identity.Type())
	raw := instance.Instance{State: cty.EmptyObjectVal, RawIdentity: []byte(`{"arn":"a"}`)}
	other := a
	other.Identity = cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("a")})
	gone := a
	gone.State = cty.NullVal(cty.EmptyObject)
	former := []instance.FormerIdentity{{
		Identity: []byte(`{"id":"\u003ca\u003e"}`), Version: 1, Until: time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC),
	}}
	for name, tc := range map[string]struct {
		prior, next instance.Instance
		want        []instance.FormerIdentity
	}{
		"changed":                   {a, b, former},
		"the same":                  {a, a, nil},
		"not known before":          {none, a, nil},
		"not known any more":        {a, none, nil},
		"upgraded":                  {raw, a, nil},
		"of another schema":         {other, a, nil},
		"of an object that is gone": {gone, b, nil},
		"the object is gone":        {a, gone, nil},
	} {
		t.Run(name, func(t *testing.T) {
			out := tc.next.AfterIdentity(tc.prior, now)
			if diff := cmp.Diff(tc.want, out.IdentityHistory); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
			if got := instance.IdentityChanged(tc.prior, tc.next); got != (tc.want != nil) {
				t.Errorf("changed: %t", got)
			}
		})
	}
}

func TestIdentityHistoryIsBounded(t *testing.T) {
	in := identified(cty.StringVal("0"))
	for i := range 2 * instance.MaxIdentityHistory {
		next := in
		next.Identity = identified(cty.StringVal(fmt.Sprint(i + 1))).Identity
		before := cmp.Diff(nil, in.IdentityHistory)
		after := next.AfterIdentity(in, time.Now())
		if cmp.Diff(nil, in.IdentityHistory) != before {
			t.Fatal("the history of the earlier instance was changed")
		}
		in = after
	}
	n := len(in.IdentityHistory)
	if n != instance.MaxIdentityHistory || string(in.IdentityHistory[n-1].Identity) != fmt.Sprintf(`{"id":"%d"}`, 2*n-1) {
		t.Errorf("%d former identities, the last being %s", n, in.IdentityHistory[n-1].Identity)
	}
}

// The JSON of an identity is the same for a value and a raw identity.
func TestIdentityJSON(t *testing.T) {
	r := testSchema()
	r.Identity.Attributes["ports"] = r.Identity.Attributes["id"]
	whole := cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("<i&1>"), "ports": cty.NullVal(cty.String)})
	for name, tc := range map[string]struct {
		in   instance.Instance
		want string
	}{
		"value": {instance.Instance{Identity: whole}, `{"id":"\u003ci\u00261\u003e","ports":null}`},
		"raw": {
			instance.Instance{RawIdentity: []byte(`{ "ports": null, "id": "<i&1>" }`)},
			`{"id":"\u003ci\u00261\u003e","ports":null}`,
		},
		"large number":  {instance.Instance{RawIdentity: []byte(`{"n":12345678901234567890.50}`)}, `{"n":12345678901234567890.50}`},
		"none":          {instance.Instance{}, ""},
		"null":          {instance.Instance{Identity: cty.NullVal(whole.Type())}, ""},
		"raw null":      {instance.Instance{RawIdentity: []byte("null")}, ""},
		"of nulls":      {identified(cty.NullVal(cty.String)), ""},
		"not all known": {identified(cty.UnknownVal(cty.String)), ""},
		"malformed":     {instance.Instance{RawIdentity: []byte(`{`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(tc.in.IdentityJSON()); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
