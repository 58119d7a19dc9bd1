package generator_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func provide(t testing.TB, name string, s *schema.Provider, c config.Provider) *model.Provider {
	t.Helper()
	p, err := model.NewProvider(name, s, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func output(t testing.TB, p *model.Provider) *generator.Output {
	t.Helper()
	out, err := generator.Provider(p, generator.Options{Module: "example.org/provider"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// attributes are some that are optional strings.
func attributes(names ...string) map[string]*schema.Attribute {
	out := map[string]*schema.Attribute{}
	for _, n := range names {
		out[n] = &schema.Attribute{Type: cty.String, Optional: true}
	}
	return out
}

// provider returns a schema of resource types whose names begin with cloud_.
func provider(types map[string]*schema.Block) *schema.Provider {
	s := &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
	for name, b := range types {
		s.Resources["cloud_"+name] = &schema.Resource{Type: "cloud_" + name, Block: b}
	}
	return s
}

func TestGolden(t *testing.T) {
	out := output(t, provide(t, "everything", schematest.Everything(), schematest.References()))
	for _, name := range []string{"zz_thing_types.go", "zz_plain_types.go", "zz_groupversion_info.go"} {
		golden.Check(t, name+".golden", out.Files["apis/everything/v1alpha1/"+name])
	}
}

func TestNames(t *testing.T) {
	tests := map[string]struct {
		types map[string]*schema.Block
		// want are lines of the sources, without blanks at their ends.
		want    []string
		renamed []string
	}{
		"initialisms": {
			types: map[string]*schema.Block{
				"vpc_endpoint": {
					Attributes: attributes("cidr_block", "enable_dns_hostnames", "iam_role_arn", "subnet_ids",
						"ipv6_cidr_blocks"),
				},
			},
			want: []string{
				"type VPCEndpointParameters struct {",
				"CIDRBlock *string `json:\"cidrBlock,omitempty\" tf:\"cidr_block,omitempty\"`",
				"EnableDNSHostnames *string `json:\"enableDnsHostnames,omitempty\" tf:\"enable_dns_hostnames,omitempty\"`",
				"IAMRoleARN *string `json:\"iamRoleArn,omitempty\" tf:\"iam_role_arn,omitempty\"`",
				"SubnetIDs *string `json:\"subnetIds,omitempty\" tf:\"subnet_ids,omitempty\"`",
				"IPV6CIDRBlocks *string `json:\"ipv6CidrBlocks,omitempty\" tf:\"ipv6_cidr_blocks,omitempty\"`",
			},
		},
		"two fields": {
			types: map[string]*schema.Block{"thing": {Attributes: attributes("ip_address", "ip__address")}},
			want: []string{
				"IPAddress *string `json:\"ipAddress,omitempty\" tf:\"ip__address,omitempty\"`",
				"IPAddress2 *string `json:\"ip_address,omitempty\" tf:\"ip_address,omitempty\"`",
			},
			renamed: []string{"cloud_thing.ip_address: the name IPAddress is taken, IPAddress2 is used instead"},
		},
		"a field and a method": {
			types:   map[string]*schema.Block{"thing": {Attributes: attributes("deep_copy")}},
			want:    []string{"DeepCopy2 *string `json:\"deepCopy,omitempty\" tf:\"deep_copy,omitempty\"`"},
			renamed: []string{"cloud_thing.deep_copy: the name DeepCopy is taken, DeepCopy2 is used instead"},
		},
		"a field that begins with a digit": {
			types: map[string]*schema.Block{"thing": {Attributes: attributes("2fa")}},
			want:  []string{"X2fa *string `json:\"2fa,omitempty\" tf:\"2fa,omitempty\"`"},
		},
		// A block of one resource type and the kind of another do not meet.
		"a block and a kind": {
			types: map[string]*schema.Block{
				"server": {
					Blocks: map[string]*schema.NestedBlock{
						"network": {Nesting: schema.NestingSingle, Block: &schema.Block{Attributes: attributes("ip")}},
					},
				},
				"server_network": {Attributes: attributes("ip")},
			},
			want: []string{
				"Network *ServerParametersNetwork `json:\"network,omitempty\" tf:\"network,omitempty\"`",
				"type ServerNetworkParameters struct {",
			},
		},
		"a kind and a type of another": {
			types:   map[string]*schema.Block{"server": {Attributes: attributes("a")}, "server_spec": {Attributes: attributes("a")}},
			want:    []string{"Spec ServerSpec2 `json:\"spec\"`", "Spec ServerSpecSpec `json:\"spec\"`"},
			renamed: []string{"cloud_server: the name ServerSpec is taken, ServerSpec2 is used instead"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out := output(t, provide(t, "cloud", provider(test.types), config.Provider{}))
			var all []string
			for _, file := range slices.Sorted(maps.Keys(out.Files)) {
				for line := range strings.SplitSeq(string(out.Files[file]), "\n") {
					all = append(all, strings.Join(strings.Fields(line), " "))
				}
			}
			for _, want := range test.want {
				if !slices.Contains(all, want) {
					t.Errorf("there is no line %s in:\n%s", want, strings.Join(all, "\n"))
				}
			}
			var renamed []string
			for _, r := range out.Renamed {
				renamed = append(renamed, r.String())
			}
			if diff := cmp.Diff(test.renamed, renamed); diff != "" {
				t.Errorf("renamed: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestGroupsAreRegistered(t *testing.T) {
	block := &schema.Block{Attributes: attributes("a")}
	out := output(t, provide(t, "cloud", provider(map[string]*schema.Block{"a": block, "b": block, "c": block}), config.Provider{
		Group: "my-cloud.example.org",
		Resources: map[string]config.Resource{
			"cloud_b": {Group: "mycloud.example.org"},
			"cloud_c": {Group: "1cloud.example.org"},
		},
	}))
	got := string(out.Files["apis/zz_register.go"])
	for _, want := range []string{
		`mycloudv1alpha1 "example.org/provider/apis/my-cloud/v1alpha1"`,
		`mycloudv1alpha12 "example.org/provider/apis/mycloud/v1alpha1"`,
		`x1cloudv1alpha1 "example.org/provider/apis/1cloud/v1alpha1"`,
		"\tmycloudv1alpha1.AddToScheme,\n", "\tmycloudv1alpha12.AddToScheme,\n", "\tx1cloudv1alpha1.AddToScheme,\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in:\n%s", want, got)
		}
	}
}

func TestErrorsNameTheConfiguration(t *testing.T) {
	block := func() *schema.Block { return &schema.Block{Attributes: attributes("a")} }
	tests := map[string]struct {
		config map[string]config.Resource
		want   string
	}{
		"two groups of one package": {
			config: map[string]config.Resource{"cloud_b": {Group: "cloud.example.org"}},
			want: "resources.cloud_b.group: the groups cloud.landbridge.io and cloud.example.org have the same Go " +
				"package apis/cloud/v1alpha1: choose groups with different first labels",
		},
		"a reserved name": {
			config: map[string]config.Resource{"cloud_a": {Kind: "SchemeBuilder"}},
			want:   "resources.cloud_a.kind: SchemeBuilder is taken in the Go package apis/cloud/v1alpha1: give it another name",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := generator.Provider(
				provide(t, "cloud", provider(map[string]*schema.Block{"a": block(), "b": block()}),
					config.Provider{Resources: test.config}), generator.Options{Module: "example.org/provider"},
			)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
