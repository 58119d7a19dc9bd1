package model_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// identified returns configurable with an identity.
func identified() *schema.Provider {
	p := configurable()
	p.Resources["cloud_thing"].Identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
		"title": {Type: cty.String, RequiredForImport: true},
		"count": {Type: cty.Number, RequiredForImport: true},
		"kind":  {Type: cty.String, OptionalForImport: true},
	}}
	p.ListResources = map[string]*schema.Block{"cloud_thing": {Attributes: map[string]*schema.Attribute{
		"zone": {Type: cty.String, Optional: true}, "most": {Type: cty.Number, Optional: true},
	}}}
	p.Resources["cloud_other"] = configurable().Resources["cloud_thing"]
	return p
}

func TestIdentityIsConfigured(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("cloud", identified(), config.Provider{Resources: map[string]config.Resource{"cloud_thing": {
		Identity:     map[string]config.IdentityValue{"title": "name", "count": "7", "kind": "=thing"},
		ExternalName: &config.ExternalName{Argument: "name"},
		CreateToken:  &config.CreateToken{Argument: "region"},
		ListRecovery: &config.ListRecovery{Arguments: map[string]config.IdentityValue{"zone": "region", "most": "7"}},
		ListRefresh:  &config.ListRefresh{Arguments: map[string]config.IdentityValue{"zone": "region"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s := p.Resources["cloud_thing"].Settings
	want := map[string]model.IdentitySource{
		"title": {Path: []string{"name"}, Constant: cty.NilVal},
		"count": {Constant: cty.NumberIntVal(7)},
		"kind":  {Constant: cty.StringVal("thing")},
	}
	same := cmp.Comparer(func(a, b cty.Value) bool {
		return a == cty.NilVal && b == cty.NilVal || a != cty.NilVal && b != cty.NilVal && a.RawEquals(b)
	})
	if diff := cmp.Diff(want, s.Identity, same); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	lists := map[string]model.IdentitySource{"zone": {Path: []string{"region"}, Constant: cty.NilVal}, "most": {Constant: cty.NumberIntVal(7)}}
	if diff := cmp.Diff(lists, s.ListArguments, same); diff != "" {
		t.Errorf("arguments of the list: -want, +got:\n%s", diff)
	}
	refresh := &model.ListRefresh{
		Arguments: map[string]model.IdentitySource{
			"zone": {Path: []string{"region"}, Constant: cty.NilVal},
		}, ReadEvery: 100,
	}
	if diff := cmp.Diff(refresh, s.ListRefresh, same); diff != "" {
		t.Errorf("looking by listing: -want, +got:\n%s", diff)
	}
	if s.CreateToken.Name != "region" || s.CreateTokenValidFor != time.Hour {
		t.Errorf("the create token is %s for %s", s.CreateToken.Name, s.CreateTokenValidFor)
	}
}

func TestIdentityErrors(t *testing.T) {
	t.Parallel()
	maps := func(name string, v config.IdentityValue) config.Resource {
		return config.Resource{Identity: map[string]config.IdentityValue{name: v}}
	}
	token := func(name string) config.Resource {
		return config.Resource{CreateToken: &config.CreateToken{Argument: name}}
	}
	lists := func(name string, v config.IdentityValue) config.Resource {
		return config.Resource{ListRecovery: &config.ListRecovery{Arguments: map[string]config.IdentityValue{name: v}}}
	}
	refreshes := func(every int32, name string, v config.IdentityValue) config.Resource {
		return config.Resource{ListRefresh: &config.ListRefresh{Arguments: map[string]config.IdentityValue{name: v}, ReadEvery: every}}
	}
	for name, test := range map[string]struct {
		config config.Resource
		want   string
	}{
		"look by no such argument": {refreshes(0, "area", "region"), "listRefresh.arguments.area: the list resource has no argument area"},
		"look by another type": {
			refreshes(0, "zone", "tags"),
			"listRefresh.arguments.zone: tags is a map, and the argument of the list resource a string",
		},
		"look and always read": {
			refreshes(1, "zone", "region"),
			"listRefresh.readEvery: 1: it must be at least 2; to read objects with each look, leave listRefresh out",
		},
		"no such argument of the list": {lists("area", "region"), "listRecovery.arguments.area: the list resource has no argument area"},
		"list by no argument": {
			lists("zone", "nothing"),
			`listRecovery.arguments.zone: there is no argument nothing; for the constant text, write "=nothing"`,
		},
		"list by what is made": {
			lists("zone", "id"),
			"listRecovery.arguments.zone: id is not known before an object is created: it is no argument",
		},
		"list by another type": {
			lists("zone", "tags"),
			"listRecovery.arguments.zone: tags is a map, and the argument of the list resource a string",
		},
		"list by a constant of no type": {lists("most", "Many"), `listRecovery.arguments.most: "Many" is no number`},
		"no such attribute":             {maps("label", "name"), "identity.label: the identity has no attribute label"},
		"no such argument": {
			maps("title", "rule.title"),
			`identity.title: there is no argument rule.title; for the constant text, write "=rule.title"`,
		},
		"many elements": {
			maps("title", "rule.kind"),
			`identity.title: there is no argument rule.kind; for the constant text, write "=rule.kind"`,
		},
		"sensitive":               {maps("title", "token"), "identity.title: token is sensitive"},
		"of the provider":         {maps("title", "id"), "identity.title: id is not known before an object is created: it is no argument"},
		"of another type":         {maps("title", "tags"), "identity.title: tags is a map, and the attribute of the identity a string"},
		"constant of no type":     {maps("count", "Many"), `identity.count: "Many" is no number`},
		"token without argument":  {token(""), "createToken.argument: it is required"},
		"token of no argument":    {token("nothing"), "createToken.argument: there is no argument nothing"},
		"token that is required":  {token("name"), "createToken.argument: name is required, so it is always the user who sets it"},
		"token of the provider's": {token("id"), "createToken.argument: id is no optional string"},
		"token that is a number":  {token("size"), "createToken.argument: size is no optional string"},
		"token that has a value": {config.Resource{
			Fields: map[string]config.Field{"region": {Value: "x"}}, CreateToken: &config.CreateToken{Argument: "region"},
		}, "createToken.argument: another setting of the configuration sets region"},
		"token of no time": {config.Resource{
			CreateToken: &config.CreateToken{Argument: "region", ValidFor: &metav1.Duration{}},
		}, "createToken.validFor: it must be longer than nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := model.NewProvider("cloud", identified(), config.Provider{Resources: map[string]config.Resource{"cloud_thing": test.config}})
			var e *config.Error
			if want := "resources.cloud_thing." + test.want; !errors.As(err, &e) || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	for want, c := range map[string]config.Resource{
		"identity.title: cloud_other has no identity":                     maps("title", "name"),
		"listRecovery: the provider has no list resource for cloud_other": lists("zone", "region"),
		"listRefresh: the provider has no list resource for cloud_other, so its objects can only be read; leave " +
			"listRefresh out": refreshes(0, "zone", "region"),
	} {
		want = "resources.cloud_other." + want
		_, err := model.NewProvider("cloud", identified(), config.Provider{Resources: map[string]config.Resource{"cloud_other": c}})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
