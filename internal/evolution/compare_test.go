package evolution_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func provide(t testing.TB, s *schema.Provider, c config.Provider) *model.Provider {
	t.Helper()
	p, err := model.NewProvider("cloud", s, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// of returns a provider with the resource type cloud_thing.
func of(b *schema.Block, identity *schema.Identity, version int64) *schema.Provider {
	return &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_thing": {Type: "cloud_thing", Version: version, Block: b, Identity: identity},
	}}
}

func attributes(a map[string]*schema.Attribute) *schema.Block { return &schema.Block{Attributes: a} }

func blocks(n *schema.NestedBlock) *schema.Block {
	return &schema.Block{Blocks: map[string]*schema.NestedBlock{"max_rule": n}}
}

func TestCompareKind(t *testing.T) {
	t.Parallel()
	type attrs = map[string]*schema.Attribute
	optional := func(t cty.Type) *schema.Block { return attributes(attrs{"max_age": {Type: t, Optional: true}}) }
	one := func(a *schema.Attribute) *schema.Block { return attributes(attrs{"max_age": a}) }
	rule := func(n schema.Nesting, most int64, a attrs) *schema.Block {
		return blocks(&schema.NestedBlock{Nesting: n, MaxItems: most, Block: attributes(a)})
	}
	days := attrs{"days": {Type: cty.Number, Optional: true}}
	tests := map[string]struct {
		old, new *schema.Block
		config   map[string]config.Field // of the new version
		want     []string
	}{
		"given another name": {
			old: optional(cty.Bool), new: optional(cty.Bool), config: map[string]config.Field{"max_age": {Name: "age"}},
			want: []string{"NewVersion ~ spec.forProvider.age: field renamed, maxAge -> age (values are kept)"},
		},
		"called otherwise by the provider": {
			old: optional(cty.Bool), new: attributes(attrs{"age": {Type: cty.String, Optional: true}}),
			config: map[string]config.Field{"age": {FormerNames: []string{"maxAge"}}},
			want: []string{
				"NewVersion ~ spec.forProvider.age: field renamed, maxAge -> age (values are kept)",
				`NewVersion ~ spec.forProvider.age: type changed, boolean -> string (true becomes "true")`,
			},
		},
		"a secret given another name": {
			old:    one(&schema.Attribute{Type: cty.String, Optional: true, Sensitive: true}),
			new:    one(&schema.Attribute{Type: cty.String, Optional: true, Sensitive: true}),
			config: map[string]config.Field{"max_age": {Name: "age"}},
			want: []string{
				"NewVersion ~ spec.forProvider.ageSecretRef: field renamed, maxAgeSecretRef -> ageSecretRef (values are kept)",
				"NewVersion ~ status.atProvider.age: field renamed, maxAge -> age (values are kept)",
			},
		},
		"the old name kept": {
			old: optional(cty.Bool), new: attributes(attrs{"age": {Type: cty.Bool, Optional: true}}),
			config: map[string]config.Field{"age": {Name: "maxAge"}},
		},
		"nothing": {old: optional(cty.Bool), new: optional(cty.Bool)},
		"added": {
			old: attributes(nil), new: optional(cty.Bool), want: []string{
				"InPlace + spec.forProvider.maxAge: field added, boolean",
			},
		},
		"required": {
			old: attributes(nil), new: one(&schema.Attribute{Type: cty.Bool, Required: true}),
			want: []string{
				"ByHand + spec.forProvider.maxAge: field added, boolean (it is required: set it in " +
					"objects that lack it)",
			},
		},
		"removed": {
			old: optional(cty.Bool), new: attributes(nil),
			want: []string{"NewVersion - spec.forProvider.maxAge: field removed, boolean (it no longer has an effect)"},
		},
		"shown, and not any more": {
			old: one(&schema.Attribute{Type: cty.Bool, Computed: true}), new: attributes(nil),
			want: []string{"NewVersion - status.atProvider.maxAge: field removed, boolean"},
		},
		"bool to string": {
			old: optional(cty.Bool), new: optional(cty.String),
			want: []string{
				`NewVersion ~ spec.forProvider.maxAge: type changed, boolean -> string (true becomes "true")`,
			},
		},
		"string to number": {
			old: optional(cty.String), new: optional(cty.Number),
			want: []string{
				`NewVersion ~ spec.forProvider.maxAge: type changed, string -> number ("1" becomes 1; anything else has to be set again)`,
			},
		},
		"bool to number": {
			old: optional(cty.Bool), new: optional(cty.Number),
			want: []string{
				`ByHand ~ spec.forProvider.maxAge: type changed, boolean -> number (there is no conversion: set the values again)`,
			},
		},
		"to anything": {
			old: optional(cty.Bool), new: optional(cty.DynamicPseudoType),
			want: []string{`InPlace ~ spec.forProvider.maxAge: type changed, boolean -> any (values stay as they are)`},
		},
		"scalar to list": {
			old: optional(cty.Bool), new: optional(cty.List(cty.String)),
			want: []string{
				`NewVersion ~ spec.forProvider.maxAge: type changed, boolean -> list of string (the value becomes a list of one)`,
			},
		},
		"inside": {
			old: optional(cty.List(cty.Bool)), new: optional(cty.List(cty.String)),
			want: []string{
				`NewVersion ~ spec.forProvider.maxAge[]: type changed, boolean -> string (true becomes "true")`,
			},
		},
		"list to set": {
			old: optional(cty.List(cty.Bool)), new: optional(cty.Set(cty.Bool)),
			want: []string{
				`NewVersion ~ spec.forProvider.maxAge: type changed, list -> set (duplicate elements are removed)`,
			},
		},
		"became required": {
			old: optional(cty.Bool), new: one(&schema.Attribute{Type: cty.Bool, Required: true}),
			want: []string{"ByHand ~ spec.forProvider.maxAge: became required (set it in objects that lack it)"},
		},
		"became optional": {
			old: one(&schema.Attribute{Type: cty.Bool, Required: true}), new: optional(cty.Bool),
			want: []string{"InPlace ~ spec.forProvider.maxAge: became optional"},
		},
		"became read-only": {
			old: optional(cty.Bool), new: one(&schema.Attribute{Type: cty.Bool, Computed: true}),
			want: []string{"NewVersion ~ spec.forProvider.maxAge: became read only, boolean"},
		},
		"became settable": {
			old: one(&schema.Attribute{Type: cty.Bool, Computed: true}), new: optional(cty.Bool),
			want: []string{"InPlace ~ spec.forProvider.maxAge: became settable, boolean"},
		},
		"became sensitive": {
			old: optional(cty.String), new: one(&schema.Attribute{Type: cty.String, Optional: true, Sensitive: true}),
			want: []string{"ByHand ~ spec.forProvider.maxAge: became sensitive, maxAgeSecretRef (move the value to a Secret)"},
		},
		"what is computed became sensitive": {
			old:  one(&schema.Attribute{Type: cty.String, Computed: true}),
			new:  one(&schema.Attribute{Type: cty.String, Computed: true, Sensitive: true}),
			want: []string{"NewVersion ~ status.atProvider.maxAge: became sensitive, string -> in Secrets only (it is only in connection Secrets)"},
		},
		"not sensitive any more": {
			old: one(&schema.Attribute{Type: cty.String, Optional: true, Sensitive: true}), new: optional(cty.String),
			want: []string{"ByHand ~ spec.forProvider.maxAgeSecretRef: became plain, maxAge (give the value itself instead of a reference)"},
		},
		"deprecated": {
			old: optional(cty.Bool), new: one(&schema.Attribute{Type: cty.Bool, Optional: true, Deprecated: true}),
			want: []string{"InPlace ~ spec.forProvider.maxAge: field deprecated"},
		},
		"a block of one": {
			old: rule(schema.NestingList, 0, days), new: rule(schema.NestingList, 1, days),
			want: []string{
				"NewVersion ~ spec.forProvider.maxRule: type changed, list of object -> object (the only element of " +
					"the list becomes the value; anything else has to be set again)",
			},
		},
		"blocks of many": {
			old: rule(schema.NestingList, 1, days), new: rule(schema.NestingSet, 0, attrs{"days": {Type: cty.String, Optional: true}}),
			want: []string{
				"NewVersion ~ spec.forProvider.maxRule: type changed, object -> set of object (the value becomes a list of one)",
				`NewVersion ~ spec.forProvider.maxRule[].days: type changed, number -> string (1 becomes "1")`,
			},
		},
		"fewer blocks": {
			old: rule(schema.NestingList, 0, days), new: rule(schema.NestingList, 3, days),
			want: []string{"ByHand ~ spec.forProvider.maxRule: bounds changed, 0 to any number -> 0 to 3 (change lists of any other length)"},
		},
		"required in blocks": {
			old: rule(schema.NestingList, 0, days), new: rule(schema.NestingList, 0, attrs{"days": {Type: cty.Number, Required: true}}),
			want: []string{"ByHand ~ spec.forProvider.maxRule[].days: became required (set it in objects that lack it)"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, new := provide(t, of(test.old, nil, 0), config.Provider{}), provide(t, of(test.new, nil, 0), config.Provider{
				Resources: map[string]config.Resource{"cloud_thing": {Fields: test.config}},
			})
			var got []string
			for _, c := range compare(t, old, new).Changes {
				got = append(got, string(c.Verdict)+" "+c.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	identity := func(version int64, names ...string) *schema.Identity {
		i := &schema.Identity{Version: version, Attributes: map[string]*schema.IdentityAttribute{}}
		for _, n := range names {
			i.Attributes[n] = &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
		}
		return i
	}
	b := func() *schema.Block {
		return attributes(map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}})
	}
	old, new := of(b(), identity(0, "account"), 1), of(b(), identity(1, "account", "region"), 2)
	old.Resources["cloud_gone"] = &schema.Resource{Type: "cloud_gone", Block: b()}
	new.Resources["cloud_more"] = &schema.Resource{Type: "cloud_more", Block: b()}
	new.Config.Attributes = map[string]*schema.Attribute{"region": {Type: cty.String, Required: true}}
	report := compare(t, provide(t, old, config.Provider{}), provide(t, new, config.Provider{
		Resources: map[string]config.Resource{"cloud_thing": {ExternalName: &config.ExternalName{Attribute: "name"}}},
	}))
	if report.Verdict() != evolution.ByHand {
		t.Error(report.Verdict())
	}
	var text bytes.Buffer
	if err := report.Text(&text); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "report.txt.golden", text.Bytes())
	raw, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "report.json.golden", append(raw, '\n'))
}

// An identity schema that changes needs a new version, or the identities that are stored do not fit
// it.
func TestCompareIdentitySchemas(t *testing.T) {
	t.Parallel()
	type identity = map[string]*schema.IdentityAttribute
	text := &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
	optional := &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
	flag := &schema.IdentityAttribute{Type: cty.Bool, RequiredForImport: true}
	const note = " (its version is still 3, so stored identities are not upgraded and may not fit: ask the " +
		"provider's developers for a new version of the identity schema)"
	for name, x := range map[string]struct {
		old, new identity
		version  int64
		want     string
	}{
		"the same":                         {old: identity{"id": text}, new: identity{"id": text}, version: 3},
		"other attributes need an import":  {old: identity{"id": text, "r": text}, new: identity{"id": text, "r": optional}, version: 3},
		"an attribute, with a new version": {old: identity{"id": text}, new: identity{"id": text, "region": optional}, version: 4},
		"an attribute": {
			old: identity{"id": text}, new: identity{"id": text, "region": optional}, version: 3,
			want: "ByHand ~ status.identity: identity schema changed, {id string} -> {id string, region string}" + note,
		},
		"one attribute less": {
			old: identity{"id": text, "region": text}, new: identity{"id": text}, version: 3,
			want: "ByHand ~ status.identity: identity schema changed, {id string, region string} -> {id string}" + note,
		},
		"another type": {
			old: identity{"public": flag}, new: identity{"public": text}, version: 3,
			want: "ByHand ~ status.identity: identity schema changed, {public bool} -> {public string}" + note,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := attributes(map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}})
			report := compare(t, provide(t, of(b, &schema.Identity{Version: 3, Attributes: x.old}, 0), config.Provider{}),
				provide(t, of(b, &schema.Identity{Version: x.version, Attributes: x.new}, 0), config.Provider{}))
			got := ""
			for _, c := range report.Changes {
				if c.Change == evolution.IdentitySchemaChanged {
					got = string(c.Verdict) + " " + c.String()
				}
			}
			if diff := cmp.Diff(x.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func compare(t *testing.T, old, new *model.Provider) evolution.Report {
	t.Helper()
	out, err := evolution.Compare(old, new)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// random returns a provider with a resource type of any shape.
func random(t *rapid.T, b *schema.Block) *model.Resource {
	p, err := model.NewProvider("cloud", of(b, nil, 0), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Resources["cloud_thing"]
}

// What users see changes if and only if it is reported.
func TestEveryChangeIsReported(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		mutated := schematest.Mutate(t, b)
		old, new := random(t, b), random(t, mutated)
		if changes := evolution.CompareKind(exact(t, old), exact(t, old)); len(changes) > 0 {
			t.Fatal(changes)
		}
		changes := evolution.CompareKind(exact(t, old), exact(t, new))
		a, b2 := definition(t, old), definition(t, new)
		if seen := cmp.Diff(seen(a), seen(b2)); seen != "" && len(changes) == 0 {
			t.Fatalf("nothing is reported, but:\n%s", seen)
		}
		for _, c := range changes {
			if c.Verdict == "" || c.Path == "" || strings.Contains(c.Path, "\x00") {
				t.Fatalf("%+v", c)
			}
		}
		// A definition says the same as its model, and what it does not say is never made up.
		oldKind, newKind := kindOf(t, a), kindOf(t, b2)
		if changes := evolution.CompareKind(oldKind, oldKind); len(changes) > 0 {
			t.Fatal(changes)
		}
		for _, c := range changes {
			if c.Change == evolution.FieldRenamed {
				return // a definition does not know of what is called differently because another name was taken
			}
		}
		for _, c := range evolution.CompareKind(oldKind, newKind) {
			if (c.Change == evolution.BecameRequired || c.Change == evolution.BecameOptional) && len(changes) > 0 {
				continue // definitions require more of what is in lists
			}
			if !slices.ContainsFunc(changes, func(x evolution.Change) bool { return strings.HasPrefix(x.Path, c.Path) }) {
				t.Fatalf("the definitions differ in %v, and the models only in %v", c, changes)
			}
		}
	})
}

func exact(t interface{ Fatal(...any) }, r *model.Resource) *evolution.Kind {
	k, err := evolution.FromResource(r)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func definition(t *rapid.T, r *model.Resource) *apiextensionsv1.CustomResourceDefinition {
	d, err := crd.Resource(r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func kindOf(t *rapid.T, d *apiextensionsv1.CustomResourceDefinition) *evolution.Kind {
	k, err := evolution.FromDefinition(d, model.Version)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// seen returns all that users can see of a definition.
func seen(d *apiextensionsv1.CustomResourceDefinition) map[string]apiextensionsv1.JSONSchemaProps {
	root := d.Spec.Versions[0].Schema.OpenAPIV3Schema
	out := maps.Clone(root.Properties["spec"].Properties)
	out["status"] = root.Properties["status"]
	return out
}

func TestRealProvidersDoNotDifferFromThemselves(t *testing.T) {
	t.Parallel()
	for _, name := range schematest.Providers {
		p := provide(t, schematest.Provider(t, name), config.Provider{})
		if r := compare(t, p, p); len(r.Changes) > 0 || r.Summary() != "Nothing changed." {
			t.Errorf("%s: %v", name, r)
		}
		for _, r := range p.Resources {
			d, err := crd.Resource(r)
			if err != nil {
				t.Fatal(err)
			}
			k, err := evolution.FromDefinition(d, r.Version)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range evolution.CompareKind(k, exact(t, r)) {
				// Whether what is inside of an optional object is required, only the model knows,
				// and which lists are sets.
				if c.Change != evolution.BecameRequired && !(c.Change == evolution.TypeChanged && c.New == "set") &&
					c.Change != evolution.BecamePlain && c.New != string(evolution.Hidden) {
					t.Errorf("%s: %v", r.Type, c)
				}
			}
		}
	}
}
