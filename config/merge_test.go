package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

func types(names ...string) map[string]*schema.Resource {
	out := map[string]*schema.Resource{}
	for _, n := range names {
		out[n] = &schema.Resource{Type: n, Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}},
			Blocks: map[string]*schema.NestedBlock{"rule": {Nesting: schema.NestingSet, Block: &schema.Block{
				Attributes: map[string]*schema.Attribute{n: {Type: cty.String, Optional: true}},
			}}},
		}}
	}
	return out
}

func TestMerge(t *testing.T) {
	t.Parallel()
	yes, minute := true, &metav1.Duration{Duration: time.Minute}
	p := config.Provider{
		Overrides: []config.Override{
			{Match: []string{"*"}, Resource: config.Resource{
				Group: "one.example.org", ShortNames: []string{"x"}, Omit: []string{"a"}, Description: "any",
				Fields:         map[string]config.Field{"name": {Name: "title", Description: "first"}, "other": {Sensitive: true}},
				DefaultTags:    &config.DefaultTags{Tags: map[string]config.Template{"a": "1", "b": "2"}},
				LateInitialize: &config.LateInitialize{Enabled: &yes, Ignore: []string{"a"}},
				ListRefresh:    &config.ListRefresh{Arguments: map[string]config.IdentityValue{"a": "x", "b": "y"}, ReadEvery: 10},
				Timeouts:       &config.Timeouts{Create: minute, Delete: minute},
			}},
			{Having: []string{"rule.cloud_b"}, Resource: config.Resource{Plural: "bees"}},
			{Matches: func(r *schema.Resource) bool { return strings.HasSuffix(r.Type, "_a") }, Resource: config.Resource{Plural: "as"}},
		},
		Resources: map[string]config.Resource{"cloud_a": {
			Group: "two.example.org", Omit: []string{"b", "a"}, ShortNames: []string{},
			Fields:         map[string]config.Field{"name": {Description: "second"}},
			DefaultTags:    &config.DefaultTags{Attribute: "labels", Tags: map[string]config.Template{"b": "3"}},
			ExternalName:   &config.ExternalName{Argument: "name"},
			LateInitialize: &config.LateInitialize{Ignore: []string{"b"}},
			ListRefresh:    &config.ListRefresh{Arguments: map[string]config.IdentityValue{"b": "z"}, ReadEvery: 20},
			Timeouts:       &config.Timeouts{Delete: &metav1.Duration{Duration: time.Hour}},
		}},
	}
	before := *p.Overrides[0].Resource.DeepCopy()
	got, err := p.Merge(types("cloud_a", "cloud_b"))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Resource{
		Group: "two.example.org", Plural: "as", ShortNames: []string{}, Omit: []string{"a", "b"}, Description: "any",
		Fields:         map[string]config.Field{"name": {Name: "title", Description: "second"}, "other": {Sensitive: true}},
		DefaultTags:    &config.DefaultTags{Attribute: "labels", Tags: map[string]config.Template{"a": "1", "b": "3"}},
		ExternalName:   &config.ExternalName{Argument: "name"},
		LateInitialize: &config.LateInitialize{Enabled: &yes, Ignore: []string{"a", "b"}},
		ListRefresh:    &config.ListRefresh{Arguments: map[string]config.IdentityValue{"a": "x", "b": "z"}, ReadEvery: 20},
		Timeouts:       &config.Timeouts{Create: minute, Delete: &metav1.Duration{Duration: time.Hour}},
	}
	if diff := cmp.Diff(want, got["cloud_a"].Resource); diff != "" {
		t.Errorf("cloud_a: -want, +got:\n%s", diff)
	}
	if got["cloud_b"].Plural != "bees" || got["cloud_b"].Fields["name"].Description != "first" {
		t.Errorf("cloud_b: %+v", got["cloud_b"].Resource)
	}
	if diff := cmp.Diff(before, p.Overrides[0].Resource, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("merging changed an override: -before, +after:\n%s", diff)
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"of the entry":        {config.At(errors.New("x"), "omit", "0"), "resources.cloud_a.omit[0]: x"},
		"of an override":      {config.At(errors.New("x"), "fields", "other", "sensitive"), "overrides[0].fields.other.sensitive: x"},
		"of another override": {config.At(errors.New("x"), "plural"), "overrides[2].plural: x"},
		"of nothing":          {errors.New("x"), "resources.cloud_a: x"},
	} {
		if got := got["cloud_a"].Locate(test.err).Error(); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func TestMergeErrors(t *testing.T) {
	t.Parallel()
	override := func(o config.Override) config.Provider { return config.Provider{Overrides: []config.Override{o}} }
	for name, test := range map[string]struct {
		config config.Provider
		want   string
	}{
		"no condition": {
			override(config.Override{}),
			`overrides[0]: match or having must be set; match: ["*"] selects every resource type`,
		},
		"no pattern": {override(config.Override{Match: []string{"cloud_*", "["}}), `overrides[0].match[1]: "[" is not a pattern`},
		"matches nothing": {
			override(config.Override{Match: []string{"other_*"}}),
			`overrides[0].match[0]: no resource type matches "other_*"`,
		},
		"has nothing": {
			override(config.Override{Having: []string{"name.first"}}),
			`overrides[0].having: no matching resource type has all of these attributes and blocks`,
		},
		"function has nothing": {
			override(config.Override{Matches: func(*schema.Resource) bool { return false }}),
			`overrides[0]: the override matches no resource type`,
		},
		"no such type": {
			config.Provider{Resources: map[string]config.Resource{"cloud_b": {}}},
			"resources.cloud_b: the provider has no resource type cloud_b",
		},
	} {
		_, err := test.config.Merge(types("cloud_a"))
		var e *config.Error
		if !errors.As(err, &e) || e.Error() != test.want {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	under := config.MustRead("references.yaml", []byte(`
group: under.example.org
overrides: [{match: ["a_*"], omit: [x]}]
resources:
  a_thing: {kind: Gadget, references: {one: {targets: [{type: a_other}]}, two: {targets: [{type: a_other}]}}}
  a_other: {kind: Other}
`))
	got := under.With(config.Provider{
		Group:     "over.example.org",
		Overrides: []config.Override{{Match: []string{"*"}}},
		Resources: map[string]config.Resource{"a_thing": {Plural: "gadgetry", References: map[string]config.Reference{"two": {None: true}}}},
	})
	want := config.MustRead("want.yaml", []byte(`
group: over.example.org
overrides: [{match: ["a_*"], omit: [x]}, {match: ["*"]}]
resources:
  a_thing: {kind: Gadget, plural: gadgetry, references: {one: {targets: [{type: a_other}]}, two: {none: true}}}
  a_other: {kind: Other}
`))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if under.Group != "under.example.org" || under.Resources["a_thing"].Plural != "" {
		t.Error("what it was made of has changed")
	}
}
