package importer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/translate"
)

type m = map[string]any

// open is the provider of a cloud, in a form.
func open(t *testing.T, form string, cloud *examplecloudtest.Cloud, env map[string]string) *importer.ConfiguredProvider {
	t.Helper()
	p, server := examplecloudtest.Open(t, form, cloud, env)
	return &importer.ConfiguredProvider{
		Model: p, Configuration: importer.DefaultConfiguration, Server: server, Executor: engine.New(server), Secrets: &redact.Redactor{},
	}
}

const password = "correct-horse-battery"

// made creates an object as a user would have.
func made(t *testing.T, p *importer.ConfiguredProvider, resourceType string, forProvider m) instance.Instance {
	t.Helper()
	r := p.Model.Resources[resourceType]
	c, diags := translate.Config(r, forProvider, nil, func(translate.SecretKeySelector) ([]byte, error) { return []byte(password), nil })
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	plan, diags := p.Executor.Plan(t.Context(), terraform.ResourceType{Schema: r.Schema}, instance.Instance{},
		terraform.Config{Value: c.Value})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	out, diags := p.Executor.Apply(t.Context(), plan)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return out
}

func build(t *testing.T, b *importer.Builder, items ...importer.Item) importer.Result {
	t.Helper()
	b.Namespace, b.SystemNamespace = "team", "landbridge-system"
	out, err := b.Build(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// text is manifests as they are written, with ids replaced.
func text(t *testing.T, manifests []importer.Manifest) string {
	t.Helper()
	var b bytes.Buffer
	if err := importer.Write(&b, manifests); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func spec(u importer.Manifest) m {
	s, _ := u.Resource.Object["spec"].(m)
	return s
}

// everyShape has a value for most that a schema can have.
func everyShape(form string) m {
	block := m{"name": "n", "note": "", "numbers": []any{int64(1), int64(2)}, "deepBlock": []any{m{"note": "d"}, m{"note": "e"}}}
	out := m{
		"name": "shapes", "zones": []any{"a", "b"}, "levels": []any{0.5, 2.0}, "switches": []any{true, false}, "weight": 1.5, "active": true,
		"aBool": false, "anInt64": int64(7), "aFloat64": 0.1, "stringsList": []any{"x", ""},
		"stringsSet": []any{"b", "a"}, "stringsMap": m{"k_k": "v", "a.b": ""},
		"listBlock": []any{block}, "setBlock": []any{m{"name": "s"}, m{"name": "t", "note": "u"}}, "singleBlock": m{"note": "n"},
	}
	if form == examplecloudtest.SDKv2 {
		maps.Copy(out, m{
			"numbersMap": m{"k": int64(1)}, "listsList": []any{[]any{int64(1)}, []any{int64(2), int64(3)}},
			"computedBlock": []any{m{"note": "c"}}, "attributeBlock": []any{m{"note": "a"}},
		})
	} else {
		maps.Copy(out, m{
			"anything": m{"deep": []any{int64(1), "two", nil}}, "aNumber": 0.1, "mapOfLists": m{"k": []any{int64(1)}}, "stringsList": []any{},
			"anObject": m{"key": "k", "value": int64(1)}, "objectsList": []any{m{"key": "k", "value": nil}},
		})
	}
	if form == examplecloudtest.Framework6 {
		inner := m{"name": "n", "numbers": []any{}}
		maps.Copy(out, m{
			"singleNested": m{"name": "n", "deep": m{"K_1": inner}}, "listNested": []any{inner},
			"mapNested": m{"m": inner}, "setNested": []any{m{"name": "n"}},
		})
	}
	return out
}

// Whatever is imported, by whatever form of provider, from the cloud or from a state: the
// first plan with its manifest changes nothing.
func TestImportChangesNothing(t *testing.T) {
	t.Parallel()
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			cloud := examplecloudtest.Start(t)
			p := open(t, form, cloud, nil)
			info := m{"id": "c", "name": "info"}
			objects := map[string]m{
				"examplecloud_thing":           {"name": "one", "size": int64(3), "tags": m{"a": "b"}},
				"examplecloud_datastore":       {"hciClusterUuid": "u", "clusterInfo": info, "name": "d", "timeouts": m{"create": "1m"}},
				"examplecloud_ticket":          {"title": "t", "body": "b", "createToken": "once"},
				"examplecloud_alias":           {"name": "a", "target": "x"},
				"examplecloud_volume":          {"name": "v", "sizeGib": int64(5), "public": "true"},
				"examplecloud_id_import":       {"name": "n", "text": ""},
				"examplecloud_identity_import": {"name": "n", "text": "x"},
				"examplecloud_shapes":          everyShape(form),
			}
			var items []importer.Item
			stored := map[string]instance.Instance{}
			for _, resourceType := range slices.Sorted(maps.Keys(objects)) {
				in := made(t, p, resourceType, objects[resourceType])
				stored[resourceType] = in
				r := p.Model.Resources[resourceType]
				if in.HasIdentity() {
					items = append(items, importer.ByIdentity(p, r, in.Identity))
				} else {
					items = append(items, importer.ByID(p, r, in.State.GetAttr("id").AsString()))
				}
			}
			before := cloud.Audit(t)
			live := build(t, &importer.Builder{}, items...)
			if len(live.Left) > 0 || len(live.Manifests) != len(objects) {
				t.Fatalf("%d manifests; left: %v", len(live.Manifests), live.Left)
			}
			for i, x := range live.Manifests {
				if x.Observes != "" || x.State != nil || x.Inputs != nil {
					t.Errorf("%s: observes since %s; secrets %v, %v", x.Origin, x.Observes, x.State, x.Inputs)
				}
				noChange(t, items[i], x)
			}

			items = nil
			for _, resourceType := range slices.Sorted(maps.Keys(objects)) {
				in := stored[resourceType]
				items = append(items, importer.Item{
					Provider: p, Resource: p.Model.Resources[resourceType], Origin: resourceType + ".x",
					Name: "x", Stored: &in,
				})
			}
			whole := build(t, &importer.Builder{}, items...)
			if len(whole.Left) > 0 || len(whole.Manifests) != len(objects) {
				t.Fatalf("%d manifests; left: %v", len(whole.Manifests), whole.Left)
			}
			for i, x := range whole.Manifests {
				if x.Observes != "" || len(x.Notes) > 0 {
					t.Errorf("%s: observes since %s; notes %v", x.Origin, x.Observes, x.Notes)
				}
				noChange(t, items[i], x)
				kept, err := instance.Decode(x.State.Data["instance.json"], items[i].Resource.Schema)
				if err != nil || !kept.State.RawEquals(items[i].Stored.State) ||
					!bytes.Equal(kept.Private, items[i].Stored.Private) || kept.Status != items[i].Stored.Status {
					t.Errorf("%s: the state is not kept: %v, %+v", x.Origin, err, kept)
				}
			}
			if diff := cmp.Diff(before, cloud.Audit(t)); diff != "" {
				t.Errorf("importing changed something:\n%s", diff)
			}
		})
	}
}

