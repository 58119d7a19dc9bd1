package crd_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func provider(t rapid.TB, name string, s *schema.Provider) *model.Provider {
	t.Helper()
	return configured(t, name, s, config.Provider{})
}

func configured(t rapid.TB, name string, s *schema.Provider, c config.Provider) *model.Provider {
	t.Helper()
	p, err := model.NewProvider(name, s, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func definition(t rapid.TB, r *model.Resource) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	d, err := crd.Resource(r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func written(t *testing.T, name string, in any) {
	t.Helper()
	got, err := yaml.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, name+".yaml", got)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	everything := provider(t, "everything", schematest.Everything())
	written(t, "everything_thing", definition(t, everything.Resources["everything_thing"]))
	written(t, "everything_provider_config", crd.ProviderConfig(everything))
	written(t, "random_password", definition(t, provider(t, "random", schematest.Provider(t, "random")).Resources["random_password"]))
	written(t, "data.hcloud_image", definition(t, provider(t, "hcloud", schematest.Provider(t, "hcloud")).DataSources["hcloud_image"]))
	written(t, "ephemeral.cloud_token",
		definition(t, provider(t, "cloud", &schema.Provider{
			Config: &schema.Block{},
			EphemeralResources: map[string]*schema.Block{"cloud_token": {Attributes: map[string]*schema.Attribute{
				"name": {Type: cty.String, Required: true}, "secret": {Type: cty.String, Computed: true, Sensitive: true},
			}}},
		}).EphemeralResources["cloud_token"]))
	written(t, "action.cloud_backup", definition(t, cloudBackup(t)))
	written(t, "hcloud_zone_record", definition(t, provider(t, "hcloud", schematest.Provider(t, "hcloud")).Resources["hcloud_zone_record"]))
}

// cloudBackup returns an action.
func cloudBackup(t *testing.T) *model.Resource {
	t.Helper()
	return provider(t, "cloud", &schema.Provider{
		Config: &schema.Block{},
		Actions: map[string]*schema.Block{"cloud_backup": {Attributes: map[string]*schema.Attribute{
			"source": {Type: cty.String, Required: true}, "key_wo": {Type: cty.String, Optional: true, WriteOnly: true},
		}}},
	}).Actions["cloud_backup"]
}

// What an action is invoked with cannot be changed after it has begun. When it is invoked can.
func TestBegunActions(t *testing.T) {
	t.Parallel()
	server := accept(t, definition(t, cloudBackup(t)))
	action := func(begun bool, change func(spec map[string]any)) map[string]any {
		spec := map[string]any{
			"forProvider": map[string]any{"source": "a"}, "providerConfigRef": map[string]any{
				"kind": "ProviderConfig", "name": "default",
			},
		}
		if change != nil {
			change(spec)
		}
		out := map[string]any{
			"apiVersion": "action.cloud.landbridge.io/v1alpha1", "kind": "Backup",
			"metadata": map[string]any{"name": "x"}, "spec": spec,
		}
		if begun {
			out["status"] = map[string]any{"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}
		}
		return out
	}
	arguments := func(spec map[string]any) { spec["forProvider"] = map[string]any{"source": "b"} }
	for name, test := range map[string]struct {
		begun  bool
		change func(map[string]any)
		want   string
	}{
		"arguments before": {false, arguments, ""},
		"arguments":        {true, arguments, "spec.forProvider cannot be changed after the action was invoked"},
		"references": {true, func(spec map[string]any) {
			spec["references"] = []any{map[string]any{"to": "forProvider.source", "from": map[string]any{"kind": "Thing", "name": "x"}}}
		}, "spec.references cannot be changed"},
		"configuration": {true, func(spec map[string]any) {
			spec["providerConfigRef"] = map[string]any{"kind": "ProviderConfig", "name": "other"}
		}, "spec.providerConfigRef cannot be changed"},
		"suspend":       {true, func(spec map[string]any) { spec["suspend"] = true }, ""},
		"retries":       {true, func(spec map[string]any) { spec["retryPolicy"] = "OnFailure" }, ""},
		"no attempts":   {false, func(spec map[string]any) { spec["maxAttempts"] = 0 }, "spec.maxAttempts"},
		"other retries": {false, func(spec map[string]any) { spec["retryPolicy"] = "Always" }, "spec.retryPolicy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, errs := server.write(t, action(test.begun, test.change), action(test.begun, nil))
			if got := messages(errs); test.want == "" && len(errs) > 0 || !strings.Contains(got, test.want) {
				t.Errorf("errors: %v, want %q", got, test.want)
			}
		})
	}
}

func TestRealProvidersAreAccepted(t *testing.T) {
	t.Parallel()
	for _, name := range schematest.Providers {
		p := provider(t, name, schematest.Provider(t, name))
		for _, d := range crd.ProviderConfig(p) {
			accept(t, d)
		}
		for _, r := range p.All() {
			accept(t, definition(t, r))
		}
	}
}

func TestRandomSchemasAreAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := &schema.Provider{
			Config:    schematest.Block(t),
			Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: schematest.Block(t)}},
		}
		s.DataSources = map[string]*schema.Block{"test_thing": s.Resources["test_thing"].Block}
		s.EphemeralResources = s.DataSources
		p := provider(t, "test", s)
		accept(t, definition(t, p.Resources["test_thing"]))
		accept(t, definition(t, p.DataSources["test_thing"]))
		accept(t, definition(t, p.EphemeralResources["test_thing"]))
		for _, d := range crd.ProviderConfig(p) {
			accept(t, d)
		}
	})
}

