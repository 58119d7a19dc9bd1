package references_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	lbschema "github.com/landbridge-io/landbridge/schema"
)

// things returns a kind with references everywhere.
func things(t *testing.T) *model.Resource {
	t.Helper()
	attributes := func(types map[string]cty.Type) map[string]*lbschema.Attribute {
		out := map[string]*lbschema.Attribute{}
		for name, ty := range types {
			out[name] = &lbschema.Attribute{Type: ty, Optional: true}
		}
		return out
	}
	block := func(n lbschema.Nesting, most int64) *lbschema.NestedBlock {
		return &lbschema.NestedBlock{Nesting: n, MaxItems: most, Block: &lbschema.Block{
			Attributes: attributes(map[string]cty.Type{"subnet_id": cty.String}),
		}}
	}
	vpc := &lbschema.Block{Attributes: attributes(map[string]cty.Type{"arn": cty.String, "size": cty.Number})}
	s := &lbschema.Provider{Config: &lbschema.Block{}, Resources: map[string]*lbschema.Resource{
		"cloud_thing": {Type: "cloud_thing", Identity: &lbschema.Identity{Attributes: map[string]*lbschema.IdentityAttribute{
			"arn": {Type: cty.String, RequiredForImport: true}, "region": {Type: cty.String, OptionalForImport: true},
		}}, Block: &lbschema.Block{
			Attributes: attributes(map[string]cty.Type{
				"vpc_id": cty.String, "vpc_size": cty.String, "number": cty.Number,
				"subnet_ids": cty.List(cty.String), "subnet_set": cty.Set(cty.String), "any_id": cty.String,
				"made":      cty.String,
				"subnet_id": cty.String, "new_id": cty.String, "gone_id": cty.String, "key_id": cty.String, "size": cty.Number, "zone": cty.String,
				"rule": cty.List(cty.Object(map[string]cty.Type{"arn": cty.String})),
			}),
			Blocks: map[string]*lbschema.NestedBlock{
				"net": block(lbschema.NestingList, 0), "one": block(lbschema.NestingList, 1),
				"named": block(lbschema.NestingMap, 0),
			},
		}},
		"cloud_vpc": {Type: "cloud_vpc", Block: vpc}, "cloud_subnet": {Type: "cloud_subnet", Block: vpc},
	}}
	vpcs, subnets := config.Target{Type: "cloud_vpc"}, config.Target{Type: "cloud_subnet"}
	p, err := model.NewProvider("cloud", s, config.Provider{Resources: map[string]config.Resource{
		"cloud_vpc": {Kind: "Vpc"},
		"cloud_thing": {References: map[string]config.Reference{
			"vpc_id":     {Targets: []config.Target{vpcs}},
			"vpc_size":   {Targets: []config.Target{{Type: "cloud_vpc", Attribute: "size"}}},
			"number":     {Targets: []config.Target{{Type: "cloud_vpc", Attribute: "arn"}}},
			"zone":       {Targets: []config.Target{{Type: "cloud_vpc", Attribute: "size", Transform: "'zone-' + string(self)"}}},
			"subnet_ids": {Targets: []config.Target{subnets}},
			"subnet_set": {Targets: []config.Target{subnets}},
			"any_id":     {Targets: []config.Target{vpcs, subnets, {APIVersion: "other.org/v1", Kind: "Key"}}},
			"made": {Targets: []config.Target{{Type: "cloud_vpc", Extract: func(o map[string]any) any {
				name, _, _ := unstructured.NestedString(o, "metadata", "name")
				return "made of " + name
			}}}},
			"net.subnet_id":   {Targets: []config.Target{subnets}},
			"one.subnet_id":   {Targets: []config.Target{subnets}},
			"named.subnet_id": {Targets: []config.Target{subnets}},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Resources["cloud_thing"]
}

// TestResolve has the cases that do not depend on the form of the reference.
func TestResolveBesideFields(t *testing.T) {
	t.Parallel()
	labelled := func(id, tier string) m {
		return m{"metadata": m{"annotations": m{"crossplane.io/external-name": id}, "labels": m{"tier": tier}}}
	}
	open := labelled("subnet-far", "far")
	open["metadata"].(m)["annotations"].(m)["landbridge.io/referable-from"] = "a"
	there := []*unstructured.Unstructured{
		object("Vpc", "a", "main", m{
			"metadata": labelled("vpc-1", "x")["metadata"], "status": m{"atProvider": m{"arn": "17", "size": int64(3)}},
		}),
		object("Vpc", "a", "odd", m{"metadata": labelled("vpc-2", "odd")["metadata"], "status": m{"atProvider": m{"arn": "arn:2", "size": 1.5}}}),
		object("Subnet", "a", "s2", labelled("subnet-2", "x")),
		object("Subnet", "a", "s1", labelled("subnet-1", "x")),
		object("Subnet", "a", "twin", labelled("subnet-1", "twin")),
		object("Subnet", "a", "unready", m{"metadata": m{"labels": m{"tier": "y"}}}),
		object("Subnet", "b", "open", open),
		object("Subnet", "b", "closed", labelled("subnet-secret", "far")),
	}
	ref := func(name string) m { return m{"name": name} }
	tier := func(x string) m { return m{"matchLabels": m{"tier": x}} }
	always, optional := m{"resolve": "Always"}, m{"resolution": "Optional"}
	with := func(a m, policy m) m {
		out := m{"policy": policy}
		for k, v := range a {
			out[k] = v
		}
		return out
	}
	vpc, s1, s2 := key("Vpc", "a", "main"), key("Subnet", "a", "s1"), key("Subnet", "a", "s2")
	anySubnet := func(namespace, x string) references.Where {
		return references.Where{Key: key("Subnet", namespace, ""), Labels: map[string]string{"tier": x}}
	}
	for name, x := range map[string]struct {
		given, want m // want is added to given
		targets     []store.Key
		missing     []string
		awaited     []references.Where
		differs     []string
		unwritten   []string
		err         string
	}{
		"by name": {given: m{"vpcIdRef": ref("main")}, want: m{"vpcId": "vpc-1"}, targets: []store.Key{vpc}},
		"existing value stays": {
			given: m{"vpcId": "mine", "vpcIdRef": ref("main")},
			differs: []string{
				"spec.forProvider.vpcId is not the value of Vpc a/main any more, or never was. Set policy.resolve " +
					"of spec.forProvider.vpcIdRef to Always, or correct the value.",
			},
			targets: []store.Key{vpc},
		},
		"empty value is replaced": {given: m{"vpcId": "", "vpcIdRef": ref("main")}, want: m{"vpcId": "vpc-1"}, targets: []store.Key{vpc}},
		"resolved always": {
			given: m{"vpcId": "mine", "vpcIdRef": with(ref("main"), always)}, want: m{"vpcId": "vpc-1"},
			targets: []store.Key{vpc}, awaited: names(vpc),
		},
		"a number for a string": {given: m{"vpcSizeRef": ref("main")}, want: m{"vpcSize": "3"}, targets: []store.Key{vpc}},
		"a fraction for a string": {
			given: m{"vpcSizeRef": ref("odd")}, want: m{"vpcSize": "1.5"}, targets: []store.Key{key("Vpc", "a", "odd")},
		},
		"a string for a number": {given: m{"numberRef": ref("main")}, want: m{"number": int64(17)}, targets: []store.Key{vpc}},
		"text for a number": {
			given: m{"numberRef": ref("odd")},
			err: "spec.forProvider.numberRef: the status.atProvider.arn of Vpc odd does not fit: a " +
				"number is required",
		},
		"a function": {given: m{"madeRef": ref("main")}, want: m{"made": "made of main"}, targets: []store.Key{vpc}},
		"transformed": {
			given: m{"zoneRef": ref("odd")}, want: m{"zone": "zone-1.5"}, targets: []store.Key{key("Vpc", "a", "odd")},
		},
		"no such resource": {
			given: m{"vpcIdRef": ref("none")}, targets: []store.Key{key("Vpc", "a", "none")},
			awaited: names(key("Vpc", "a", "none")), missing: []string{
				"spec.forProvider.vpcId: there is no Vpc a/none",
			},
		},
		"no such resource, optional": {
			given: m{"vpcIdRef": with(ref("none"), optional)}, targets: []store.Key{key("Vpc", "a", "none")},
			awaited: names(key("Vpc", "a", "none")),
		},
		"a kind by default": {given: m{"anyIdRef": ref("main")}, want: m{"anyId": "vpc-1"}, targets: []store.Key{vpc}},
		"another kind": {
			given: m{"anyIdRef": m{"kind": "Subnet", "name": "s1"}}, want: m{"anyId": "subnet-1"},
			targets: []store.Key{s1},
		},
		"a kind of another provider": {
			given:   m{"anyIdRef": m{"kind": "Key", "name": "k"}},
			targets: []store.Key{{Group: "other.org", Kind: "Key", Namespace: "a", Name: "k"}},
			awaited: names(store.Key{Group: "other.org", Kind: "Key", Namespace: "a", Name: "k"}),
			missing: []string{"spec.forProvider.anyId: no kind Key of other.org/v1 is served here yet"},
		},
		"unknown kind": {
			given: m{"anyIdRef": m{"kind": "Lamp", "name": "k"}},
			err:   "spec.forProvider.anyIdRef.kind is Lamp: it must be one of [Vpc Subnet Key]",
		},
		"in blocks": {
			given: m{
				"net": []any{m{"subnetIdRef": ref("s1")}, m{"subnetId": "x"}, m{"subnetIdRef": ref("none")}},
				"one": m{"subnetIdRef": ref("s2")}, "named": m{"a.b": m{"subnetIdRef": ref("s1")}, "c": m{}},
			},
			want: m{
				"net": []any{m{"subnetIdRef": ref("s1"), "subnetId": "subnet-1"}, m{"subnetId": "x"}, m{"subnetIdRef": ref("none")}},
				"one": m{"subnetIdRef": ref("s2"), "subnetId": "subnet-2"}, "named": m{
					"a.b": m{"subnetIdRef": ref("s1"), "subnetId": "subnet-1"}, "c": m{},
				},
			},
			targets: []store.Key{s1, s1, key("Subnet", "a", "none"), s2},
			awaited: names(s1, key("Subnet", "a", "none")), unwritten: []string{"spec.forProvider.net"},
			missing: []string{"spec.forProvider.net[2].subnetId: there is no Subnet a/none"},
		},

		"a selector in the same list": {
			given: m{"net": []any{m{"subnetIdSelector": tier("x")}, m{"subnetIdRef": ref("s2")}}},
			want: m{"net": []any{
				m{"subnetIdSelector": tier("x"), "subnetIdRef": ref("s1"), "subnetId": "subnet-1"}, m{"subnetIdRef": ref("s2"), "subnetId": "subnet-2"},
			}},
			targets: []store.Key{s1, s2},
		},
		"selects the first and records it": {
			given: m{"net": []any{m{"subnetIdSelector": tier("x")}}},
			want: m{
				"net": []any{m{"subnetIdSelector": tier("x"), "subnetIdRef": ref("s1"), "subnetId": "subnet-1"}},
			}, targets: []store.Key{s1},
		},
		"uses what is recorded": {
			given:   m{"one": m{"subnetIdSelector": tier("x"), "subnetIdRef": ref("s2")}},
			want:    m{"one": m{"subnetIdSelector": tier("x"), "subnetIdRef": ref("s2"), "subnetId": "subnet-2"}},
			targets: []store.Key{s2},
		},
		"value without a recorded selection": {given: m{"one": m{"subnetIdSelector": tier("x"), "subnetId": "mine"}}},
		"resolved always, recorded still selected": {
			given: m{
				"one": m{"subnetIdSelector": with(tier("x"), always), "subnetIdRef": ref("s2"), "subnetId": "old"},
			}, want: m{
				"one": m{"subnetIdSelector": with(tier("x"), always), "subnetIdRef": ref("s2"), "subnetId": "subnet-2"},
			}, targets: []store.Key{s2}, awaited: append([]references.Where{anySubnet("a", "x")}, names(s2)...),
		},
		"resolved always, recorded not selected": {
			given: m{
				"one": m{
					"subnetIdSelector": with(tier("x"), always), "subnetIdRef": ref("twin"), "subnetId": "subnet-1",
				},
			}, want: m{
				"one": m{"subnetIdSelector": with(tier("x"), always), "subnetIdRef": ref("s1"), "subnetId": "subnet-1"},
			}, targets: []store.Key{s1}, awaited: append([]references.Where{anySubnet("a", "x")}, names(s1)...),
		},
		"selects a kind": {
			given: m{"anyIdSelector": m{"kind": "Subnet", "matchLabels": m{"tier": "x"}}},
			want:  m{"anyId": "subnet-1", "anyIdRef": m{"kind": "Subnet", "name": "s1"}}, targets: []store.Key{s1},
		},
		"selected resource is not ready": {
			given: m{"one": m{"subnetIdSelector": tier("y")}}, targets: []store.Key{key("Subnet", "a", "unready")},
			awaited: append([]references.Where{anySubnet("a", "y")}, names(key("Subnet", "a", "unready"))...),
			missing: []string{
				"spec.forProvider.one.subnetId: Subnet a/unready, which is selected, has no " +
					"metadata.annotations[crossplane.io/external-name] yet",
			},
		},
		"nothing to select": {
			given: m{"one": m{"subnetIdSelector": tier("z")}}, awaited: []references.Where{anySubnet("a", "z")},
			missing: []string{"spec.forProvider.one.subnetId: there is no Subnet with labels tier=z in namespace a"},
		},
		"selects in another namespace": {
			given: m{
				"one":           m{"subnetIdSelector": with(tier("far"), m{}), "subnetId": nil},
				"anyIdSelector": m{"kind": "Subnet", "namespace": "b", "matchLabels": m{"tier": "far"}}, "anyId": "",
			},
			want: m{
				"one": m{"subnetIdSelector": with(tier("far"), m{}), "subnetId": nil}, "anyId": "subnet-far",
				"anyIdRef": m{"kind": "Subnet", "name": "open", "namespace": "b"},
			}, targets: []store.Key{key("Subnet", "b", "open")}, awaited: []references.Where{anySubnet("a", "far")},
			missing: []string{"spec.forProvider.one.subnetId: there is no Subnet with labels tier=far in namespace a"},
		},
		"another namespace without permission": {
			given:   m{"one": m{"subnetIdRef": m{"name": "closed", "namespace": "b"}}},
			awaited: names(key("Subnet", "b", "closed")),
			missing: []string{
				"spec.forProvider.one.subnetId: Subnet b/closed may not be referred to from namespace a: there is " +
					"none, or its annotation landbridge.io/referable-from does not allow it",
			},
		},

		"a list": {
			given: m{"subnetIdRefs": []any{ref("s2"), ref("s1"), ref("s2")}},
			want:  m{"subnetIds": []any{"subnet-2", "subnet-1", "subnet-2"}}, targets: []store.Key{s2, s1, s2},
		},
		"a set": {
			given: m{"subnetSetRefs": []any{ref("s2"), ref("s1"), ref("twin")}}, want: m{
				"subnetSet": []any{"subnet-2", "subnet-1"},
			}, targets: []store.Key{s2, s1, key("Subnet", "a", "twin")},
		},
		"existing list stays": {given: m{"subnetIds": []any{"x"}, "subnetIdRefs": []any{ref("s2")}}, targets: []store.Key{s2}},
		"incomplete list": {
			given:   m{"subnetIdRefs": []any{ref("s2"), ref("unready")}},
			targets: []store.Key{s2, key("Subnet", "a", "unready")}, awaited: names(key("Subnet", "a", "unready")),
			missing: []string{
				"spec.forProvider.subnetIds: Subnet a/unready has no " +
					"metadata.annotations[crossplane.io/external-name] yet",
			},
		},
		"incomplete list, optional": {
			given: m{"subnetIdRefs": []any{ref("s2"), with(ref("unready"), optional)}}, want: m{
				"subnetIds": []any{"subnet-2"},
			}, targets: []store.Key{s2, key("Subnet", "a", "unready")}, awaited: names(key("Subnet", "a", "unready")),
		},
		"list of all selected": {
			given:   m{"subnetIdSelector": tier("x")},
			want:    m{"subnetIds": []any{"subnet-1", "subnet-2"}, "subnetIdRefs": []any{ref("s1"), ref("s2")}},
			targets: []store.Key{s1, s2},
		},
		"list of all selected, resolved always": {
			given: m{
				"subnetIdSelector": with(tier("x"), always), "subnetIds": []any{"subnet-1"},
				"subnetIdRefs": []any{ref("s1")},
			}, want: m{"subnetIds": []any{"subnet-1", "subnet-2"}, "subnetIdRefs": []any{ref("s1"), ref("s2")}},
			targets: []store.Key{s1, s2}, awaited: append([]references.Where{anySubnet("a", "x")}, names(s1, s2)...),
		},
		"selection is unchanged": {
			given: m{
				"subnetIdSelector": with(tier("x"), always), "subnetIds": []any{"subnet-1", "subnet-2"},
				"subnetIdRefs": []any{ref("s1"), ref("s2")},
			}, targets: []store.Key{s1, s2}, awaited: append([]references.Where{anySubnet("a", "x")}, names(s1, s2)...),
		},
		"malformed reference": {
			given: m{"vpcIdRef": "main"},
			err:   "spec.forProvider.vpcIdRef cannot be read: it is neither an object nor a list",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := object("Thing", "a", "me", m{"spec": m{"forProvider": x.given}})
			u = u.DeepCopy()
			before := u.DeepCopy()
			refs, err := references.Of(u, things(t))
			var got references.Resolution
			if err == nil {
				got, err = resolver(there).Resolve(t.Context(), u, refs)
			}
			if message := text(err); message != x.err {
				t.Fatalf("error %q, want %q", message, x.err)
			}
			if err != nil {
				return
			}
			want := before.DeepCopy().Object["spec"].(m)["forProvider"].(m)
			for k, v := range x.want {
				want[k] = v
			}
			if diff := cmp.Diff(want, u.Object["spec"].(m)["forProvider"]); diff != "" {
				t.Errorf("forProvider: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(references.Resolution{
				Changed: changed(t, before, u, &got, x.unwritten), Targets: x.targets, Missing: x.missing,
				Awaited: x.awaited, Differs: x.differs,
			}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