// noChange plans with what is in a manifest, as a controller would.
func noChange(t *testing.T, item importer.Item, x importer.Manifest) {
	t.Helper()
	r := terraform.ResourceType{Schema: item.Resource.Schema}
	var in instance.Instance
	if x.State != nil {
		stored, err := instance.Decode(x.State.Data["instance.json"], item.Resource.Schema)
		if err != nil {
			t.Fatal(err)
		}
		refreshed, diags := item.Provider.Executor.Refresh(t.Context(), r, stored)
		if diags.HasErrors() {
			t.Fatal(x.Origin, diags)
		}
		in = refreshed.Instance
	} else {
		target := terraform.ImportTarget{Identity: cty.NilVal}
		i, _ := spec(x)["import"].(m)
		target.ID, _ = i["id"].(string)
		if identity, ok := i["identity"].(m); ok {
			v, diags := translate.ImportIdentity(item.Resource, identity)
			if diags.HasErrors() {
				t.Fatal(x.Origin, diags)
			}
			target.Identity = v
		}
		imported, diags := item.Provider.Executor.Import(t.Context(), r, target)
		if diags.HasErrors() {
			t.Fatal(x.Origin, diags)
		}
		in = imported
	}
	// Through JSON, as the API server would have it.
	raw, err := json.Marshal(spec(x)["forProvider"])
	if err != nil {
		t.Fatal(err)
	}
	var forProvider m
	if err := json.Unmarshal(raw, &forProvider); err != nil {
		t.Fatal(err)
	}
	c, diags := translate.Config(item.Resource, forProvider, nil, func(s translate.SecretKeySelector) ([]byte, error) {
		return x.Inputs.Data[s.Key], nil
	})
	if diags.HasErrors() {
		t.Fatal(x.Origin, diags)
	}
	plan, diags := item.Provider.Executor.Plan(t.Context(), r, in, terraform.Config{Value: c.Value})
	if diags.HasErrors() || plan.Action != terraform.NoOp {
		t.Errorf("%s: %s %v\n%v", x.Origin, plan.Action, diags, translate.Changes(item.Resource, plan.Prior.State, plan.State))
	}
}