// thing returns a valid everything_thing.
func thing(change func(spec map[string]any)) map[string]any {
	spec := map[string]any{
		"forProvider": map[string]any{
			"name": "x", "namespace": "y", "passwordSecretRef": map[string]any{"name": "s", "key": "k"},
			"someBlock": []any{map[string]any{"maxAgeDays": 1}},
		},
	}
	if change != nil {
		change(spec)
	}
	return map[string]any{
		"apiVersion": "everything.landbridge.io/v1alpha1", "kind": "Thing",
		"metadata": map[string]any{"name": "x", "namespace": "default"}, "spec": spec,
	}
}

func forProvider(change func(map[string]any)) func(map[string]any) {
	return func(spec map[string]any) { change(spec["forProvider"].(map[string]any)) }
}

func set(name string, value any) func(map[string]any) {
	return forProvider(func(m map[string]any) { m[name] = value })
}

func messages(errs field.ErrorList) string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return strings.Join(out, "\n")
}

func TestAdmission(t *testing.T) {
	t.Parallel()
	server := accept(t, definition(t, provider(t, "everything", schematest.Everything()).Resources["everything_thing"]))
	identity := func(m map[string]any) func(map[string]any) {
		return func(spec map[string]any) { spec["import"] = map[string]any{"identity": m} }
	}
	tests := map[string]struct {
		old, change func(map[string]any)
		update      bool
		want        string // part of the only error; empty: accepted
	}{
		"as it is": {},
		"required missing": {
			change: forProvider(func(m map[string]any) { delete(m, "name") }),
			want:   "spec.forProvider.name is a required parameter",
		},
		"required with a reserved name": {
			change: forProvider(func(m map[string]any) { delete(m, "namespace") }),
			want:   "spec.forProvider.namespace is a required parameter",
		},
		"required secret missing": {
			change: forProvider(func(m map[string]any) { delete(m, "passwordSecretRef") }),
			want:   "spec.forProvider.passwordSecretRef is a required parameter",
		},
		"required block missing": {
			change: forProvider(func(m map[string]any) { delete(m, "someBlock") }),
			want:   "spec.forProvider.someBlock is a required parameter",
		},
		"required in initProvider": {change: func(spec map[string]any) {
			delete(spec["forProvider"].(map[string]any), "name")
			spec["initProvider"] = map[string]any{"name": "z"}
		}},
		"only observed": {change: func(spec map[string]any) {
			spec["forProvider"], spec["managementPolicies"] = map[string]any{}, []any{"Observe"}
		}},
		"observed and updated": {change: func(spec map[string]any) {
			spec["managementPolicies"] = []any{"Observe", "Update"}
			delete(spec["forProvider"].(map[string]any), "name")
		}, want: "spec.forProvider.name is a required parameter"},
		"paused": {
			change: func(spec map[string]any) {
				spec["forProvider"], spec["managementPolicies"] = map[string]any{}, []any{}
			},
		},
		"unknown policy": {
			change: func(spec map[string]any) { spec["managementPolicies"] = []any{"*", "Explode"} },
			want:   `Unsupported value: "Explode"`,
		},
		"no forProvider": {
			change: func(spec map[string]any) {
				delete(spec, "forProvider")
				spec["managementPolicies"] = []any{"Observe"}
			}, want: "spec.forProvider: Required value",
		},
		"required in list element": {
			change: set("listBlock", []any{map[string]any{"label": "a"}}),
			want:   "spec.forProvider.listBlock[*].maxAgeDays is a required parameter, unless spec.references sets it",
		},
		"not required in an object": {change: set("singletonList", map[string]any{"label": "a"})},
		"singleton as list": {
			change: set("singletonList", []any{map[string]any{"maxAgeDays": 1}}),
			want:   "spec.forProvider.singletonList: Invalid value",
		},
		"too many blocks": {
			change: set("someBlock", []any{
				map[string]any{"maxAgeDays": 1}, map[string]any{"maxAgeDays": 1}, map[string]any{"maxAgeDays": 1},
				map[string]any{"maxAgeDays": 1},
			}), want: "must have at most 3 items",
		},
		"too few blocks":  {change: set("someBlock", []any{}), want: "should have at least 1 items"},
		"wrong type":      {change: set("size", "big"), want: "spec.forProvider.size: Invalid value"},
		"a large integer": {change: set("size", int64(1)<<62)},
		"a fraction":      {change: set("size", 1.5)},
		"anything":        {change: set("anything", map[string]any{"a": []any{1, "x", nil}})},
		"a tuple":         {change: set("pair", []any{"a", 1})},
		"null in a list":  {change: set("zones", []any{"a", nil})},
		"null in a map":   {change: set("tags", map[string]any{"a": nil})},
		"twice in a set":  {change: set("groups", []any{"a", "a"}), want: "Duplicate value"},
		"secret reference by halves": {
			change: set("passwordSecretRef", map[string]any{"name": "s"}), want: "spec.forProvider.passwordSecretRef.key: Required value",
		},
		"import by id": {change: func(spec map[string]any) { spec["import"] = map[string]any{"id": "7"} }},
		"import by empty id": {
			change: func(spec map[string]any) { spec["import"] = map[string]any{"id": ""} },
			want:   "spec.import.id: Invalid value",
		},
		"import by nothing": {
			change: func(spec map[string]any) { spec["import"] = map[string]any{} },
			want:   "exactly one of spec.import.id and spec.import.identity must be given",
		},
		"import by both": {change: func(spec map[string]any) {
			identity(map[string]any{"accountId": "a", "number": 1})(spec)
			spec["import"].(map[string]any)["id"] = "7"
		}, want: "exactly one of"},
		"import by identity": {change: identity(map[string]any{"accountId": "a", "number": 1, "path": []any{"x"}})},
		"identity incomplete": {
			change: identity(map[string]any{"accountId": "a"}),
			want:   "spec.import.identity.number is a required parameter, unless spec.references sets it",
		},
		"identity null": {change: identity(map[string]any{"accountId": "a", "number": nil}), want: "spec.import.identity.number"},
		"identity mistyped": {
			change: identity(map[string]any{"accountId": 1, "number": 1}),
			want:   "spec.import.identity.accountId: Invalid value",
		},
		"import added": {update: true, change: identity(map[string]any{"accountId": "a", "number": 1})},
		"import changed to id": {
			update: true, old: identity(map[string]any{"accountId": "a", "number": 1}),
			change: func(spec map[string]any) { spec["import"] = map[string]any{"id": "7"} }, want: "spec.import is immutable",
		},
		"import changed to another id": {
			update: true, old: func(spec map[string]any) { spec["import"] = map[string]any{"id": "7"} },
			change: func(spec map[string]any) { spec["import"] = map[string]any{"id": "8"} }, want: "spec.import is immutable",
		},
		"import removed": {update: true, old: identity(map[string]any{"accountId": "a", "number": 1}), want: "spec.import cannot be removed"},
		"lifecycle": {change: func(spec map[string]any) {
			spec["lifecycle"] = map[string]any{
				"replacePolicy": "Automatic", "taintPolicy": "Keep", "createBeforeDestroy": true,
				"deletionProtection": true, "ignoreChanges": []any{"*"},
			}
		}},
		"unknown lifecycle": {
			change: func(spec map[string]any) { spec["lifecycle"] = map[string]any{"replacePolicy": "Sometimes"} },
			want:   "spec.lifecycle.replacePolicy: Unsupported value",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var old map[string]any
			if test.update {
				var errs field.ErrorList
				if old, errs = server.write(t, thing(test.old), nil); len(errs) > 0 {
					t.Fatal(messages(errs))
				}
			}
			_, errs := server.write(t, thing(test.change), old)
			switch {
			case test.want == "" && len(errs) > 0:
				t.Errorf("refused: %s", messages(errs))
			case test.want != "" && !strings.Contains(messages(errs), test.want):
				t.Errorf("got %q, want %q", messages(errs), test.want)
			}
			for _, e := range errs {
				if !strings.HasPrefix(e.Field, "spec") {
					t.Errorf("%q does not name the field", e)
				}
			}
		})
	}
}

