package model_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
)

// names returns what is listed for each type: kind, list kind, plural and singular.
func names(p *model.Provider) map[string]string {
	out := map[string]string{}
	for t, r := range p.Resources {
		out[t] = strings.Join([]string{r.Kind, r.ListKind, r.Plural, r.Singular}, " ")
	}
	return out
}

func named(t *testing.T, known map[string]config.Names, c config.Provider, types_ ...string) *model.Provider {
	t.Helper()
	p, err := model.KeepNames("bug", types(types_...), c, known)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Types that a new version adds give way to those that exist, and only what collides changes. A new
// cluster has the same names with those that were recorded.
func TestAdditionsGiveWay(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		had, added []string
		want       map[string]string
		recorded   []string
	}{
		"the list kind of an added type": {
			had: []string{"bug_allow_list"}, added: []string{"bug_allow"},
			want: map[string]string{
				"bug_allow_list": "AllowList AllowListList allowlists allowlist",
				"bug_allow":      "Allow BugAllowList allows allow",
			}, recorded: []string{"bug_allow"},
		},
		"an added type that is a list kind": {
			had: []string{"bug_allow"}, added: []string{"bug_allow_list"},
			want: map[string]string{
				"bug_allow":      "Allow AllowList allows allow",
				"bug_allow_list": "BugAllowList BugAllowListList bugallowlists bugallowlist",
			}, recorded: []string{"bug_allow_list"},
		},
		"the plural of an added type": {
			had: []string{"bug_container_registries"}, added: []string{"bug_container_registry"},
			want: map[string]string{
				"bug_container_registries": "ContainerRegistries ContainerRegistriesList containerregistries " +
					"containerregistries",
				"bug_container_registry": "ContainerRegistry ContainerRegistryList bugcontainerregistries " +
					"containerregistry",
			},
			recorded: []string{"bug_container_registry"},
		},
		"an added type that is a plural": {
			had: []string{"bug_container_registry"}, added: []string{"bug_container_registries"},
			want: map[string]string{
				"bug_container_registry": "ContainerRegistry ContainerRegistryList containerregistries " +
					"containerregistry",
				"bug_container_registries": "ContainerRegistries ContainerRegistriesList bugcontainerregistries " +
					"bugcontainerregistries",
			},
			recorded: []string{"bug_container_registries"},
		},
		"the kind of an added type": {
			had: []string{"other_thing"}, added: []string{"bug_thing"},
			want: map[string]string{
				"other_thing": "Thing ThingList things thing", "bug_thing": "BugThing BugThingList bugthings bugthing",
			}, recorded: []string{"bug_thing"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := named(t, nil, config.Provider{}, test.had...)
			all := slices.Concat(test.had, test.added)
			new := named(t, old.AllNames(), config.Provider{}, all...)
			if diff := cmp.Diff(test.want, names(new)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			recorded := new.AssignedNames()
			if diff := cmp.Diff(test.recorded, slices.Sorted(maps.Keys(recorded))); diff != "" {
				t.Errorf("recorded: -want, +got:\n%s", diff)
			}
			elsewhere := named(t, nil, config.Provider{Names: recorded}, all...)
			if diff := cmp.Diff(test.want, names(elsewhere)); diff != "" {
				t.Errorf("elsewhere: -want, +got:\n%s", diff)
			}
		})
	}
}

// Whatever is added to a provider, in any order, its types keep their names; and what is recorded
// makes the same names elsewhere.
func TestNamesAreStable(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{
		"a", "as", "list", "ip", "ips", "setting", "settings", "policy", "policies", "resource", "2", "provider",
		"config", "A", "",
	})
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"bug_", "sky_", "bug"}).Draw(t, "prefix") +
				strings.Join(rapid.SliceOfN(word, 1, 3).Draw(t, "words"), "_")
		}), 1, 12, rapid.ID).Draw(t, "types")
		c := config.Provider{}
		if rapid.Bool().Draw(t, "configured") {
			c.Resources = map[string]config.Resource{all[0]: {Kind: "List", ShortNames: []string{"ls"}}}
		}
		var known map[string]config.Names
		var p *model.Provider
		for n := 1; n <= len(all); n++ {
			var err error
			if p, err = model.KeepNames("bug", types(all[:n]...), c, known); err != nil {
				t.Fatal(err)
			}
			for name, had := range known {
				if diff := cmp.Diff(had, p.Resources[name].Names()); diff != "" {
					t.Fatalf("%s has other names since %s was added:\n%s", name, all[n-1], diff)
				}
			}
			known = p.AllNames()
		}
		c.Names = p.AssignedNames()
		elsewhere, err := model.NewProvider("bug", types(all...), c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.AllNames(), elsewhere.AllNames()); diff != "" {
			t.Fatalf("recorded: %v\n%s", c.Names, diff)
		}
	})
}

