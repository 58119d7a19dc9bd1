package inference_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/inference"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// What the documentation of a real provider comes to.
func TestRealProvider(t *testing.T) {
	t.Parallel()
	docs := os.DirFS(providertest.Documentation(t, "hcloud"))
	p, found, err := inference.Provider("hcloud", schematest.Provider(t, "hcloud"), config.Provider{}, nil, docs)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, r := range found {
		fmt.Fprintln(&got, r)
	}
	got.WriteString("\n")
	for _, r := range found {
		for _, ref := range p.Resources[r.Type].References() {
			if ref.Field().Name == r.Path || strings.HasSuffix(r.Path, "."+ref.Field().Name) {
				fmt.Fprintf(&got, "%s: %s, %s\n", p.Resources[r.Type].Kind, ref.Ref, ref.Selector)
			}
		}
	}
	golden.Check(t, "hcloud.golden", []byte(got.String()))
	// The same each time.
	_, again, err := inference.Provider("hcloud", schematest.Provider(t, "hcloud"), config.Provider{}, nil, docs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fmt.Sprint(found), fmt.Sprint(again)); diff != "" {
		t.Errorf("-first, +second:\n%s", diff)
	}
}

// Providers whose resources do not refer to each other.
func TestNothingToInfer(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"local", "random"} {
		_, found, err := inference.Provider(name, schematest.Provider(t, name), config.Provider{}, nil,
			os.DirFS(providertest.Documentation(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func attributes(types map[string]cty.Type) map[string]*schema.Attribute {
	out := map[string]*schema.Attribute{
		"id":    {Type: cty.String, Computed: true},
		"token": {Type: cty.String, Optional: true, Computed: true, Sensitive: true},
		"seen":  {Type: cty.String, Computed: true},
	}
	for name, ty := range types {
		out[name] = &schema.Attribute{Type: ty, Optional: true}
	}
	return out
}

// cloud returns a provider with attributes in all places.
func cloud() *schema.Provider {
	block := func(n schema.Nesting, most int64, more map[string]*schema.NestedBlock) *schema.NestedBlock {
		return &schema.NestedBlock{Nesting: n, MaxItems: most, Block: &schema.Block{
			Attributes: attributes(map[string]cty.Type{"subnet_id": cty.String}), Blocks: more,
		}}
	}
	server := attributes(map[string]cty.Type{
		"vpc_id": cty.Number, "vpc_id_ref": cty.String, "subnet_ids": cty.List(cty.String),
		"group_ids": cty.Set(cty.String), "names": cty.Map(cty.String), "peer_id": cty.String,
		"port":  cty.Object(map[string]cty.Type{"subnet_id": cty.String}),
		"ports": cty.List(cty.Object(map[string]cty.Type{"subnet_id": cty.String})),
	})
	server["disks"] = &schema.Attribute{
		Optional: true, Nested: &schema.NestedAttributes{
			Nesting: schema.NestingMap, Attributes: attributes(map[string]cty.Type{"subnet_id": cty.String}),
		},
	}
	return &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_server": {Type: "cloud_server", Block: &schema.Block{
			Attributes: server,
			Blocks: map[string]*schema.NestedBlock{
				"net": block(schema.NestingList, 0, map[string]*schema.NestedBlock{
					"deep": block(schema.NestingSet, 0, nil),
				}), "one": block(schema.NestingList, 1, nil),
			},
		}},
		"cloud_subnet": {Type: "cloud_subnet", Block: &schema.Block{
			Attributes: attributes(map[string]cty.Type{"vpc_id": cty.String, "arn": cty.String, "zones": cty.List(cty.String)}),
			Blocks:     map[string]*schema.NestedBlock{"one": block(schema.NestingList, 1, nil), "many": block(schema.NestingList, 0, nil)},
		}},
		"cloud_vpc": {Type: "cloud_vpc", Block: &schema.Block{Attributes: attributes(map[string]cty.Type{"arn": cty.String})}},
	}}
}

