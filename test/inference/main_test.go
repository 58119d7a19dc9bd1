package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
)

// The source of two resource types, as azurerm writes them: by functions and by methods.
var sources = map[string]string{
	"registration.go": `package network

func resources() map[string]*pluginsdk.Resource {
	return map[string]*pluginsdk.Resource{"azurerm_subnet": resourceSubnet()}
}
`,
	"subnet_resource.go": `package network

import "github.com/hashicorp/go-azure-helpers/resourcemanager/commonids"

func resourceSubnet() *pluginsdk.Resource {
	return &pluginsdk.Resource{
		Importer: pluginsdk.ImporterValidatingResourceId(func(id string) error {
			_, err := commonids.ParseSubnetID(id)
			return err
		}),
		Schema: map[string]*pluginsdk.Schema{"name": {Type: pluginsdk.TypeString}},
	}
}
`,
	"interface_resource.go": `package network

import (
	"github.com/hashicorp/go-azure-helpers/resourcemanager/commonids"
	"github.com/hashicorp/go-azure-sdk/resource-manager/network/2025-01-01/publicipaddresses"
)

func (InterfaceResource) ResourceType() string { return "azurerm_interface" }

func (InterfaceResource) Arguments() map[string]*pluginsdk.Schema {
	return map[string]*pluginsdk.Schema{
		"subnet_id":  commonschema.ResourceIDReferenceRequired(&commonids.SubnetId{}),
		"subnet_ids": {Elem: &pluginsdk.Schema{ValidateFunc: commonids.ValidateSubnetID}},
		"address_id": {ValidateFunc: publicipaddresses.ValidatePublicIPAddressID},
		"first":      {Elem: &pluginsdk.Resource{Schema: map[string]*pluginsdk.Schema{"target_id": {ValidateFunc: commonids.ValidateSubnetID}}}},
		"second":     {Elem: &pluginsdk.Resource{Schema: map[string]*pluginsdk.Schema{
			"target_id": {ValidateFunc: publicipaddresses.ValidatePublicIPAddressID},
		}}},
		"any_id":     {ValidateFunc: azure.ValidateResourceID},
	}
}
`,
}

func read(t *testing.T) *facts {
	t.Helper()
	dir := t.TempDir()
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	truth, err := readSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

func TestReadSource(t *testing.T) {
	t.Parallel()
	truth := read(t)
	at := func(name string) argument { return argument{"azurerm_interface", name} }
	want := &facts{
		arguments: map[argument]idKind{
			at("subnet_id"): "commonids.Subnet", at("subnet_ids"): "commonids.Subnet",
			at("address_id"): "publicipaddresses.PublicIPAddress", at("target_id"): "",
		},
		owners: map[string]idKind{"azurerm_subnet": "commonids.Subnet"},
	}
	if diff := cmp.Diff(want, truth, cmp.AllowUnexported(facts{}, argument{})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	subnet, other := config.Target{Type: "azurerm_subnet"}, config.Target{Type: "azurerm_other"}
	tests := map[string]struct {
		references map[string]config.Reference
		want       figures
	}{
		"nothing found": {want: figures{expected: 2}},
		"right": {
			references: map[string]config.Reference{"subnet_id": {Targets: []config.Target{subnet}}},
			want:       figures{inferred: 1, right: 1, expected: 2},
		},
		"in a block": {
			references: map[string]config.Reference{"block.subnet_ids": {Targets: []config.Target{subnet, other}}},
			want:       figures{inferred: 1, right: 1, expected: 2},
		},
		"another type": {
			references: map[string]config.Reference{"subnet_id": {Targets: []config.Target{other}}},
			want:       figures{inferred: 1, wrong: 1, expected: 2},
		},
		"another attribute": {
			references: map[string]config.Reference{"subnet_id": {Targets: []config.Target{{Type: "azurerm_subnet", Attribute: "name"}}}},
			want:       figures{inferred: 1, wrong: 1, expected: 2},
		},
		"the source says nothing": {
			references: map[string]config.Reference{"address_id": {Targets: []config.Target{other}}, "target_id": {Targets: []config.Target{other}}},
			want:       figures{inferred: 2, expected: 2},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := judge(read(t), config.Provider{Resources: map[string]config.Resource{"azurerm_interface": {References: tc.references}}})
			got.lines = nil
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(figures{})); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
