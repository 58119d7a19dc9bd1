package importer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// estate has everything that a state can have.
const estate = `{
  "version": 4, "terraform_version": "1.14.0", "serial": 7, "lineage": "l-1", "outputs": {"o": {"value": "x", "type": "string"}},
  "resources": [
    {"mode": "data", "type": "everything_plain", "name": "read", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [{"schema_version": 0, "attributes": {"id": "data"}}]},
    {"mode": "managed", "type": "everything_plain", "name": "one", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [{"schema_version": 0, "attributes": {"id": "one"}, "private": "cA=="}]},
    {"mode": "managed", "type": "everything_plain", "name": "counted", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [
      {"index_key": 0, "schema_version": 0, "attributes": {"id": "c0"}},
      {"index_key": 1, "schema_version": 0, "status": "tainted", "attributes": {"id": "c1"}},
      {"index_key": 1, "deposed": "01234567", "schema_version": 0, "attributes": {"id": "old"}},
      {"index_key": 2, "deposed": "89abcdef", "schema_version": 0, "attributes": {"id": "older"}}]},
    {"module": "module.net[\"eu.west\"].module.sub[0]", "mode": "managed", "type": "everything_plain", "name": "each", "provider": "module.net.provider[\"registry.terraform.io/acme/everything\"].west", "instances": [
      {"index_key": "a \"b\"", "schema_version": 0, "attributes": {"id": "e"}}]},
    {"mode": "managed", "type": "everything_gone", "name": "x", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [{"schema_version": 0, "attributes": {"id": "x"}}]},
    {"mode": "managed", "type": "other_thing", "name": "x", "provider": "provider[\"registry.terraform.io/acme/other\"]", "instances": [{"index_key": 0, "schema_version": 9, "attributes": {"what": 1}}, {"index_key": 1, "schema_version": 9, "attributes": {"what": 1}}]},
    {"mode": "managed", "type": "everything_plain", "name": "ancient", "provider": "provider.everything", "instances": [{"schema_version": 0, "attributes": {"id": "x"}}]},
    {"mode": "managed", "type": "everything_plain", "name": "nothing", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": []}
  ],
  "check_results": null
}`

func TestReadState(t *testing.T) {
	t.Parallel()
	everything, err := model.NewProvider("everything", schematest.Everything(), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	providers := func(source, alias string) (*importer.ConfiguredProvider, error) {
		if source != "registry.terraform.io/acme/everything" {
			return nil, errors.New("there is no " + source)
		}
		return &importer.ConfiguredProvider{
			Model: everything, Configuration: importer.Configuration{
				Kind: "ClusterProviderConfig", Name: "alias " + alias,
			},
		}, nil
	}
	tests := map[string]struct {
		state string
		match func(address, resourceType string) bool
		items []string
		left  []importer.Left
		data  []importer.Left
		err   string
	}{
		"all": {
			state: estate,
			items: []string{
				`everything_plain.one, one, Full, 0 deposed, alias `,
				`everything_plain.counted[0], counted-0, Full, 0 deposed, alias `,
				`everything_plain.counted[1], counted-1, Tainted, 1 deposed, alias `,
				`module.net["eu.west"].module.sub[0].everything_plain.each["a \"b\""], net["eu.west"].sub[0]-each-a "b", Full, 0 deposed, alias west`,
			},
			left: []importer.Left{
				{Origin: "everything_plain.counted[2]", Reason: "the state has only deposed objects of it, which Terraform is to destroy first"},
				{Origin: "everything_gone.x", Reason: "the provider registry.terraform.io/acme/everything has no resource type everything_gone"},
				{Origin: "other_thing.x[0]", Reason: "there is no registry.terraform.io/acme/other"},
				{Origin: "other_thing.x[1]", Reason: "there is no registry.terraform.io/acme/other"},
				{
					Origin: "everything_plain.ancient",
					Reason: `its provider "provider.everything" is not in the format of Terraform 0.13 and later; let a newer Terraform refresh the state`,
				},
			},
			data: []importer.Left{{
				Origin: "data.everything_plain.read",
				Reason: "the provider registry.terraform.io/acme/everything has no data source everything_plain",
			}},
		},
		"some": {
			state: estate,
			match: func(address, _ string) bool { return strings.HasSuffix(address, "[1]") },
			items: []string{`everything_plain.counted[1], counted-1, Tainted, 1 deposed, alias `},
			left:  []importer.Left{{Origin: "other_thing.x[1]", Reason: "there is no registry.terraform.io/acme/other"}},
		},
		"one that cannot be read": {
			state: strings.Replace(estate, `{"index_key": 0, "schema_version": 0, "attributes": {"id": "c0"}}`,
				`{"index_key": 0, "schema_version": 0, "attributes_flat": {"id": "c0"}}`, 1),
			match: func(address, _ string) bool { return strings.HasPrefix(address, "everything_plain.counted") },
			items: []string{`everything_plain.counted[1], counted-1, Tainted, 1 deposed, alias `},
			left: []importer.Left{
				{Origin: "everything_plain.counted[0]", Reason: "it was written by Terraform 0.11 or older; let a newer Terraform refresh it first"},
				{Origin: "everything_plain.counted[2]", Reason: "the state has only deposed objects of it, which Terraform is to destroy first"},
			},
		},
		"empty": {state: `{"version": 4, "resources": []}`},
		"another format": {
			state: `{"version": 3, "modules": []}`,
			err: "the state file has format version 3, where only 4 can be read. Let Terraform 1.0 or newer, or " +
				"OpenTofu, write it again",
		},
		"no state": {state: `hello`, err: "not a state file: malformed JSON"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := importer.ReadState([]byte(test.state), providers, test.match)
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Errorf("got error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var items []string
			for _, i := range got.Items {
				items = append(items, strings.Join([]string{
					i.Origin, i.Name, string(i.Stored.Status), string(rune('0'+len(i.Stored.Deposed))) + " deposed",
					i.Provider.Configuration.Name,
				}, ", "))
			}
			if diff := cmp.Diff(test.items, items); diff != "" {
				t.Errorf("items: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.left, got.Left); diff != "" {
				t.Errorf("left: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.data, got.LeftData); diff != "" {
				t.Errorf("data sources: -want, +got:\n%s", diff)
			}
			if len(got.Items) > 0 && got.Items[0].Origin == "everything_plain.one" && string(got.Items[0].Stored.Private) != "p" {
				t.Error("the private bytes are not kept")
			}
		})
	}
}