func TestInference(t *testing.T) {
	t.Parallel()
	server := func(text string) string { return "resource \"cloud_server\" \"s\" {\n" + text + "\n}\n" }
	markdown := func(parts ...string) string { return strings.Join(parts, "\n") + "\n" }
	reference := func(path string, c config.Reference) config.Provider {
		return config.Provider{Resources: map[string]config.Resource{"cloud_server": {References: map[string]config.Reference{path: c}}}}
	}
	for name, x := range map[string]struct {
		files  map[string]string // Markdown, or HCL, by the name
		config config.Provider
		want   []string
		err    string
	}{
		"plain": {
			files: map[string]string{"a.tf": server("peer_id = cloud_vpc.main.id")}, want: []string{
				"cloud_server.peer_id comes from cloud_vpc.id (a.tf)",
			},
		},
		"in quotes": {
			files: map[string]string{"a.tf": server(`peer_id = "${cloud_vpc.main.id}"`)}, want: []string{
				"cloud_server.peer_id comes from cloud_vpc.id (a.tf)",
			},
		},
		"in parentheses": {
			files: map[string]string{"a.tf": server(`peer_id = (cloud_vpc.main.id)`)}, want: []string{
				"cloud_server.peer_id comes from cloud_vpc.id (a.tf)",
			},
		},
		"one of several": {
			files: map[string]string{"a.tf": server(`peer_id = cloud_vpc.main["a"].arn`)}, want: []string{
				"cloud_server.peer_id comes from cloud_vpc.arn (a.tf)",
			},
		},
		"lists": {
			files: map[string]string{
				"a.tf": server("subnet_ids = [cloud_subnet.a.id, cloud_subnet.b[0].id, \"x\"]\ngroup_ids = " +
					"cloud_vpc.all[*].id"),
			}, want: []string{
				"cloud_server.group_ids comes from cloud_vpc.id (a.tf)",
				"cloud_server.subnet_ids comes from cloud_subnet.id (a.tf)",
			},
		},
		"older splat": {
			files: map[string]string{"a.tf": server("subnet_ids = cloud_subnet.a.*.id")}, want: []string{
				"cloud_server.subnet_ids comes from cloud_subnet.id (a.tf)",
			},
		},
		"blocks": {
			files: map[string]string{
				"a.tf": server("net {\n subnet_id = cloud_subnet.a.id\n deep {\n subnet_id = cloud_subnet.a.arn\n " +
					"}\n}\none {\n subnet_id = cloud_subnet.a.one[0].seen\n}"),
			}, want: []string{
				"cloud_server.net.deep.subnet_id comes from cloud_subnet.arn (a.tf)",
				"cloud_server.net.subnet_id comes from cloud_subnet.id (a.tf)",
				"cloud_server.one.subnet_id comes from cloud_subnet.one.seen (a.tf)",
			},
		},
		"dynamic blocks": {
			files: map[string]string{
				"a.tf": server("dynamic \"net\" {\n for_each = var.x\n content {\n subnet_id = cloud_subnet.a.id\n " +
					"}\n}\ndynamic \"one\" {}\n"),
			}, want: []string{"cloud_server.net.subnet_id comes from cloud_subnet.id (a.tf)"},
		},
		"objects": {
			files: map[string]string{
				"a.tf": server("port = { subnet_id = cloud_subnet.a.id }\nports = [{ \"subnet_id\" = " +
					"cloud_subnet.a.id, (var.x) = cloud_vpc.a.id }]\ndisks = { any = { subnet_id : " +
					"cloud_subnet.a.id } }"),
			}, want: []string{
				"cloud_server.disks.subnet_id comes from cloud_subnet.id (a.tf)",
				"cloud_server.port.subnet_id comes from cloud_subnet.id (a.tf)",
				"cloud_server.ports.subnet_id comes from cloud_subnet.id (a.tf)",
			},
		},
		"of its own type": {
			files: map[string]string{"a.tf": server("peer_id = cloud_server.other.id")}, want: []string{
				"cloud_server.peer_id comes from cloud_server.id (a.tf)",
			},
		},
		"what is none": {files: map[string]string{"a.tf": server(strings.Join([]string{
			"peer_id = \"x-${cloud_vpc.a.id}\"", "vpc_id = tonumber(cloud_vpc.a.id)",
			"names = { a = cloud_vpc.a.id }", "id = cloud_vpc.a.id", "seen = cloud_vpc.a.id",
			"token = cloud_vpc.a.id", "unknown = cloud_vpc.a.id",
			"one {\n subnet_id = data.cloud_subnet.a.id\n}", "net {\n subnet_id = other_subnet.a.id\n}",
			"net {\n subnet_id = cloud_subnet.a.token\n}", "net {\n subnet_id = cloud_subnet.a.zones[0]\n}",
			"net {\n subnet_id = cloud_subnet.a.many[1].seen\n}",
			"net {\n subnet_id = cloud_subnet.a.many[0].seen\n}", "net {\n subnet_id = cloud_subnet.a\n}",
			"net {\n subnet_id = cloud_subnet.a.none\n}",
			"net {\n subnet_id = var.x ? cloud_subnet.a.id : cloud_subnet.b.id\n}",
			"subnet_ids = cloud_subnet.a.zones", "group_ids = toset([cloud_vpc.a.id])", "port = cloud_vpc.a",
			"unknown {\n vpc_id = cloud_vpc.a.id\n}",
		}, "\n")) + "data \"cloud_server\" \"s\" {\n peer_id = cloud_vpc.a.id\n}\nresource \"cloud_server\" {\n " +
			"peer_id = cloud_vpc.a.id\n}\nresource \"other_server\" \"s\" {\n peer_id = cloud_vpc.a.id\n}\n"}},
		"several": {
			files: map[string]string{
				"a.tf": server("peer_id = cloud_vpc.a.arn") + server("peer_id = cloud_subnet.a.id"),
				"b.tf": server("peer_id = cloud_vpc.a.id") + server("peer_id = cloud_subnet.a.id"),
			},
			want: []string{"cloud_server.peer_id comes from cloud_subnet.id or cloud_vpc.arn (a.tf and 1 more)"},
		},
		"broken ones are passed over": {
			files: map[string]string{
				"a.tf": "resource \"cloud_server\" \"s\" {\n vpc_id = ",
				"b.md": markdown("```hcl", "resource ...", "```", "```hcl", server("peer_id = cloud_vpc.a.id"), "```"),
			},
			want: []string{"cloud_server.peer_id comes from cloud_vpc.id (b.md)"},
		},
		"Markdown": {
			files: map[string]string{
				"docs/resources/server.md": markdown("# Server", "", "* a list", "", "    ```terraform",
					server("peer_id = cloud_vpc.a.id"), "    ```", "~~~~ hcl title", "```", "~~~~"),
				"website/docs/r/server.html.markdown": markdown("```", server("vpc_id = cloud_vpc.a.id"), "```",
					"```shell", server("group_ids = [cloud_vpc.a.id]"), "```"),
				"website/docs/r/unended.html.markdown":   markdown("~~~HCL", server("one {\n subnet_id = cloud_subnet.a.id\n}")),
				"examples/resources/server/resource.tf":  server("subnet_ids = [cloud_subnet.a.id]"),
				"internal/testdata/not_documentation.tf": server("group_ids = [cloud_vpc.a.id]"),
				"docs/server.txt":                        server("group_ids = [cloud_vpc.a.id]"),
			},
			want: []string{
				"cloud_server.one.subnet_id comes from cloud_subnet.id (website/docs/r/unended.html.markdown)",
				"cloud_server.peer_id comes from cloud_vpc.id (docs/resources/server.md)",
				"cloud_server.subnet_ids comes from cloud_subnet.id (examples/resources/server/resource.tf)",
				"cloud_server.vpc_id comes from cloud_vpc.id (website/docs/r/server.html.markdown), but was left " +
					"out: the name vpcIdRef is taken by another field: give it another one with refField",
			},
		},
		"the configuration comes first": {
			files:  map[string]string{"a.tf": server("peer_id = cloud_vpc.a.id")},
			config: reference("peer_id", config.Reference{Targets: []config.Target{{Type: "cloud_subnet"}}}),
			want:   []string{"cloud_server.peer_id comes from cloud_vpc.id (a.tf), but was left out: the configuration says otherwise"},
		},
		"and switches off": {
			files: map[string]string{"a.tf": server("peer_id = cloud_vpc.a.id\nsubnet_ids = [cloud_subnet.a.id]")},
			config: config.Provider{
				Overrides: []config.Override{{
					Match:    []string{"cloud_*"},
					Resource: config.Resource{References: map[string]config.Reference{"peer_id": {None: true}}},
				}},
			},
			want: []string{
				"cloud_server.peer_id comes from cloud_vpc.id (a.tf), but was left out: the " +
					"configuration says otherwise",
				"cloud_server.subnet_ids comes from cloud_subnet.id (a.tf)",
			},
		},
		"mistakes of the configuration stay its own": {
			files:  map[string]string{"a.tf": server("peer_id = cloud_vpc.a.id")},
			config: reference("nothing", config.Reference{Targets: []config.Target{{Type: "cloud_subnet"}}}),
			err:    "resources.cloud_server.references.nothing: there is no attribute nothing",
		},
		"no documentation": {
			files: map[string]string{"README": "hello"},
			err: "the documentation has no examples in HCL: give the folder that has the provider's docs, " +
				"website/docs or examples",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docs := fstest.MapFS{}
			for file, text := range x.files {
				docs[file] = &fstest.MapFile{Data: []byte(text)}
			}
			before := fmt.Sprint(x.config)
			p, found, err := inference.Provider("cloud", cloud(), x.config, nil, docs)
			if err != nil || x.err != "" {
				if err == nil || err.Error() != x.err {
					t.Fatalf("error %v, want %q", err, x.err)
				}
				return
			}
			var got []string
			has := map[string]bool{}
			for _, r := range p.Resources["cloud_server"].References() {
				var path []string
				for _, f := range r.Path {
					path = append(path, f.Name)
				}
				has[strings.Join(path, ".")] = true
			}
			for _, r := range found {
				got = append(got, r.String())
				if r.Left == nil && !has[r.Path] {
					t.Errorf("the model does not have %s", r)
				}
			}
			if diff := cmp.Diff(x.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if after := fmt.Sprint(x.config); before != after {
				t.Errorf("the configuration was changed: %s", after)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	_, _, err := inference.Provider("cloud", cloud(), config.Provider{}, nil, os.DirFS(filepath.Join(t.TempDir(), "nowhere")))
	if err == nil || !strings.Contains(err.Error(), "cannot read the documentation") {
		t.Errorf("got %v", err)
	}
}

// Whatever is in a file, it is read or passed over; and what comes of it fits the provider.
func FuzzInference(f *testing.F) {
	for _, seed := range []string{
		"resource \"cloud_server\" \"s\" {\n peer_id = cloud_vpc.a.id\n net {\n subnet_id = " +
			"cloud_subnet.a[0].id\n }\n}",
		"```hcl\nresource \"cloud_server\" \"s\" {\n subnet_ids = [\"${cloud_subnet.a.id}\"]\n}\n```\n~~~",
		"resource \"cloud_server\" \"s\" {\n subnet_ids = cloud_subnet.a[*].id\n ports = [{subnet_id = " +
			"cloud_vpc.a.id}]\n}",
		"a = <<EOT\n%{ if x }${y}%{ endif }\nEOT\n", strings.Repeat("(", 400), strings.Repeat("a?", 300),
		strings.Repeat("!", 600),
	} {
		f.Add(seed)
	}
	s := cloud()
	f.Fuzz(func(t *testing.T, text string) {
		docs := fstest.MapFS{"a.md": {Data: []byte(text)}, "b.tf": {Data: []byte(text)}}
		p, found, err := inference.Provider("cloud", s, config.Provider{}, nil, docs)
		if err != nil {
			if p != nil || !strings.HasPrefix(err.Error(), "the documentation has no examples") {
				t.Fatal(err)
			}
			return
		}
		for _, r := range found {
			if p.Resources[r.Type] == nil || len(r.Targets) == 0 || len(r.Files) == 0 || !fs.ValidPath(r.Files[0]) {
				t.Fatalf("%#v", r)
			}
		}
	})
}

// What would be too deep for the stack is passed over, and not parsed.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	for _, x := range []string{
		"(", "[", "{a=", "!", "- ", "a?", "\"${", "a {\n", "a.b[", "f(", "[for x in ", "!/**/", "%{if a}", "a+", "a.",
		"a[0]", "a||", "<<E\n${",
	} {
		text := "x = " + strings.Repeat(x, 250<<10/len(x))
		_, _, err := inference.Provider("cloud", cloud(), config.Provider{}, nil, fstest.MapFS{"a.tf": {Data: []byte(text)}})
		if err != nil && !strings.HasPrefix(err.Error(), "the documentation has no examples") {
			t.Errorf("%q: %v", x, err)
		}
	}
}