// Names fit into Kubernetes' limits, however long those of the types are, and do not depend on
// chance.
func TestNamesFit(t *testing.T) {
	t.Parallel()
	letter := rapid.RuneFrom([]rune("abcdefghijklmnopqrstuvwxyz0123456789_-ÄßZ"))
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			// Long names that begin alike are those that are cut to the same.
			start := rapid.SampledFrom([]string{"", "bug_", "bug_" + strings.Repeat("scope_", 12)}).Draw(t, "start")
			n := rapid.IntRange(1, 200-len(start)).Draw(t, "length")
			return start + rapid.StringOfN(letter, 1, n, n).Draw(t, "name")
		}), 1, 8, rapid.ID).Draw(t, "types")
		p, err := model.NewProvider("bug", types(all...), config.Provider{})
		if err != nil {
			t.Fatal(err)
		}
		if msg := unfit(p); msg != "" {
			t.Fatal(msg)
		}
		again, err := model.NewProvider("bug", types(all...), config.Provider{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(names(p), names(again)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// unfit returns what is wrong with the names of a provider's kinds, or "".
func unfit(p *model.Provider) string {
	kinds, resources := map[string]string{}, map[string]string{}
	for t, r := range p.Resources {
		for _, n := range []string{strings.ToLower(r.Kind), strings.ToLower(r.ListKind), r.Plural, r.Singular} {
			if msgs := validation.IsDNS1035Label(n); len(msgs) > 0 {
				return fmt.Sprintf("%s: %q: %v", t, n, msgs)
			}
		}
		if msgs := validation.IsDNS1123Subdomain(r.CRDName()); len(msgs) > 0 {
			return fmt.Sprintf("%s: %q: %v", t, r.CRDName(), msgs)
		}
		for n, of := range map[string]map[string]string{r.Kind: kinds, r.ListKind: kinds, r.Plural: resources, r.Singular: resources} {
			if o := of[n]; o != "" && o != t {
				return fmt.Sprintf("%s and %s are both %s", o, t, n)
			}
			of[n] = t
		}
	}
	return ""
}

// A kind that is short enough keeps its name if only its list kind or its plural is too long.
func TestLongNames(t *testing.T) {
	t.Parallel()
	const type_ = "google_scc_management_organization_security_health_analytics_custom_module"
	p, err := model.NewProvider("google", types(type_, "google_"+strings.Repeat("abcdefghij_", 9)+"y"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		type_: "SccManagementOrganizationSecurityHealthAnalyticsCustomModule SccManagementOrganizationSecurityHealthAnalyticsCus6f5ce1d5List" +
			" sccmanagementorganizationsecurityhealthanalyticscustommodules sccmanagementorganizationsecurityhealthanalyticscustommodule",
	}
	if diff := cmp.Diff(want[type_], names(p)[type_]); diff != "" {
		t.Error(diff)
	}
	if msg := unfit(p); msg != "" {
		t.Error(msg)
	}
	// A configured kind is as it is written, and what is derived from it fits.
	kind := "K" + strings.Repeat("k", 62)
	p, err = model.NewProvider("google", types(type_), config.Provider{Resources: map[string]config.Resource{type_: {Kind: kind}}})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Resources[type_]; r.Kind != kind || unfit(p) != "" {
		t.Errorf("%s: %s", names(p), unfit(p))
	}
}

// Names that are given must be free, legal and of the configured kind.
func TestGivenNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config config.Provider
		want   string
		err    string
	}{
		"all": {
			config: config.Provider{Names: map[string]config.Names{"bug_a": {Kind: "Alpha", ListKind: "Alphas", Plural: "alphae", Singular: "alf"}}},
			want:   "Alpha Alphas alphae alf",
		},
		"a kind": {
			config: config.Provider{Names: map[string]config.Names{"bug_a": {Kind: "Alpha"}}},
			want:   "Alpha AlphaList alphas alpha",
		},
		"a list kind": {
			config: config.Provider{Names: map[string]config.Names{"bug_a": {ListKind: "Alphas"}}},
			want:   "A Alphas as a",
		},
		"of a type that does not exist": {config: config.Provider{Names: map[string]config.Names{"bug_none": {Kind: "A"}}}, want: "A AList as a"},
		"of another kind than the configured one": {
			config: config.Provider{
				Names:     map[string]config.Names{"bug_a": {Kind: "Alpha", Plural: "alphae"}},
				Resources: map[string]config.Resource{"bug_a": {Kind: "Aleph"}},
			},
			want: "Aleph AlephList alephs aleph",
		},
		"for the configured kind": {
			config: config.Provider{
				Names:     map[string]config.Names{"bug_a": {Kind: "Alpha", ListKind: "Alphas", Plural: "alphae"}},
				Resources: map[string]config.Resource{"bug_a": {Plural: "alphs"}},
			},
			want: "Alpha Alphas alphs alpha",
		},
		"taken twice": {
			config: config.Provider{Names: map[string]config.Names{"bug_a": {Kind: "Alpha"}, "bug_b": {Kind: "Alpha"}}},
			err:    "names.bug_b.kind: Alpha is taken",
		},
		"taken by a configured kind": {
			config: config.Provider{
				Names:     map[string]config.Names{"bug_a": {Plural: "betas"}},
				Resources: map[string]config.Resource{"bug_b": {Kind: "Beta"}},
			},
			err: "names.bug_a.plural: betas is taken",
		},
		"taken by a list kind that may differ": {
			config: config.Provider{Names: map[string]config.Names{"bug_a": {Kind: "Alpha"}, "bug_b": {Kind: "AlphaList"}}},
			want:   "Alpha BugAList alphas alpha",
		},
		"not a kind": {
			config: config.Provider{Names: map[string]config.Names{"bug_a": {Kind: "alpha"}}},
			err:    `names.bug_a.kind: "alpha": it must be in PascalCase, with 63 characters at most`,
		},
		"not a list kind": {
			config: config.Provider{Names: map[string]config.Names{"bug_a": {ListKind: "a b"}}},
			err:    `names.bug_a.listKind: "a b": it must be in PascalCase`,
		},
		"not a singular":   {config: config.Provider{Names: map[string]config.Names{"bug_a": {Singular: "A"}}}, err: `names.bug_a.singular: "A"`},
		"too long a group": {config: config.Provider{Group: strings.Repeat("g.", 100) + "x"}, err: "group: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := model.NewProvider("bug", types("bug_a", "bug_b"), test.config)
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) {
					t.Fatalf("got %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := names(p)["bug_a"]; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Initialisms of networks, clouds and vendors are written alike.
func TestInitialisms(t *testing.T) {
	t.Parallel()
	for resourceType, want := range map[string]string{
		"bug_srv_record_set": "SRVRecordSet", "bug_aaaa_record_set": "AAAARecordSet", "bug_cname_record": "CNAMERecord",
		"bug_oauth_client": "OAuthClient", "bug_oauth2_app": "OAuth2App", "bug_idp_azure_ad": "IDPAzureAD",
		"bug_snmp_server": "SNMPServer", "bug_ospf_area": "OSPFArea", "bug_vrrp_group": "VRRPGroup", "bug_snmpv3_user": "SNMPV3User",
		"bug_idp_ldap_msad_lds": "IDPLDAPMSADLDS", "bug_oidc_github": "OIDCGitHub", "bug_mysql_databases": "MySQLDatabases", "bug_vpcs": "VPCs",
	} {
		if got := named(t, nil, config.Provider{}, resourceType).Resources[resourceType].Kind; got != want {
			t.Errorf("%s: got %s, want %s", resourceType, got, want)
		}
	}
}