// unobserved is the status of an object that no controller has seen.
var unobserved = map[string]any{"observedGeneration": -1}

func TestUnobserved(t *testing.T) {
	tests := map[string]struct {
		status any
		want   bool
	}{
		"no status":         {want: true},
		"the default":       {status: map[string]any{"observedGeneration": int64(-1)}, want: true},
		"empty":             {status: map[string]any{}, want: true},
		"an old generation": {status: map[string]any{"observedGeneration": int64(1)}},
		"conditions":        {status: map[string]any{"observedGeneration": int64(-1), "conditions": []any{}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{}}
			if test.status != nil {
				u.Object["status"] = test.status
			}
			if got := crd.Unobserved(u); got != test.want {
				t.Errorf("Unobserved: %t, want %t", got, test.want)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	server := accept(t, definition(t, provider(t, "everything", schematest.Everything()).Resources["everything_thing"]))
	got, errs := server.write(t, thing(nil), nil)
	if len(errs) > 0 {
		t.Fatal(messages(errs))
	}
	want := thing(func(spec map[string]any) {
		spec["managementPolicies"] = []any{"*"}
		spec["providerConfigRef"] = map[string]any{"kind": "ClusterProviderConfig", "name": "default"}
	})
	want["status"] = unobserved
	if diff := cmp.Diff(form(t, want), got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// What was imported by an identity of version 0 stays as it is under version 1, in which an
// attribute has another type.
func TestImportImmutable(t *testing.T) {
	t.Parallel()
	version := func(n int64, number cty.Type) *apiServer {
		p := schematest.Everything()
		p.Resources["everything_thing"].Identity = &schema.Identity{Version: n, Attributes: map[string]*schema.IdentityAttribute{
			"account_id": {Type: cty.String, RequiredForImport: true},
			"number":     {Type: number, OptionalForImport: true},
		}}
		return accept(t, definition(t, provider(t, "everything", p).Resources["everything_thing"]))
	}
	imported := func(account string, number any) map[string]any {
		return thing(func(spec map[string]any) {
			spec["import"] = map[string]any{"identity": map[string]any{"accountId": account, "number": number}}
		})
	}
	before, after := version(0, cty.Bool), version(1, cty.String)
	old, errs := before.write(t, imported("a", true), nil)
	if len(errs) > 0 {
		t.Fatal(messages(errs))
	}
	if _, errs := before.write(t, imported("b", true), old); !strings.Contains(messages(errs), "spec.import is immutable") {
		t.Errorf("another value, before: %s", messages(errs))
	}
	if _, errs := after.write(t, old, old); strings.Contains(messages(errs), "rule") || strings.Contains(messages(errs), "immutable") {
		t.Errorf("unchanged, after: %s", messages(errs))
	}
	if _, errs := after.write(t, thing(func(spec map[string]any) {
		spec["import"] = map[string]any{"id": "a"}
	}), old); !strings.Contains(messages(errs), "spec.import is immutable") {
		t.Errorf("id instead of identity, after: %s", messages(errs))
	}
}

// A release that renames an attribute of the identity refuses no change of what was imported
// before. What is imported from then on needs the new attribute.
func TestImportIdentityRenamed(t *testing.T) {
	t.Parallel()
	requires := func(n int64, name string) *apiServer {
		p := schematest.Everything()
		p.Resources["everything_thing"].Identity = &schema.Identity{Version: n, Attributes: map[string]*schema.IdentityAttribute{
			name: {Type: cty.String, RequiredForImport: true},
		}}
		return accept(t, definition(t, provider(t, "everything", p).Resources["everything_thing"]))
	}
	size := func(n int, imported map[string]any) map[string]any {
		return thing(func(spec map[string]any) {
			spec["forProvider"].(map[string]any)["size"] = n
			if imported != nil {
				spec["import"] = imported
			}
		})
	}
	former := map[string]any{"identity": map[string]any{"accountId": "a"}}
	old, errs := requires(0, "account_id").write(t, size(1, former), nil)
	if len(errs) > 0 {
		t.Fatal(messages(errs))
	}
	after := requires(1, "account")
	const required = "spec.import.identity.account is a required parameter, unless spec.references sets it"
	for name, test := range map[string]struct {
		object, old map[string]any
		want        string
	}{
		"imported before":          {object: size(2, former), old: old},
		"imported now":             {object: size(2, former), want: required},
		"an import is added":       {object: size(2, former), old: size(1, nil), want: required},
		"imported now, as it must": {object: size(2, map[string]any{"identity": map[string]any{"account": "a"}})},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := after.write(t, test.object, test.old)
			if got := messages(errs); test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestImportByIDOnly(t *testing.T) {
	t.Parallel()
	d := definition(t, provider(t, "everything", schematest.Everything()).Resources["everything_plain"])
	server := accept(t, d)
	object := func(imported map[string]any) map[string]any {
		return map[string]any{"spec": map[string]any{"forProvider": map[string]any{}, "import": imported}}
	}
	if _, errs := server.write(t, object(map[string]any{"id": "x"}), nil); len(errs) > 0 {
		t.Error(messages(errs))
	}
	if _, errs := server.write(t, object(map[string]any{"identity": map[string]any{"id": "x"}}), nil); len(errs) == 0 {
		t.Error("import by an identity that the type does not have is accepted")
	}
}

func TestProviderConfigAdmission(t *testing.T) {
	t.Parallel()
	servers := map[string]*apiServer{}
	for _, d := range crd.ProviderConfig(provider(t, "everything", schematest.Everything())) {
		servers[d.Spec.Names.Kind] = accept(t, d)
	}
	token := func(more map[string]any) map[string]any {
		ref := map[string]any{"name": "s", "key": "k"}
		maps.Copy(ref, more)
		return map[string]any{
			"spec": map[string]any{
				"endpoint": "https://x", "apiTokenSecretRef": ref, "retry": map[string]any{"maxAttempts": 3},
			},
		}
	}
	tests := map[string]struct {
		kind   string
		object map[string]any
		want   string // part of the only error; empty: accepted
		pruned bool
	}{
		"namespaced":                   {kind: "ProviderConfig", object: token(nil)},
		"namespaced, Secret elsewhere": {kind: "ProviderConfig", object: token(map[string]any{"namespace": "other"}), pruned: true},
		"cluster":                      {kind: "ClusterProviderConfig", object: token(map[string]any{"namespace": "other"})},
		"cluster, Secret without a namespace": {
			kind: "ClusterProviderConfig", object: token(nil), want: "spec.apiTokenSecretRef.namespace: Required value",
		},
		"nothing": {kind: "ProviderConfig", object: map[string]any{}, want: "spec: Required value"},
		"required missing": {
			kind: "ProviderConfig", object: map[string]any{"spec": map[string]any{}},
			want: "spec.endpoint: Required value",
		},
		"required inside": {
			kind:   "ProviderConfig",
			object: map[string]any{"spec": map[string]any{"endpoint": "x", "retry": map[string]any{}}},
			want:   "spec.retry.maxAttempts: Required value",
		},
		"a secret in the clear": {
			kind:   "ProviderConfig",
			object: map[string]any{"spec": map[string]any{"endpoint": "x", "apiToken": "hunter2"}}, pruned: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, errs := servers[test.kind].write(t, test.object, nil)
			want := maps.Clone(test.object)
			want["status"] = unobserved
			switch text := messages(errs); {
			case test.want == "" && text != "", !strings.Contains(text, test.want):
				t.Errorf("got %q, want %q", text, test.want)
			case test.want == "" && !cmp.Equal(form(t, want), got) != test.pruned:
				t.Errorf("pruned: %v, want %v: %v", !test.pruned, test.pruned, got)
			}
		})
	}
}

// Rules have a price, of which the API server allows only so much.
func TestManyRequiredFieldsAreAffordable(t *testing.T) {
	t.Parallel()
	b := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	for i := range 120 {
		b.Attributes[fmt.Sprintf("needed_%d", i)] = &schema.Attribute{Type: cty.String, Required: true}
	}
	r := testResource(t, b)
	r.Schema.Identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{}}
	for i := range 20 {
		r.Schema.Identity.Attributes[fmt.Sprintf("part_%d", i)] = &schema.IdentityAttribute{Type: cty.List(cty.String), RequiredForImport: true}
	}
	server := accept(t, definition(t, r))
	if _, errs := server.write(t, map[string]any{"spec": map[string]any{"forProvider": map[string]any{}}}, nil); len(errs) != 120 {
		t.Errorf("got %d errors, want 120", len(errs))
	}
}

// deep returns a block with width blocks in it, and so on.
func deep(width, depth int) *schema.Block {
	b := &schema.Block{Attributes: map[string]*schema.Attribute{
		"some_attribute": {Type: cty.String, Optional: true, Description: schema.Text{Text: strings.Repeat("This says much. ", 60)}},
		"needed":         {Type: cty.String, Required: true},
	}}
	if depth > 0 {
		b.Blocks = map[string]*schema.NestedBlock{}
		for i := range width {
			b.Blocks[fmt.Sprintf("statement_number_%d", i)] = &schema.NestedBlock{
				Nesting: schema.NestingList, MaxItems: 1, Block: deep(width, depth-1),
			}
		}
	}
	return b
}

func TestLargeSchemasAreCutDown(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		width, depth int
		described    bool // are fields still described?
		typed        bool // is what is nested deepest still typed?
	}{
		"small":  {width: 2, depth: 2, described: true, typed: true},
		"medium": {width: 3, depth: 5, described: true, typed: true},
		"large":  {width: 4, depth: 5, typed: true},
		"huge":   {width: 6, depth: 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &schema.Provider{
				Config: &schema.Block{}, Resources: map[string]*schema.Resource{
					"test_thing": {Type: "test_thing", Block: deep(test.width, test.depth)},
				},
			}
			d := definition(t, provider(t, "test", s).Resources["test_thing"])
			accept(t, d)
			at := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["forProvider"]
			if got := at.Properties["someAttribute"].Description != ""; got != test.described {
				t.Errorf("described: %v, want %v", got, test.described)
			}
			for at.Properties["statementNumber0"].Type != "" {
				at = at.Properties["statementNumber0"]
			}
			if got := at.XPreserveUnknownFields == nil; got != test.typed {
				t.Errorf("typed: %v, want %v", got, test.typed)
			}
		})
	}
}
