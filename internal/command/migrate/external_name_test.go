package migrate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/migrate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// resourceType returns the model of a type with some attributes and blocks.
func resourceType(t testing.TB, c config.Resource) *model.Resource {
	t.Helper()
	optional := func(t cty.Type) *schema.Attribute { return &schema.Attribute{Type: t, Optional: true} }
	r := &schema.Resource{Type: "cloud_thing", Version: 3, Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Required: true}, "region": optional(cty.String),
			"vpc_id": optional(cty.String), "subnet_ids": optional(cty.List(cty.String)),
			"ip_range": optional(cty.String), "b64_std": {Type: cty.String, Computed: true},
			"size": optional(cty.Number), "owner": optional(cty.String), "labels": optional(cty.Map(cty.String)),
			"arn":      {Type: cty.String, Computed: true},
			"password": {Type: cty.String, Optional: true, Sensitive: true}, "keys": {Type: cty.Map(cty.String), Optional: true, Sensitive: true},
			"token": {Type: cty.String, Computed: true, Sensitive: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"disk": {Nesting: schema.NestingList, MaxItems: 1, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"size_gb": optional(cty.Number), "pass_phrase": {Type: cty.String, Optional: true, Sensitive: true},
			}}},
			"rule": {Nesting: schema.NestingSet, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"port": optional(cty.String)}}},
		},
	}, Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
		"arn": {Type: cty.String, RequiredForImport: true}, "region": {Type: cty.String, OptionalForImport: true},
	}}}
	p, err := model.NewProvider("cloud", &schema.Provider{
		Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{r.Type: r},
	},
		config.Provider{Resources: map[string]config.Resource{r.Type: c}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Resources[r.Type]
}

func upjet(t *testing.T, r *model.Resource, externalName string, forProvider, atProvider m) migrate.Upjet {
	t.Helper()
	u := &unstructured.Unstructured{Object: m{
		"apiVersion": "cloud.crossplane.io/v1beta1", "kind": "Thing", "metadata": m{"name": "main"},
		"spec": m{"forProvider": forProvider}, "status": m{"atProvider": atProvider},
	}}
	if externalName != "" {
		u.SetAnnotations(map[string]string{"crossplane.io/external-name": externalName})
	}
	return migrate.Upjet{Unstructured: u, Type: r}
}

// For each way in which Upjet makes an id of an external name (config.ExternalName), the object is
// found.
func TestExternalNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		externalName string
		config       config.Resource
		forProvider  m
		atProvider   m
		want         []string
	}{
		// The name is an argument that the kind does not have; the id is the name.
		"NameAsIdentifier": {externalName: "main", atProvider: m{"id": "main"}, want: []string{"main"}},
		"NameAsIdentifier, whose id is something else": {
			externalName: "main", atProvider: m{"id": "thing-1"}, want: []string{"thing-1", "main"},
		},
		"IdentifierFromProvider":               {externalName: "thing-1", atProvider: m{"id": "thing-1"}, want: []string{"thing-1"}},
		"IdentifierFromProvider, not observed": {externalName: "thing-1", want: []string{"thing-1"}},
		"IdentifierFromProvider, not created":  {},
		"ParameterAsIdentifier":                {externalName: "b-1", atProvider: m{"id": "b-1"}, want: []string{"b-1"}},
		// The id is a template of the external name, parameters and the provider's configuration.
		// What it is made to is observed.
		"TemplatedStringAsIdentifier": {
			externalName: "main", forProvider: m{"region": "eu"}, atProvider: m{"id": "/regions/eu/things/main"},
			want: []string{"/regions/eu/things/main", "main"},
		},
		"TemplatedStringAsIdentifier, not observed, and configured": {
			externalName: "main", forProvider: m{"region": "eu"}, want: []string{"/regions/eu/things/main", "main"},
			config: config.Resource{ExternalName: &config.ExternalName{ImportID: "/regions/{{ .parameters.region }}/things/{{ .externalName }}"}},
		},
		"TemplatedStringAsIdentifier, without the parameter": {
			externalName: "main", want: []string{"main"},
			config: config.Resource{ExternalName: &config.ExternalName{ImportID: "/regions/{{ .parameters.region }}/things/{{ .externalName }}"}},
		},
		// The external name is the value of another attribute.
		"FrameworkResourceWithComputedIdentifier": {
			externalName: "arn:1", atProvider: m{"arn": "arn:1"}, want: []string{"arn:1", "identity arn:1"},
		},
		"FrameworkResourceWithComputedIdentifier, with an id beside": {
			externalName: "arn:1", atProvider: m{"id": "1", "arn": "arn:1", "region": "eu"}, want: []string{"1", "arn:1", "identity arn:1 eu"},
		},
		// GetIDFn of the provider's author: whatever it returned is observed.
		"a function":        {externalName: "main", atProvider: m{"id": "x:y:main"}, want: []string{"x:y:main", "main"}},
		"no name is needed": {atProvider: m{"id": "only-one"}, want: []string{"only-one"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, target := range upjet(t, resourceType(t, test.config), test.externalName, test.forProvider, test.atProvider).Targets() {
				text := target.ID
				if target.Identity != cty.NilVal {
					text = "identity " + target.Identity.GetAttr("arn").AsString()
					if region := target.Identity.GetAttr("region"); !region.IsNull() {
						text += " " + region.AsString()
					}
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Fields are those of the same schema. What is presented in another way is told, and what cannot be
// is an error with the way out.
func TestFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		in, want m
		copies   map[string]migrate.Copy
		notes    []string
		problem  string
	}{
		"names": {
			in: m{"ipRange": "10.0.0.0/8", "vpcId": "v-1", "labels": m{"a_b": "c"}}, want: m{
				"ipRange": "10.0.0.0/8", "vpcId": "v-1", "labels": m{"a_b": "c"},
			},
		},
		"a list of one element": {
			in: m{"disk": []any{m{"sizeGb": int64(3)}}}, want: m{"disk": m{"sizeGb": int64(3)}},
			notes: []string{"spec.forProvider.disk is an object here, and not a list of one."},
		},
		"an empty list":      {in: m{"disk": []any{}}, want: m{}},
		"an embedded object": {in: m{"disk": m{"sizeGb": int64(3)}}, want: m{"disk": m{"sizeGb": int64(3)}}},
		"two elements": {
			in:      m{"disk": []any{m{}, m{}}},
			problem: "spec.forProvider.disk: it has 2 elements, and at most one is possible. Remove the others",
		},
		"an object for a list": {
			in: m{"rule": m{"port": "1"}}, want: m{"rule": []any{m{"port": "1"}}}, notes: []string{
				"spec.forProvider.rule is a list here, and not an object.",
			},
		},
		"a key of Upjet's own": {
			in: m{"rule": []any{m{"port": "1", "index": "0"}}}, want: m{"rule": []any{m{"port": "1"}}},
			notes: []string{"spec.forProvider.rule[0].index is left out: Upjet has added it to tell elements apart."},
		},
		"references": {
			in: m{
				"vpcId": "v-1", "vpcIdRef": m{"name": "main"}, "vpcIdSelector": m{"matchLabels": m{"a": "b"}},
				"subnetIds": []any{"s"}, "subnetIdRefs": []any{m{"name": "s"}},
			},
			want: m{"vpcId": "v-1", "subnetIds": []any{"s"}},
		},
		"of other types": {
			in: m{"size": "3", "name": int64(4)}, want: m{"size": int64(3), "name": "4"},
			notes: []string{"spec.forProvider.name is a string here.", "spec.forProvider.size is a number here, and not a string."},
		},
		"Secrets": {
			in: m{
				"passwordSecretRef": m{"name": "s", "namespace": "team", "key": "k"},
				"disk":              []any{m{"passPhraseSecretRef": m{"name": "t", "namespace": "other", "key": "l"}}},
			},
			want:   m{"passwordSecretRef": m{"name": "s", "key": "k"}, "disk": m{"passPhraseSecretRef": m{"name": "t", "key": "l"}}},
			copies: map[string]migrate.Copy{"t": {Namespace: "other", Keys: []string{"l"}}},
			notes:  []string{"spec.forProvider.disk is an object here, and not a list of one."},
		},
		"a whole Secret": {
			in: m{"keysSecretRef": m{"name": "s", "namespace": "team"}},
			problem: "spec.forProvider.keysSecretRef: it names a whole Secret or several ones, and here a sensitive " +
				"value is one key of a Secret. Put the value as JSON into a key, and refer to it by keysSecretRef: " +
				"{name: …, key: …}",
		},
		"a Secret for what is not sensitive": {
			in: m{"ownerSecretRef": m{"name": "s", "namespace": "team", "key": "k"}},
			problem: "spec.forProvider.ownerSecretRef: the provider does not mark owner as sensitive. Set " +
				"resources.cloud_thing.fields.owner.sensitive: true in spec of the TerraformProvider",
		},
		"a sensitive value in the clear": {
			in: m{"password": "p"},
			problem: "spec.forProvider.password: the provider marks it as sensitive. Put the value into a Secret, " +
				"and refer to it by passwordSecretRef",
		},
		"an unknown field": {
			in: m{"disk": []any{m{"colour": "red"}}},
			problem: "spec.forProvider.disk[0].colour: cloud_thing has no such argument in this version of the " +
				"provider. Remove the line, or use the provider's version that the old one has",
		},
		"set by the provider": {in: m{"arn": "a"}, want: m{}, notes: []string{"spec.forProvider.arn is left out: the provider sets it."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := upjet(t, resourceType(t, config.Resource{}), "x", test.in, nil)
			got, err := o.Takeover(&importer.ConfiguredProvider{}, nil, "team", nil)
			if test.problem != "" {
				if err == nil || err.Error() != test.problem {
					t.Errorf("got  %v\nwant %s", err, test.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Item.Declared.ForProvider); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.copies, got.Copies, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("copies: -want +got:\n%s", diff)
			}
			x := importer.Manifest{Resource: &unstructured.Unstructured{Object: m{"spec": m{}}}}
			got.Copies = nil
			got.Complete(&x)
			if diff := cmp.Diff(test.notes, x.Notes, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("notes: -want +got:\n%s", diff)
			}
		})
	}
}

// What initProvider has is kept, also inside what forProvider has, too. What has no effect is told.
func TestInitProvider(t *testing.T) {
	t.Parallel()
	o := upjet(t, resourceType(t, config.Resource{}), "x", m{
		"name": "n", "disk": []any{m{}}, "subnetIds": []any{"a"}, "rule": []any{m{"port": "1"}},
	}, nil)
	o.Object["spec"].(m)["initProvider"] = m{
		"disk": []any{m{"sizeGb": int64(2)}}, "subnetIds": []any{"b"}, "rule": []any{m{"port": "2"}}, "region": "r",
	}
	got, err := o.Takeover(&importer.ConfiguredProvider{}, nil, "team", nil)
	if err != nil {
		t.Fatal(err)
	}
	x := importer.Manifest{Resource: &unstructured.Unstructured{Object: m{"spec": m{}}}}
	got.Complete(&x)
	want := m{"disk": m{"sizeGb": int64(2)}, "subnetIds": []any{"b"}, "rule": []any{m{"port": "2"}}, "region": "r"}
	if diff := cmp.Diff(want, x.Resource.Object["spec"].(m)["initProvider"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	told := strings.Join(x.Notes, "\n")
	for _, path := range []string{"rule", "subnetIds"} {
		if !strings.Contains(told, "spec.forProvider."+path+": Part of initProvider has no effect") {
			t.Errorf("nothing is said of %s:\n%s", path, told)
		}
	}
}

// What is observed is the state of the object: attributes of status, sensitive ones from Secrets,
// and what is declared.
func TestObserved(t *testing.T) {
	t.Parallel()
	o := upjet(t, resourceType(t, config.Resource{}), "x", m{
		"size": int64(1), "owner": "o", "passwordSecretRef": m{"name": "s", "namespace": "n", "key": "k"},
	},
		m{
			"id": "x", "size": int64(2), "b64Std": "b", "disk": []any{m{"sizeGb": int64(3)}},
			"rule": []any{m{"port": "1"}}, "notInThisVersion": "z",
		})
	o.Object["spec"].(m)["writeConnectionSecretToRef"] = m{"name": "c", "namespace": "n"}
	o.SetAnnotations(map[string]string{"upjet.crossplane.io/provider-meta": `{"schema_version":"3"}`})
	got, err := o.Takeover(&importer.ConfiguredProvider{}, nil, "team", func(namespace, name string) (map[string][]byte, error) {
		return map[string]map[string][]byte{
			"n/s": {"k": []byte("secret")}, "n/c": {"attribute.token": []byte("t"), "other": []byte("o")},
		}[namespace+"/"+name], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	in := got.Item.Declared.Observed
	if in == nil {
		t.Fatal("nothing is observed")
	}
	for attribute, want := range map[string]cty.Value{
		"id": cty.StringVal("x"), "size": cty.NumberIntVal(2), "owner": cty.StringVal("o"), "b64_std": cty.StringVal("b"),
		"password": cty.StringVal("secret"), "token": cty.StringVal("t"), "arn": cty.NullVal(cty.String),
	} {
		if v := in.State.GetAttr(attribute); !v.RawEquals(want) {
			t.Errorf("%s: %#v", attribute, v)
		}
	}
	if v := in.State.GetAttr("disk").Index(cty.NumberIntVal(0)).GetAttr("size_gb"); !v.RawEquals(cty.NumberIntVal(3)) {
		t.Errorf("disk: %#v", v)
	}
	if in.SchemaVersion != 3 || string(in.Private) != `{"schema_version":"3"}` {
		t.Errorf("version %d, private %s", in.SchemaVersion, in.Private)
	}
}

// Resources that cannot be taken over are refused with the reason, and with the line of a file.
func TestRefused(t *testing.T) {
	t.Parallel()
	const file = `apiVersion: v1
kind: List
items:
- apiVersion: cloud.crossplane.io/v1beta1
  kind: Thing
  metadata: {name: main}
  spec:
    forProvider:
      rule:
      - port: "1"
      - port: "2"
        protocol: tcp
`
	lines := &migrate.Lines{}
	lines.Add("old.yaml", []byte(file))
	for name, test := range map[string]struct {
		change func(migrate.Upjet)
		want   string
	}{
		"an unknown field": {
			change: func(o migrate.Upjet) {
				o.Object["spec"] = m{"forProvider": m{"rule": []any{m{"port": "1"}, m{"port": "2", "protocol": "tcp"}}}}
			},
			want: "spec.forProvider.rule[1].protocol (old.yaml:12): cloud_thing has no such argument",
		},
		"not created": {change: func(o migrate.Upjet) { o.SetAnnotations(nil) }, want: "it has no external name"},
		"create without an outcome": {
			change: func(o migrate.Upjet) {
				o.SetAnnotations(map[string]string{"crossplane.io/external-name": "x", "crossplane.io/external-create-pending": "2026-01-02T15:04:05Z"})
			},
			want: "it is not known whether its object was created. Find out, set the annotation " +
				"crossplane.io/external-name, and remove crossplane.io/external-create-pending",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := upjet(t, resourceType(t, config.Resource{}), "x", m{}, nil)
			o.Lines = lines
			test.change(o)
			if o.Place() != "Thing.cloud.crossplane.io main (old.yaml:4)" {
				t.Error(o.Place())
			}
			if _, err := o.Takeover(&importer.ConfiguredProvider{}, nil, "team", nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