var ids = regexp.MustCompile(`-[0-9a-f]{16}`)

// What is written, word by word.
func TestManifests(t *testing.T) {
	t.Parallel()
	cloud := examplecloudtest.Start(t)
	p := open(t, examplecloudtest.Framework6, cloud, nil)
	thing, credential, note := p.Model.Resources["examplecloud_thing"], p.Model.Resources["examplecloud_credential"],
		p.Model.Resources["examplecloud_id_import"]
	one := made(t, p, thing.Type, m{"name": "One Thing", "region": "eu-central-1"})
	secret := made(t, p, credential.Type, m{"name": "c", "passwordSecretRef": m{"name": "s", "key": "k"}})
	text1 := made(t, p, note.Type, m{"name": "n", "text": "x"})

	marked := one
	marked.SensitivePaths = []cty.Path{cty.GetAttrPath("tags").IndexString("x"), cty.GetAttrPath("size")}
	tainted := one
	tainted.Status, tainted.CreateBeforeDestroy = instance.Tainted, true
	tainted.Deposed = []instance.Deposed{one.Depose("01234567")}
	other := *p
	other.Configuration = importer.Configuration{Kind: "ProviderConfig", Name: "west"}
	required := one
	required.SensitivePaths = []cty.Path{cty.GetAttrPath("name")}

	state := func(r *model.Resource, name string, in instance.Instance) importer.Item {
		return importer.Item{Provider: p, Resource: r, Origin: r.Type + "." + name, Name: name, Stored: &in}
	}
	tests := map[string]struct {
		builder importer.Builder
		item    importer.Item
		want    string
	}{
		"discovered": {
			item: importer.Discovered(p, discovery.Object{Resource: thing, DisplayName: "One Thing", Identity: one.Identity}),
			want: `---
# examplecloud_thing id=t-ID,region=eu-central-1
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Thing
metadata:
  name: one-thing
  namespace: team
spec:
  forProvider:
    name: One Thing
    region: eu-central-1
    size: 1
  import:
    identity:
      id: t-ID
      region: eu-central-1
`,
		},
		"by id": {
			builder: importer.Builder{Observe: true},
			item:    importer.ByID(p, note, text1.State.GetAttr("id").AsString()),
			want: `---
# examplecloud_id_import i-ID
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: IDImport
metadata:
  name: i-ID
  namespace: team
spec:
  forProvider:
    name: "n"
    text: x
  import:
    id: i-ID
  managementPolicies:
  - Observe
`,
		},
		"sensitive, from a state": {
			item: state(credential, "c", secret),
			want: `---
apiVersion: v1
data:
  instance.json: DATA
kind: Secret
metadata:
  annotations:
    landbridge.io/owner: team/c
    landbridge.io/owner-kind: Credential.examplecloud.landbridge.io
  labels:
    app.kubernetes.io/managed-by: landbridge
    landbridge.io/kind: Credential.examplecloud.landbridge.io
  name: credential.c.HASH
  namespace: landbridge-system
type: landbridge.io/instance
---
apiVersion: v1
data:
  password: DATA
kind: Secret
metadata:
  name: c-inputs
  namespace: team
---
# examplecloud_credential.c
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Credential
metadata:
  annotations:
    crossplane.io/external-name: c-ID
    landbridge.io/identity: '{"id":"c-ID"}'
  finalizers:
  - finalizer.managedresource.crossplane.io
  name: c
  namespace: team
spec:
  forProvider:
    name: c
    passwordSecretRef:
      key: password
      name: c-inputs
  import:
    identity:
      id: c-ID
`,
		},
		"marked in the state": {
			item: state(thing, "x", marked),
			want: `# examplecloud_thing.x
# Sensitive in the state: tags is left out, and its differences are ignored.
# Sensitive in the state: size is left out, and its differences are ignored.
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Thing
metadata:
  annotations:
    crossplane.io/external-name: t-ID
    landbridge.io/identity: '{"id":"t-ID","region":"eu-central-1"}'
  finalizers:
  - finalizer.managedresource.crossplane.io
  name: x
  namespace: team
spec:
  forProvider:
    name: One Thing
    region: eu-central-1
  import:
    identity:
      id: t-ID
      region: eu-central-1
  lifecycle:
    ignoreChanges:
    - tags
    - size
`,
		},
		"marked in the state, and required": {
			item: state(thing, "x", required),
			want: `# examplecloud_thing.x
# Sensitive in the state: name is left out, and its differences are ignored.
# Only observes, since spec.forProvider.name cannot be read, and must be given by you. Look at it, then set managementPolicies to ["*"].
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Thing
metadata:
  annotations:
    crossplane.io/external-name: t-ID
    landbridge.io/identity: '{"id":"t-ID","region":"eu-central-1"}'
  finalizers:
  - finalizer.managedresource.crossplane.io
  name: x
  namespace: team
spec:
  forProvider:
    region: eu-central-1
    size: 1
  import:
    identity:
      id: t-ID
      region: eu-central-1
  lifecycle:
    ignoreChanges:
    - name
  managementPolicies:
  - Observe
`,
		},
		"tainted, with a deposed object": {
			item: state(thing, "x", tainted),
			want: `# examplecloud_thing.x
# Tainted: its creation failed or was interrupted, and Terraform would replace it. With taintPolicy Keep it is kept.
# The state has a deposed object of it, which Terraform would destroy. Nothing is destroyed until managementPolicies have Delete, as ["*"] does.
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Thing
metadata:
  annotations:
    crossplane.io/external-name: t-ID
    landbridge.io/identity: '{"id":"t-ID","region":"eu-central-1"}'
  finalizers:
  - finalizer.managedresource.crossplane.io
  name: x
  namespace: team
spec:
  forProvider:
    name: One Thing
    region: eu-central-1
    size: 1
  import:
    identity:
      id: t-ID
      region: eu-central-1
  lifecycle:
    createBeforeDestroy: true
    taintPolicy: Keep
  managementPolicies:
  - Observe
  - Create
  - Update
  - LateInitialize
`,
		},
		"with another configuration": {
			item: importer.ByIdentity(&other, thing, one.Identity),
			want: `---
# examplecloud_thing id=t-ID,region=eu-central-1
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Thing
metadata:
  name: t-ID
  namespace: team
spec:
  forProvider:
    name: One Thing
    region: eu-central-1
    size: 1
  import:
    identity:
      id: t-ID
      region: eu-central-1
  providerConfigRef:
    kind: ProviderConfig
    name: west
`,
		},
	}
	hash := regexp.MustCompile(`\.[0-9a-f]{20}\b`)
	data := regexp.MustCompile(`(instance\.json|password): [A-Za-z0-9+/=]{8,}`)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := build(t, &test.builder, test.item)
			if len(result.Manifests) != 1 {
				t.Fatalf("left: %v", result.Left)
			}
			got := text(t, result.Manifests)
			if strings.Contains(got, password) {
				t.Error("the password is shown")
			}
			got = data.ReplaceAllString(hash.ReplaceAllString(ids.ReplaceAllString(got, "-ID"), ".HASH"), "$1: DATA")
			if !strings.HasPrefix(test.want, "---") {
				_, got, _ = strings.Cut(got, "type: landbridge.io/instance\n---\n")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// What cannot be imported is left out, each with its reason, and nothing else is.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	cloud := examplecloudtest.Start(t)
	p := open(t, examplecloudtest.Framework6, cloud, nil)
	thing := p.Model.Resources["examplecloud_thing"]
	one, two, three := made(t, p, thing.Type, m{"name": "one"}), made(t, p, thing.Type, m{"name": "two"}),
		made(t, p, thing.Type, m{"name": "three"})
	owned := *p
	owned.Owners = owners(discovery.Owner{Kind: "Thing", Namespace: "elsewhere", Name: "mine", Identity: two.Identity})
	cloud.Remove(t, "things", three.State.GetAttr("id").AsString())
	noImport := made(t, p, "examplecloud_no_import", m{"name": "n"})
	blind := *p
	blind.Server, blind.Executor = nil, nil
	raw := one
	raw.State, raw.RawState = cty.NilVal, json.RawMessage(`{"id":"x"}`)

	result := build(t, &importer.Builder{},
		importer.ByIdentity(&owned, thing, one.Identity),
		importer.ByIdentity(&owned, thing, one.Identity),
		importer.ByIdentity(&owned, thing, two.Identity),
		importer.ByIdentity(&owned, thing, three.Identity),
		importer.Item{Provider: &owned, Resource: thing, Origin: "thing.gone", Stored: &three},
		importer.ByIdentity(&owned, p.Model.Resources["examplecloud_no_import"], noImport.Identity),
		importer.ByIdentity(&blind, thing, one.Identity),
		importer.Item{Provider: &blind, Resource: thing, Origin: "thing.old", Stored: &raw},
	)
	if len(result.Manifests) != 1 {
		t.Errorf("%d manifests", len(result.Manifests))
	}
	var got []string
	for _, l := range result.Left {
		reason, _, _ := strings.Cut(l.Reason, ":")
		got = append(got, ids.ReplaceAllString(l.Origin+": "+reason, "-ID"))
	}
	want := []string{
		"examplecloud_thing id=t-ID,region=us-east-1: it is the same object as examplecloud_thing id=t-ID,region=us-east-1",
		"examplecloud_thing id=t-ID,region=us-east-1: it is managed by Thing elsewhere/mine already",
		"examplecloud_thing id=t-ID,region=us-east-1: Cannot import non-existent remote object",
		"thing.gone: it does not exist any more",
		"examplecloud_no_import id=n-ID: Resource Import Not Implemented",
		"examplecloud_thing id=t-ID,region=us-east-1: it can only be imported by looking at it",
		"thing.old: the state is of another version of the provider, so that the object must be looked at",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func owners(all ...discovery.Owner) func(context.Context, *model.Resource) (*discovery.Owners, error) {
	return func(context.Context, *model.Resource) (*discovery.Owners, error) {
		return discovery.NewOwners(all), nil
	}
}

// An object that no configuration leaves as it is, is only observed, and the reason is told.
func TestOnlyObserves(t *testing.T) {
	t.Parallel()
	cloud := examplecloudtest.Start(t)
	p := open(t, examplecloudtest.Framework6, cloud, nil)
	in := made(t, p, "examplecloud_thing", m{"name": "one", "size": int64(7), "tags": m{"a": "b"}})
	// The kind has no size, and the provider's default is another one.
	presented, err := model.NewProvider("examplecloud", p.Model.Schema, config.Provider{
		Resources: map[string]config.Resource{"examplecloud_thing": {Omit: []string{"size"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Model = presented
	result := build(t, &importer.Builder{}, importer.ByIdentity(p, presented.Resources["examplecloud_thing"], in.Identity))
	if len(result.Manifests) != 1 {
		t.Fatal(result.Left)
	}
	x := result.Manifests[0]
	if diff := cmp.Diff("its first reconcile would update what the kind does not have", x.Observes); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	want := m{
		"forProvider": m{"name": "one", "region": "us-east-1", "tags": m{"a": "b"}}, "managementPolicies": []any{"Observe"},
		"import": m{"identity": translate.Identity(presented.Resources["examplecloud_thing"], in.Identity)},
	}
	if diff := cmp.Diff(want, spec(x)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{`Only observes, since its first reconcile would update what the kind does not have. Look at it, then set managementPolicies to ["*"].`}, x.Notes); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// A state of an older provider: what is stored stays as it is, and the manifest is of what the
// provider of today makes of it.
func TestOlderState(t *testing.T) {
	t.Parallel()
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			cloud := examplecloudtest.Start(t)
			old := open(t, form, cloud, map[string]string{"EXAMPLECLOUD_PROVIDER_VERSION": "0"})
			in := made(t, old, "examplecloud_volume", m{"name": "v", "size": int64(5), "public": true})
			file, err := tfstate.Write(tfstate.State{Resources: []tfstate.ResourceBlock{{
				Mode: "managed", Type: "examplecloud_volume", Name: "v", Provider: `provider["registry.terraform.io/landbridge-io/examplecloud"]`,
				Instances: []tfstate.Instance{{Instance: in}},
			}}}, tfstate.Of(old.Model.Schema))
			if err != nil {
				t.Fatal(err)
			}
			p := open(t, form, cloud, nil)
			estate, err := importer.ReadState(file, func(string, string) (*importer.ConfiguredProvider, error) { return p, nil }, nil)
			if err != nil || len(estate.Items) != 1 {
				t.Fatal(err, estate.Left)
			}
			result := build(t, &importer.Builder{}, estate.Items...)
			if len(result.Manifests) != 1 || result.Manifests[0].Observes != "" {
				t.Fatalf("%+v", result)
			}
			x := result.Manifests[0]
			noChange(t, estate.Items[0], x)
			var stored struct {
				SchemaVersion int            `json:"schemaVersion"`
				State         map[string]any `json:"state"`
			}
			if err := json.Unmarshal(x.State.Data["instance.json"], &stored); err != nil ||
				stored.SchemaVersion != 0 || stored.State["public"] != true {
				t.Errorf("%v: %+v", err, stored)
			}
			if id, _ := spec(x)["import"].(m)["identity"].(m); id["public"] != "true" || id["volumeId"] == nil {
				t.Errorf("identity %v", id)
			}
		})
	}
}

// Providers that do not know an identity return one without values, which identifies nothing.
func TestIdentitiesWithoutValues(t *testing.T) {
	t.Parallel()
	p := *open(t, examplecloudtest.Framework6, examplecloudtest.Start(t), nil)
	p.Executor = nil // as with --refresh=false
	instanceOf := func(name string) string {
		return `{"mode": "managed", "type": "examplecloud_thing", "name": "` + name +
			`", "provider": "provider[\"registry.terraform.io/landbridge-io/examplecloud\"]", "instances": [{
			"schema_version": 0, "attributes": {"id": "` + name + `-1", "region": "us-east-1", "name": "` + name + `", "size": 1, "tags": null},
			"identity_schema_version": 0, "identity": {"id": null, "region": null}}]}`
	}
	state := `{"version": 4, "resources": [` + instanceOf("a") + "," + instanceOf("b") + `]}`
	estate, err := importer.ReadState([]byte(state), func(string, string) (*importer.ConfiguredProvider, error) { return &p, nil }, nil)
	if err != nil || len(estate.Items) != 2 {
		t.Fatal(err, estate.Left)
	}
	result := build(t, &importer.Builder{}, estate.Items...)
	if len(result.Manifests) != 2 {
		t.Fatalf("left: %+v", result.Left)
	}
	for _, x := range result.Manifests {
		if _, there := spec(x)["import"]; there || x.Resource.GetAnnotations()["landbridge.io/identity"] != "" {
			t.Errorf("%s: import %v, annotations %v", x.Origin, spec(x)["import"], x.Resource.GetAnnotations())
		}
	}
}

// The parts of a large state come before the Secret that names them, and the resource last.
func TestObjectsOfLargeState(t *testing.T) {
	secret := func(name string) *corev1.Secret { return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	resource := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "resource"}}}
	objects, err := importer.Manifest{
		Resource: resource, State: secret("state"), Inputs: secret("inputs"), Parts: []*corev1.Secret{secret("part-0"), secret("part-1")},
	}.Objects()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range objects {
		got = append(got, o.GetName())
	}
	if diff := cmp.Diff([]string{"part-0", "part-1", "state", "inputs", "resource"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
