package model_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// types returns a provider with empty resource types of these names.
func types(names ...string) *schema.Provider {
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
	for _, n := range names {
		s.Resources[n] = &schema.Resource{Type: n, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"name":   {Type: cty.String, Required: true},
			"size":   {Type: cty.Number, Optional: true},
			"secret": {Type: cty.String, Optional: true, Sensitive: true},
			"tags":   {Type: cty.Map(cty.String), Optional: true},
		}}}
	}
	return s
}

func TestNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		types  []string
		config config.Provider
		want   []string // type: group/Kind plural
		notes  []string
	}{
		"plain": {types: []string{"cloud_server"}, want: []string{"cloud_server: cloud.landbridge.io/Server servers"}},
		"initialisms": {
			types: []string{"cloud_ssh_key", "cloud_vpc", "cloud_uuid4", "cloud_dns_zone", "cloud_public_ips"},
			want: []string{
				"cloud_dns_zone: cloud.landbridge.io/DNSZone dnszones",
				"cloud_public_ips: cloud.landbridge.io/PublicIPs publicips",
				"cloud_ssh_key: cloud.landbridge.io/SSHKey sshkeys", "cloud_uuid4: cloud.landbridge.io/UUID4 uuid4s",
				"cloud_vpc: cloud.landbridge.io/VPC vpcs",
			},
		},
		"plurals": {
			types: []string{"cloud_policy", "cloud_address", "cloud_index"},
			want: []string{
				"cloud_address: cloud.landbridge.io/Address addresses",
				"cloud_index: cloud.landbridge.io/Index indexes", "cloud_policy: cloud.landbridge.io/Policy policies",
			},
		},
		"prefixes": {
			types: []string{"other_thing", "cloud", "cloud_2fa"},
			want: []string{
				"cloud: cloud.landbridge.io/Cloud clouds", "cloud_2fa: cloud.landbridge.io/X2fa x2fas",
				"other_thing: cloud.landbridge.io/Thing things",
			},
		},
		"kinds collide": {
			types: []string{"cloud_thing", "other_thing", "cloud__thing"},
			want: []string{
				"cloud__thing: cloud.landbridge.io/Thing things",
				"cloud_thing: cloud.landbridge.io/CloudThing cloudthings",
				"other_thing: cloud.landbridge.io/OtherThing otherthings",
			},
			notes: []string{
				"cloud_thing: the name Thing is taken, CloudThing is used instead",
				"other_thing: the name Thing is taken, OtherThing is used instead",
			},
		},
		"list kinds collide": {
			types: []string{"cloud_ip", "cloud_ip_list"},
			want:  []string{"cloud_ip: cloud.landbridge.io/IP ips", "cloud_ip_list: cloud.landbridge.io/IPList iplists"},
			notes: []string{"cloud_ip: the name IPList is taken, CloudIPList is used instead"},
		},
		"plurals collide": {
			types: []string{"cloud_setting", "cloud_settings"},
			want:  []string{"cloud_setting: cloud.landbridge.io/Setting settings", "cloud_settings: cloud.landbridge.io/Settings cloudsettings"},
			notes: []string{"cloud_settings: the name settings is taken, cloudsettings is used instead"},
		},
		"reserved kinds": {
			types: []string{"cloud_provider_config"},
			want:  []string{"cloud_provider_config: cloud.landbridge.io/CloudProviderConfig cloudproviderconfigs"},
			notes: []string{"cloud_provider_config: the name ProviderConfig is taken, CloudProviderConfig is used instead"},
		},
		"configured": {
			types: []string{"cloud_a", "cloud_b"},
			config: config.Provider{
				Name: "sky", Resources: map[string]config.Resource{
					"cloud_b": {Kind: "A", Group: "b.example.org"}, "cloud_a": {
						Kind: "Bee", Plural: "swarm", ShortNames: []string{"be"},
					},
				},
			},
			want: []string{"cloud_a: sky.landbridge.io/Bee swarm", "cloud_b: b.example.org/A as"},
		},
		"configured names come first": {
			types:  []string{"cloud_a", "cloud_b"},
			config: config.Provider{Group: "example.org", Resources: map[string]config.Resource{"cloud_b": {Kind: "A"}}},
			want:   []string{"cloud_a: example.org/CloudA cloudas", "cloud_b: example.org/A as"},
			notes:  []string{"cloud_a: the name A is taken, CloudA is used instead"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := model.NewProvider("cloud", types(test.types...), test.config)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, listed(p)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			var notes []string
			for _, n := range p.Renamed {
				notes = append(notes, n.String())
			}
			if diff := cmp.Diff(test.notes, notes); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func listed(p *model.Provider) []string {
	var out []string
	for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
		r := p.Resources[t]
		out = append(out, fmt.Sprintf("%s: %s/%s %s", t, r.Group, r.Kind, r.Plural))
	}
	return out
}

// A provider whose program does not tell its name has that of its resource types: in a cluster and
// on the command line.
func TestNameOfProvider(t *testing.T) {
	block := &schema.Block{Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}}}
	for name, test := range map[string]struct {
		name  string
		types []string
		want  string
	}{
		"the program tells it":       {"google-beta", []string{"google_thing"}, "google-beta"},
		"the resource types tell it": {"", []string{"cloud_a", "cloud_b"}, "cloud"},
		"nothing tells it":           {"", nil, "provider"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
			for _, r := range test.types {
				s.Resources[r] = &schema.Resource{Type: r, Block: block}
			}
			p, err := model.NewProvider(test.name, s, config.Provider{})
			if err != nil {
				t.Fatal(err)
			}
			if p.Name != test.want || p.Group != test.want+".landbridge.io" {
				t.Errorf("it is %s, of the group %s", p.Name, p.Group)
			}
		})
	}
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	thing := func(c config.Resource) config.Provider {
		return config.Provider{Resources: map[string]config.Resource{"cloud_thing": c}}
	}
	tests := map[string]struct {
		name   string
		config config.Provider
		want   string
	}{
		"no name": {name: "?", want: `name: provider name "?"`},
		"group": {
			config: config.Provider{Group: "here"},
			want:   `group: "here": it must be a domain name with a dot, such as cloud.landbridge.io`,
		},
		"no such type": {
			config: config.Provider{Resources: map[string]config.Resource{"cloud_nothing": {}}},
			want:   "resources.cloud_nothing: the provider has no resource type cloud_nothing",
		},
		"kind of a group": {config: thing(config.Resource{Group: "x y.z"}), want: `resources.cloud_thing.group: "x y.z"`},
		"kind": {
			config: thing(config.Resource{Kind: "my-kind"}),
			want:   `resources.cloud_thing.kind: "my-kind": it must be in PascalCase`,
		},
		"plural":     {config: thing(config.Resource{Plural: "My_Kinds"}), want: `resources.cloud_thing.plural: "My_Kinds"`},
		"short name": {config: thing(config.Resource{ShortNames: []string{"A"}}), want: `resources.cloud_thing.shortNames[0]: "A"`},
		"kind is taken": {
			config: thing(config.Resource{Kind: "ProviderConfig"}),
			want:   "resources.cloud_thing.kind: ProviderConfig is taken",
		},
		"plural is taken": {
			config: thing(config.Resource{Plural: "providerconfigs"}),
			want:   "resources.cloud_thing.plural: providerconfigs is taken",
		},
		"short name is taken": {
			config: thing(config.Resource{ShortNames: []string{"thing"}}),
			want:   "resources.cloud_thing.shortNames[0]: thing is taken",
		},
		"omit nothing": {
			config: thing(config.Resource{Omit: []string{"tags.a"}}),
			want:   "resources.cloud_thing.omit[0]: there is no tags.a",
		},
		"omit what is required": {
			config: thing(config.Resource{Omit: []string{"name"}}),
			want:   "resources.cloud_thing.omit[0]: name is required",
		},
		"external name nowhere": {
			config: thing(config.Resource{ExternalName: &config.ExternalName{Attribute: "nowhere"}}),
			want:   "resources.cloud_thing.externalName.attribute: there is no attribute nowhere",
		},
		"external name secret": {
			config: thing(config.Resource{ExternalName: &config.ExternalName{Attribute: "secret"}}),
			want:   "resources.cloud_thing.externalName.attribute: secret is sensitive",
		},
		"external name not plain": {
			config: thing(config.Resource{ExternalName: &config.ExternalName{Attribute: "tags"}}),
			want:   "resources.cloud_thing.externalName.attribute: tags is neither a string nor a number",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.name == "" {
				test.name = "cloud"
			}
			_, err := model.NewProvider(test.name, types("cloud_thing"), test.config)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// What the kinds of real providers are called: they must not change.
func TestRealNames(t *testing.T) {
	t.Parallel()
	var lines []string
	for _, name := range schematest.Providers {
		p, err := model.NewProvider(name, schematest.Provider(t, name), config.Provider{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Renamed) > 0 {
			t.Errorf("%s: %v", name, p.Renamed)
		}
		lines = append(lines, listed(p)...)
	}
	got := strings.Join(lines, "\n") + "\n"
	golden.Check(t, "names.txt", []byte(got))
}

// Names are distinct and legal, whatever the types are called, and do not depend on chance.
func TestNamesAreDistinct(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"a", "as", "list", "ip", "ips", "setting", "settings", "2", "provider", "config", "A", ""})
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"cloud_", "sky_", "cloud"}).Draw(t, "prefix") +
				strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "words"), "_")
		}), 1, 12, rapid.ID).Draw(t, "types")
		s := types(names...)
		p, err := model.NewProvider("cloud", s, config.Provider{})
		if err != nil {
			t.Fatal(err)
		}
		kinds, resources := map[string]string{}, map[string]string{}
		claim := func(names map[string]string, owner, name string) {
			if o := names[name]; o != "" && o != owner {
				t.Fatalf("%s and %s are both %s", o, owner, name)
			}
			names[name] = owner
		}
		for _, reserved := range []string{"ProviderConfig", "ClusterProviderConfig"} {
			claim(kinds, reserved, reserved)
			claim(kinds, reserved, reserved+"List")
			claim(resources, reserved, strings.ToLower(reserved))
			claim(resources, reserved, strings.ToLower(reserved)+"s")
		}
		for name, r := range p.Resources {
			claim(kinds, name, r.Kind)
			claim(kinds, name, r.ListKind)
			claim(resources, name, r.Singular)
			claim(resources, name, r.Plural)
			for _, n := range []string{strings.ToLower(r.Kind), r.Singular, r.Plural} {
				if msgs := validation.IsDNS1035Label(n); len(msgs) > 0 {
					t.Fatalf("%s: %v", n, msgs)
				}
			}
		}
		again, err := model.NewProvider("cloud", s, config.Provider{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(listed(p), listed(again)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestFields(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("everything", schematest.Everything(), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	root := p.Resources["everything_thing"].Root().Object
	type facts struct {
		Input           string
		Observed        bool
		Kind            model.Kind
		Singleton       bool
		HasSecretInside bool
	}
	tests := map[string]struct {
		field *model.Field
		want  facts
	}{
		"name":          {root.ByTerraform("name"), facts{Input: "name", Observed: true, Kind: model.String}},
		"vpcId":         {root.ByTerraform("vpcId"), facts{Input: "vpcId", Observed: true, Kind: model.String}},
		"vpc_id":        {root.ByTerraform("vpc_id"), facts{Input: "vpc_id", Observed: true, Kind: model.String}},
		"computed":      {root.ByTerraform("result"), facts{Observed: true, Kind: model.String}},
		"the SDK's id":  {root.ByTerraform("id"), facts{Observed: true, Kind: model.String}},
		"secret":        {root.ByTerraform("password"), facts{Input: "passwordSecretRef", Kind: model.String}},
		"write-only":    {root.ByTerraform("password_wo"), facts{Input: "passwordWoSecretRef", Kind: model.String}},
		"secret output": {root.ByTerraform("generated"), facts{Kind: model.String}},
		"secret map":    {root.ByTerraform("settings"), facts{Input: "settingsSecretRef", Kind: model.Map}},
		"singleton": {
			root.ByTerraform("singleton_list"),
			facts{Input: "singletonList", Observed: true, Kind: model.List, Singleton: true, HasSecretInside: true},
		},
		"single block": {
			root.ByTerraform("single_block"),
			facts{Input: "singleBlock", Observed: true, Kind: model.Object, HasSecretInside: true},
		},
		"nested secret": {
			root.ByTerraform("list_attribute").Type.Element.Object.ByTerraform("token"), facts{
				Input: "tokenSecretRef", Kind: model.String,
			},
		},
		"nested computed": {
			root.ByTerraform("list_attribute").Type.Element.Object.ByTerraform("seen_at"), facts{
				Observed: true, Kind: model.String,
			},
		},
		"inside a secret": {root.ByTerraform("secret_attribute").Type.Object.ByTerraform("label"), facts{Input: "label", Kind: model.String}},
		"inside an object": {
			root.ByTerraform("endpoint").Type.Object.ByTerraform("host_name"), facts{
				Input: "hostName", Observed: true, Kind: model.String,
			},
		},
		"block of anything":  {root.ByTerraform("dynamic_block"), facts{Input: "dynamicBlock", Observed: true, Kind: model.List}},
		"collides with refs": {root.ByTerraform("secret"), facts{Input: "secretSecretRef2", Kind: model.String}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := test.field
			got := facts{Observed: f.Observed, Kind: f.Type.Kind, Singleton: f.Type.Singleton, HasSecretInside: f.Type.HasSecrets() && !f.Secret()}
			if f.Input {
				got.Input = f.InputName()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// A computed block is an input where one of its arguments is optional, as Terraform has it.
func TestComputedBlocks(t *testing.T) {
	t.Parallel()
	block := func(optional bool, inside map[string]*schema.NestedBlock) *schema.NestedBlock {
		return &schema.NestedBlock{
			Nesting: schema.NestingList, Computed: true,
			Block: &schema.Block{Blocks: inside, Attributes: map[string]*schema.Attribute{
				"port": {Type: cty.Number, Optional: optional, Computed: true},
			}},
		}
	}
	for name, test := range map[string]struct {
		block *schema.NestedBlock
		want  bool
	}{
		"an optional argument":         {block(true, nil), true},
		"no argument":                  {block(false, nil), false},
		"an optional argument, deeper": {block(false, map[string]*schema.NestedBlock{"deep": block(true, nil)}), true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
				"cloud_thing": {Type: "cloud_thing", Block: &schema.Block{Blocks: map[string]*schema.NestedBlock{"rule": test.block}}},
			}}, config.Provider{})
			if err != nil {
				t.Fatal(err)
			}
			f := p.Resources["cloud_thing"].Root().Object.ByTerraform("rule")
			if f.Input != test.want || f.Optional != test.want || !f.Observed || f.Required {
				t.Errorf("input %t, optional %t, observed %t, required %t", f.Input, f.Optional, f.Observed, f.Required)
			}
		})
	}
}

// Every field of every object has names of its own, and Absent is of the type.
func TestFieldNamesAreDistinct(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := types("cloud_thing")
		s.Resources["cloud_thing"].Block = schematest.Block(t)
		p, err := model.NewProvider("cloud", s, config.Provider{})
		if err != nil {
			t.Fatal(err)
		}
		walk(t, p.Resources["cloud_thing"].Root())
	})
}

func walk(t *rapid.T, ty *model.Type) {
	if errs := ty.Absent.Type().TestConformance(ty.Cty); len(errs) > 0 {
		t.Fatal(errs)
	}
	if ty.Element != nil {
		walk(t, ty.Element)
	}
	if ty.Object == nil {
		return
	}
	seen := map[string]bool{}
	for _, f := range ty.Object.All {
		for _, n := range []string{f.JSONName, f.SecretRef} {
			if n != "" && seen[n] {
				t.Fatalf("two fields are called %s", n)
			}
			seen[n] = true
		}
		if ty.Object.ByTerraform(f.Name) != f || ty.Object.ByJSON(f.JSONName) != f || f.Input && ty.Object.ByInput(f.InputName()) != f {
			t.Fatalf("%s is not found", f.Name)
		}
		walk(t, f.Type)
	}
}
