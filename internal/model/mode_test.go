package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// withData returns types with data sources that have a name, and an id as the legacy SDK declares
// it.
func withData(resources []string, data ...string) *schema.Provider {
	s := types(resources...)
	s.DataSources = map[string]*schema.Block{}
	for _, n := range data {
		s.DataSources[n] = &schema.Block{Attributes: map[string]*schema.Attribute{
			"id":   {Type: cty.String, Optional: true, Computed: true},
			"name": {Type: cty.String, Optional: true},
		}}
	}
	return s
}

func TestDataSourceNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		resources, data []string
		config          config.Provider
		known           map[string]config.Names
		want            map[string]string // CRDs by address
		recorded        map[string]config.Names
	}{
		"the same name as a resource type": {
			resources: []string{"cloud_server"}, data: []string{"cloud_server", "cloud_image"},
			want: map[string]string{
				"cloud_server": "servers.cloud.landbridge.io", "data.cloud_server": "servers.data.cloud.landbridge.io",
				"data.cloud_image": "images.data.cloud.landbridge.io",
			},
			recorded: map[string]config.Names{},
		},
		"collisions are within their own group": {
			data: []string{"cloud_thing", "other_thing"},
			want: map[string]string{
				"data.cloud_thing": "things.data.cloud.landbridge.io",
				"data.other_thing": "otherthings.data.cloud.landbridge.io",
			},
			recorded: map[string]config.Names{
				"data.other_thing": {Kind: "OtherThing", ListKind: "OtherThingList", Plural: "otherthings", Singular: "otherthing"},
			},
		},
		"names that are recorded stay": {
			data:  []string{"cloud_thing", "other_thing"},
			known: map[string]config.Names{"data.other_thing": {Kind: "Thing", ListKind: "ThingList", Plural: "things", Singular: "thing"}},
			want: map[string]string{
				"data.cloud_thing": "cloudthings.data.cloud.landbridge.io",
				"data.other_thing": "things.data.cloud.landbridge.io",
			},
			recorded: map[string]config.Names{
				"data.cloud_thing": {Kind: "CloudThing", ListKind: "CloudThingList", Plural: "cloudthings", Singular: "cloudthing"},
			},
		},
		"names that are given": {
			resources: []string{"cloud_server"}, data: []string{"cloud_server"},
			config: config.Provider{Names: map[string]config.Names{"data.cloud_server": {Kind: "Machine"}}},
			want:   map[string]string{"cloud_server": "servers.cloud.landbridge.io", "data.cloud_server": "machines.data.cloud.landbridge.io"},
			recorded: map[string]config.Names{
				"data.cloud_server": {Kind: "Machine", ListKind: "MachineList", Plural: "machines", Singular: "machine"},
			},
		},
		"another group": {
			data: []string{"cloud_image"}, config: config.Provider{Group: "infra.example.org"},
			want: map[string]string{"data.cloud_image": "images.data.infra.example.org"}, recorded: map[string]config.Names{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := model.KeepNames("cloud", withData(test.resources, test.data...), test.config, test.known)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for address, r := range p.All() {
				got[address] = r.CRDName()
				if p.ByAddress(address) != r {
					t.Errorf("ByAddress(%s) is another kind", address)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.recorded, p.AssignedNames()); diff != "" {
				t.Errorf("recorded names: %s", diff)
			}
		})
	}
}

// Data sources do not change what resource types are called.
func TestDataSourcesLeaveNames(t *testing.T) {
	t.Parallel()
	resources := []string{"cloud_server", "cloud_thing", "other_thing", "cloud_setting", "cloud_settings"}
	without, err := model.NewProvider("cloud", types(resources...), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	with, err := model.NewProvider("cloud", withData(resources, append(resources, "cloud_image")...), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range without.Resources {
		if diff := cmp.Diff(r.Names(), with.Resources[name].Names()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A data source is often read by its id, which no resource type has as an argument.
func TestDataSourceID(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("cloud", withData(nil, "cloud_image"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	if f := p.DataSources["cloud_image"].Root().Object.ByInput("id"); f == nil {
		t.Error("id is no argument")
	}
}

// Ephemeral resources and actions have groups of their own, and the same names as others.
func TestNamesOfModes(t *testing.T) {
	t.Parallel()
	s := withData([]string{"cloud_token"}, "cloud_token")
	s.EphemeralResources = map[string]*schema.Block{"cloud_token": s.DataSources["cloud_token"]}
	s.Actions = s.EphemeralResources
	p, err := model.NewProvider("cloud", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for address, r := range p.All() {
		got[address] = r.CRDName()
		if p.ByAddress(address) != r {
			t.Errorf("ByAddress(%s) is another kind", address)
		}
	}
	want := map[string]string{
		"cloud_token": "tokens.cloud.landbridge.io", "data.cloud_token": "tokens.data.cloud.landbridge.io",
		"ephemeral.cloud_token": "tokens.ephemeral.cloud.landbridge.io", "action.cloud_token": "tokens.action.cloud.landbridge.io",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"landbridge-ephemeral", "cloud-ephemeral"}, p.EphemeralResources["cloud_token"].Categories); diff != "" {
		t.Error(diff)
	}
}
