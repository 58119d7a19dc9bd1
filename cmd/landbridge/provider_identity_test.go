package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

func TestProviderIdentity(t *testing.T) {
	t.Parallel()
	required := &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
	raw, err := json.Marshal(&schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{"kube_map": {
		Type:     "kube_map",
		Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{"name": required, "kind": required}},
		Block: &schema.Block{Blocks: map[string]*schema.NestedBlock{"metadata": {
			Nesting: schema.NestingList, MinItems: 1, MaxItems: 1,
			Block: &schema.Block{Attributes: map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}}},
		}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	object := func(name string) string {
		return `{"mode": "managed", "type": "kube_map", "name": "` + name + `", "provider": "provider[\"registry.terraform.io/hashicorp/kube\"]",
			"instances": [{"schema_version": 0, "attributes": {"metadata": [{"name": "` + name + `"}]}, "identity_schema_version": 0,
			"identity": {"name": "` + name + `", "kind": "ConfigMap"}}]}`
	}
	provider := write("kube.json", string(raw))
	state := func(name string, objects ...string) string {
		return write(
			name, `{"version": 4, "terraform_version": "1.12.0", "serial": 1, "lineage": "x", "resources": [`+
				strings.Join(objects, ",")+`]}`,
		)
	}
	for name, test := range map[string]struct{ state, want, notes string }{
		"objects": {
			state: state("two.tfstate", object("a"), object("b")),
			want:  "resources:\n  kube_map:\n    identity:\n      kind: ConfigMap\n      name: metadata.name\n",
		},
		"one object": {
			state: state("one.tfstate", object("a")),
			want:  "resources:\n  kube_map:\n    identity:\n      kind: ConfigMap\n      name: metadata.name\n",
			notes: "Note: kube_map: the mapping is a guess, since only one object was seen; a second one would tell\n",
		},
		"nothing": {
			state: state("none.tfstate"), notes: "No mapping is needed or possible for the resource types of the objects that were found.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, notes, err := run(t, "provider", "identity", provider, "--name", "kube", "--state", test.state)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.want, test.notes}, []string{out, notes}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
