package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/schema"
)

// network is a provider whose objects refer to each other.
func network(t *testing.T) *importer.ConfiguredProvider {
	t.Helper()
	text := &schema.Attribute{Type: cty.String, Optional: true}
	block := func(more map[string]*schema.Attribute) *schema.Block {
		out := &schema.Block{Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Required: true}, "tags": {
				Type: cty.Map(cty.String), Optional: true,
			},
		}}
		for name, a := range more {
			out.Attributes[name] = a
		}
		return out
	}
	s := &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
	for name, more := range map[string]map[string]*schema.Attribute{
		"net_group":  {"status": {Type: cty.String, Computed: true}},
		"net_vpc":    {"group_name": text},
		"net_subnet": {"vpc_id": text, "state": text, "old": {Type: cty.String, Optional: true, Deprecated: true}},
		"net_route": {
			"vpc_id": {Type: cty.Number, Optional: true}, "metric": {Type: cty.Number, Optional: true}, "peer_ids": {
				Type: cty.List(cty.Number), Optional: true,
			},
		},
		"net_server": {"subnet_ids": {Type: cty.Set(cty.String), Optional: true}, "key": {Type: cty.String, Optional: true, Sensitive: true}},
	} {
		s.Resources[name] = &schema.Resource{Type: name, Block: block(more)}
	}
	m, err := model.NewProvider("net", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return &importer.ConfiguredProvider{Model: m, Configuration: importer.DefaultConfiguration, Secrets: &redact.Redactor{}}
}

// resourceBlock is a resource block of a state, with instances as "KEY|ATTRIBUTES".
func resourceBlock(address, dependencies string, instances ...string) string {
	module, name := "", address
	if i := strings.LastIndex(address, ".net_"); i >= 0 {
		module, name = address[:i], address[i+1:]
	}
	resourceType, name, _ := strings.Cut(name, ".")
	var all []string
	for _, i := range instances {
		key, attributes, _ := strings.Cut(i, "|")
		if key != "" {
			key = `"index_key": ` + key + `, `
		}
		all = append(all, fmt.Sprintf(`{%s"schema_version": 0, "attributes": {%s}, "dependencies": [%s]}`, key, attributes, dependencies))
	}
	if module != "" {
		module = fmt.Sprintf(`"module": %q, `, module)
	}
	return fmt.Sprintf(
		`{%s"mode": "managed", "type": %q, "name": %q, "provider": "provider[\"registry.terraform.io/acme/net\"]", "instances": [%s]}`,
		module, resourceType, name, strings.Join(all, ","),
	)
}

// Ids are numbers in some fields, which refer to the text of the id. Other numbers may equal it by
// chance.
func TestNumbersBecomeReferences(t *testing.T) {
	t.Parallel()
	p := network(t)
	state := `{"version": 4, "resources": [` + strings.Join([]string{
		resourceBlock("net_vpc.one", "", `|"id": "10", "name": "one"`), resourceBlock("net_vpc.two", "", `|"id": "20", "name": "two"`),
		resourceBlock("net_route.this", `"net_vpc.one", "net_vpc.two"`,
			`|"id": "r", "name": "r", "vpc_id": 10, "metric": 20, "peer_ids": [20, 30]`),
	}, ",") + `]}`
	estate, err := importer.ReadState([]byte(state), func(string, string) (*importer.ConfiguredProvider, error) { return p, nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	result := build(t, &importer.Builder{}, estate.Items...)
	from := func(name string) m {
		return m{"kind": "VPC", "name": name, "fieldPath": "status.atProvider.id", "transform": "int(self)"}
	}
	want := []any{m{"to": "forProvider.peerIds[0]", "from": from("two")}, m{"to": "forProvider.vpcId", "from": from("one")}}
	if diff := cmp.Diff(want, spec(result.Manifests[2])["references"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// References are inferred from the dependencies of a state. What no field refers to is ordered by
// an annotation.
func TestDependenciesBecomeReferences(t *testing.T) {
	t.Parallel()
	p := network(t)
	state := `{"version": 4, "outputs": {"b": {}, "a": {}}, "resources": [` + strings.Join([]string{
		resourceBlock("net_group.main", "", `|"id": "g-1", "name": "main", "status": "active"`),
		resourceBlock(`module.eu["a.b"].net_vpc.this`, `"net_group.main"`,
			`0|"id": "v-0", "name": "v0", "group_name": "main"`, `1|"id": "v-1", "name": "v1", "group_name": "main"`),
		resourceBlock(`module.eu["c"].net_vpc.this`, `"net_group.main"`, `0|"id": "v-2", "name": "v2"`),
		resourceBlock(`module.eu["a.b"].net_subnet.this`, `"net_group.main", "module.eu.net_vpc.this"`,
			`"x"|"id": "s-0", "name": "main", "vpc_id": "v-1", "state": "active", "old": "kept?"`,
			`"y"|"id": "s-1", "name": "s-1", "tags": {"in.vpc": "v-0"}`),
		resourceBlock("net_server.one", `"net_group.main", "module.eu.net_vpc.this", "module.eu.net_subnet.this", "net_server.gone"`,
			`|"id": "i-1", "name": "one", "subnet_ids": ["s-1", "s-0"], "key": "s-0"`),
		resourceBlock("net_server.two", `"net_group.main", "module.eu.net_vpc.this"`, `|"id": "i-2", "name": "v0"`),
	}, ",") + `]}`
	estate, err := importer.ReadState([]byte(state), func(string, string) (*importer.ConfiguredProvider, error) { return p, nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, estate.Outputs); diff != "" {
		t.Error(diff)
	}
	result := build(t, &importer.Builder{}, estate.Items...)
	got := map[string][]string{}
	for _, x := range result.Manifests {
		var all []string
		references, _ := spec(x)["references"].([]any)
		for _, r := range references {
			from := r.(m)["from"].(m)
			all = append(all, fmt.Sprintf("%s = %s %s %s", r.(m)["to"], from["kind"], from["name"], from["fieldPath"]))
		}
		if order := x.Resource.GetAnnotations()["landbridge.io/destroy-before"]; order != "" {
			all = append(all, "before "+order)
		}
		got[x.Resource.GetKind()+" "+x.Resource.GetName()] = append(all, x.Notes...)
	}
	want := map[string][]string{
		"Group main":        nil,
		"VPC eu-a-b-this-0": {"forProvider.groupName = Group main status.atProvider.name"},
		"VPC eu-a-b-this-1": {"forProvider.groupName = Group main status.atProvider.name"},
		"VPC eu-c-this-0":   {"before Group/main"},
		"Subnet eu-a-b-this-x": {
			"forProvider.vpcId = VPC eu-a-b-this-1 status.atProvider.id",
			"Left out: old. The state has values for it, but the configuration that changes nothing does not need " +
				"them, as for deprecated arguments. Add it to spec.forProvider if you manage it.",
		},
		"Subnet eu-a-b-this-y": {"forProvider.tags[in.vpc] = VPC eu-a-b-this-0 status.atProvider.id"},
		"Server one": {
			"forProvider.subnetIds[0] = Subnet eu-a-b-this-x status.atProvider.id",
			"forProvider.subnetIds[1] = Subnet eu-a-b-this-y status.atProvider.id",
		},
		"Server two": {"before VPC/eu-a-b-this-0,VPC/eu-a-b-this-1,VPC/eu-c-this-0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
