package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform/engine/internal/enginetest"
	"github.com/landbridge-io/landbridge/schema"
)

// lists sets the server's answer to a list.
func (f *fixture) lists(results ...tfprotov6.ListResourceResult) {
	f.Provider.ListResources = map[string]*schema.Block{
		f.resource.Schema.Type: {
			Attributes: map[string]*schema.Attribute{"region": {Type: cty.String, Optional: true}},
		},
	}
	f.List = func(*tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
		return &tfprotov6.ListResourceServerStream{Results: slices.Values(results)}, nil
	}
}

// nothing returns an identity whose attributes are null.
func nothing() cty.Value {
	out := map[string]cty.Value{}
	for name, v := range identity("1").AsValueMap() {
		out[name] = cty.NullVal(v.Type())
	}
	return cty.ObjectVal(out)
}

func TestListStates(t *testing.T) {
	type listed struct{ identity, state cty.Value }
	full := object(map[string]cty.Value{"o": str("x"), "c": str("made")})
	for name, test := range map[string]struct {
		results func(f *fixture) []tfprotov6.ListResourceResult
		limit   int
		want    []listed
		more    bool
		failure string
	}{
		"none": {limit: 10},
		"with its state": {limit: 10, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{{Identity: f.encIdentity(identity("1")), Resource: f.enc(full)}}
		}, want: []listed{{identity("1"), full}}},
		"without a state": {limit: 10, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{
				{Identity: f.encIdentity(identity("1"))},
				{Identity: f.encIdentity(identity("2")), Resource: f.enc(cty.NullVal(thing().ImpliedType()))},
			}
		}, want: []listed{{identity("1"), cty.NilVal}, {identity("2"), cty.NilVal}}},
		"as many as the limit": {limit: 1, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{{Identity: f.encIdentity(identity("1")), Resource: f.enc(full)}}
		}, want: []listed{{identity("1"), full}}, more: true},
		"with an unknown value": {limit: 10, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{{
				Identity: f.encIdentity(identity("1")), Resource: f.enc(object(map[string]cty.Value{"c": unknown})),
			}}
		}, failure: "Provider listed an invalid object"},
		"with a write-only value": {limit: 10, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{{
				Identity: f.encIdentity(identity("1")),
				Resource: f.enc(object(map[string]cty.Value{"wo": str("secret")})),
			}}
		}, failure: "Provider listed an invalid object"},
		"whose identity has only nulls": {limit: 10, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{{Identity: f.encIdentity(nothing()), Resource: f.enc(full)}}
		}, failure: "All attributes of the identity"},
		"of another type": {limit: 10, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{{Identity: f.encIdentity(identity("1")), Resource: enc(t, str("x"), cty.String)}}
		}, failure: "does not fit its schema"},
		"with an error": {limit: 10, results: func(f *fixture) []tfprotov6.ListResourceResult {
			return []tfprotov6.ListResourceResult{{Diagnostics: providerError("Quota exceeded", "Too many lists.")}}
		}, failure: "Quota exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			f.lists()
			if test.results != nil {
				f.lists(test.results(f)...)
			}
			var got []listed
			more, diags := f.engine.ListStates(t.Context(), f.resource, map[string]cty.Value{"region": str("here")},
				test.limit, func(identity, state cty.Value) {
					got = append(got, listed{identity, state})
				})
			if diags.HasErrors() != (test.failure != "") || !strings.Contains(diags.String(), test.failure) ||
				strings.Contains(diags.String(), "secret") {
				t.Fatalf("got errors %v, want %q", diags, test.failure)
			}
			same := func(a, b cty.Value) bool {
				return (a == cty.NilVal) == (b == cty.NilVal) && (a == cty.NilVal || a.RawEquals(b))
			}
			if !slices.EqualFunc(got, test.want, func(a, b listed) bool {
				return same(a.identity, b.identity) && same(a.state, b.state)
			}) || more != test.more {
				t.Errorf("got %#v, more %t; want %#v", got, more, test.want)
			}
			asked := enginetest.Requests[*tfprotov6.ListResourceRequest](f.Server)
			if len(asked) != 1 || !asked[0].IncludeResource || asked[0].Limit != int64(test.limit) {
				t.Errorf("asked %+v", asked)
			}
		})
	}
	t.Run("no list resource", func(t *testing.T) {
		f := newFixture(t, thing())
		_, diags := f.engine.ListStates(t.Context(), f.resource, nil, 10, func(cty.Value, cty.Value) {})
		if !diags.HasErrors() {
			t.Error("no error")
		}
	})
	t.Run("no such argument", func(t *testing.T) {
		f := newFixture(t, thing())
		f.lists()
		_, diags := f.engine.ListStates(t.Context(), f.resource, map[string]cty.Value{"area": str("x")}, 10, func(cty.Value, cty.Value) {})
		if !diags.HasErrors() {
			t.Error("no error")
		}
	})
}
