package diff_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/diff"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

const group = "random.landbridge.io"

// bench is a cluster with the provider random, and what is stored in it.
type bench struct {
	t       *testing.T
	client  client.Client
	model   *model.Provider
	stored  map[store.Key]store.Record
	secrets redact.Redactor
}

// newBench returns a cluster with pets of the given lengths, whose specs want 2, and with other
// objects.
func newBench(t *testing.T, pets map[string]int64, others ...client.Object) *bench {
	return newBenchWith(t, config.Provider{}, pets, others...)
}

// newBenchWith is newBench with a configuration of the provider.
func newBenchWith(t *testing.T, configured config.Provider, pets map[string]int64, others ...client.Object) *bench {
	p, err := model.NewProvider("random", schematest.Provider(t, "random"), configured)
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{{Group: group, Version: "v1alpha1"}})
	for _, kind := range []string{"Secret", "ConfigMap"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"TerraformProvider", "TerraformModule"} {
		mapper.Add(v1alpha1.GroupVersion.WithKind(kind), meta.RESTScopeRoot)
	}
	foreign := schema.GroupVersionKind{Group: "other.example.org", Version: "v1", Kind: "Bucket"}
	mapper.Add(foreign, meta.RESTScopeNamespace)
	scheme.AddKnownTypeWithName(foreign, &unstructured.Unstructured{})
	for _, m := range p.Resources {
		gvk := m.GroupVersionKind()
		mapper.Add(gvk, meta.RESTScopeNamespace)
		scheme.AddKnownTypeWithName(gvk, &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(gvk.GroupVersion().WithKind(m.ListKind), &unstructured.UnstructuredList{})
	}
	for _, kind := range []string{model.ClusterProviderConfigKind, model.ProviderConfigKind} {
		gvk := schema.GroupVersionKind{Group: p.Group, Version: p.Version, Kind: kind}
		mapper.Add(gvk, meta.RESTScopeRoot)
		scheme.AddKnownTypeWithName(gvk, &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(gvk.GroupVersion().WithKind(kind+"List"), &unstructured.UnstructuredList{})
	}
	b := &bench{t: t, model: p, stored: map[store.Key]store.Record{}}
	var existing []client.Object
	for name, length := range pets {
		spec := `{"forProvider":{"length":2}}`
		u := b.read(manifest("Pet", name, spec))[0].Unstructured
		u.SetNamespace("team-a")
		u.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": `{"apiVersion":"` + group +
			`/v1alpha1","kind":"Pet","metadata":{"name":"` + name + `","namespace":"team-a"},"spec":` + spec + `}`})
		existing = append(existing, u)
		b.stored[store.Key{Group: group, Kind: "Pet", Namespace: "team-a", Name: name}] = store.Record{
			Version: "1", Instance: instance.Instance{Status: instance.Full, State: pet(b, name+"-id", length)},
		}
	}
	existing = append(existing, b.read(configMap("old"))[0].Unstructured, b.read(terraformProvider("old", "1.0.0"))[0].Unstructured)
	existing = append(existing, others...)
	// Only dry runs write.
	dry := func(dryRun []string) {
		if len(dryRun) == 0 {
			t.Error("something was written")
		}
	}
	b.client = fake.NewClientBuilder().WithScheme(scheme).WithRESTMapper(mapper).WithObjects(existing...).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				dry((&client.CreateOptions{}).ApplyOptions(opts).DryRun)
				return c.Create(ctx, o, opts...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
				options := client.PatchOptions{}
				options.ApplyOptions(opts)
				dry(options.DryRun)
				if u, ok := o.(*unstructured.Unstructured); ok && patch.Type() == types.ApplyPatchType {
					// The fake client answers a dry run with the object as it is.
					raw, err := patch.Data(o)
					if err != nil {
						return err
					}
					return json.Unmarshal(raw, &u.Object)
				}
				return c.Patch(ctx, o, patch, opts...)
			},
		}).Build()
	return b
}

func manifest(kind, name, spec string) string {
	return "---\napiVersion: " + group + "/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + "}\nspec: " + spec + "\n"
}

func configMap(name string) string {
	return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: team-a}\n"
}

func terraformProvider(name, version string) string {
	return "---\napiVersion: landbridge.io/v1alpha1\nkind: TerraformProvider\nmetadata: {name: " + name +
		"}\nspec: {source: hashicorp/random, version: " + version + "}\n"
}

func (b *bench) read(text string) []local.Object {
	b.t.Helper()
	objects, messages := local.ReadObjects([]local.Source{{Name: "m.yaml", Data: []byte(text)}})
	if messages.HasErrors() {
		b.t.Fatal(messages)
	}
	return objects
}

func (b *bench) plan(text string) (*diff.Plan, local.Messages, string) {
	b.t.Helper()
	plan, messages := diff.Make(b.t.Context(), diff.Options{
		Client: b.client, Namespace: "team-a", Secrets: &b.secrets,
		Load: func(_ context.Context, k store.Key, _ *model.Resource) (store.Record, error) {
			if rec, ok := b.stored[k]; ok {
				return rec, nil
			}
			return store.Record{}, store.ErrNotFound
		},
		Providers: []diff.LocalProvider{{
			Source: "registry.terraform.io/hashicorp/random", Model: b.model, Launcher: &plugin.Launcher{
				Path: providertest.Binary(b.t, "random"),
			},
		}},
	}, b.read(text))
	var out strings.Builder
	if err := planview.Text(&out, plan.View(), planview.Style{}); err != nil {
		b.t.Fatal(err)
	}
	if err := planview.Markdown(&out, plan.View()); err != nil {
		b.t.Fatal(err)
	}
	return plan, messages, out.String()
}

func addresses(p *diff.Plan) (out []string) {
	for _, c := range p.Changes {
		out = append(out, string(c.Plan.Action)+" "+c.Address)
	}
	return out
}

func pet(b *bench, id string, length int64) cty.Value {
	values := b.model.Resources["random_pet"].Root().Cty.AttributeTypes()
	out := map[string]cty.Value{}
	for name, t := range values {
		out[name] = cty.NullVal(t)
	}
	out["id"], out["length"], out["separator"] = cty.StringVal(id), cty.NumberIntVal(length), cty.StringVal("-")
	return cty.ObjectVal(out)
}

func TestPlanOfManifests(t *testing.T) {
	t.Parallel()
	first := manifest("Pet", "first", `{forProvider: {length: 2}}`)
	second := manifest("Pet", "second",
		`{references: [{to: forProvider.prefix, from: {kind: Pet, name: first, fieldPath: status.atProvider.id}}]}`)
	for name, x := range map[string]struct {
		has      map[string]int64 // pets, with their lengths
		manifest string
		want     []string
		text     []string
		waiting  []string
		message  string
		upgrades []diff.Upgrade
		// fails is set if there are errors, changes if something would change.
		fails, changes bool
	}{
		"new resources, in the order of their references": {
			changes: true, manifest: second + first, want: []string{"Create random_pet.first", "Create random_pet.second"},
			text: []string{
				"+ prefix    = (known after apply)", "Plan: 2 to add, 0 to change, 0 to destroy.",
				"| + | Pet team-a/second | `random_pet.second` | Create |",
			},
		},
		"reference to an object that exists": {
			changes: true, has: map[string]int64{"first": 2}, manifest: first + second, want: []string{
				"NoOp random_pet.first", "Create random_pet.second",
			},
			text: []string{`+ prefix    = "first-id"`},
		},
		"no change": {has: map[string]int64{"first": 2}, manifest: first, want: []string{"NoOp random_pet.first"}, text: []string{"No changes."}},
		"replacement": {
			changes: true, has: map[string]int64{"first": 3}, manifest: first, want: []string{"DeleteThenCreate random_pet.first"},
			text: []string{"~ length = 3 -> 2 # forces replacement", "!       length = 3 -> 2 # forces replacement", "| -/+ | Pet team-a/first |"},
		},
		"reference to nothing": {
			manifest: second, waiting: []string{"spec.forProvider.prefix: there is no Pet team-a/first"},
			changes: true, text: []string{"Incomplete plan."},
		},
		"other kinds": {
			manifest: configMap("new"), message: "kubectl diff shows changes of ConfigMap.", changes: true,
			text: []string{"Incomplete plan. Nothing would change of what was planned, but not everything was planned.", "### Incomplete plan"},
		},
		"an object of another kind that is as it is": {manifest: configMap("old"), text: []string{"No changes."}},
		"an object of another kind that changes": {
			manifest: configMap("old") + "data: {a: b}\n", message: "kubectl diff shows changes of ConfigMap.",
			changes: true, text: []string{"Incomplete plan."},
		},
		"a new provider": {
			manifest: terraformProvider("new", "1.0.0"), message: "kubectl diff shows changes of " +
				"TerraformProvider.landbridge.io.",
			changes: true, text: []string{"Incomplete plan."},
		},
		"another version of a provider": {
			has: map[string]int64{"first": 2}, manifest: first + terraformProvider("old", "2.0.0"),
			want: []string{"NoOp random_pet.first"}, changes: true,
			upgrades: []diff.Upgrade{{Name: "old", Version: "2.0.0"}}, text: []string{"Incomplete plan."},
		},
		"another version and other changes of a provider": {
			manifest: strings.Replace(terraformProvider("old", "2.0.0"), "}\n", ", activate: [random_pet]}\n", 1), fails: true, changes: true,
			message: "Cannot be planned", text: []string{"Incomplete plan."},
		},
		"a provider that stays as it is": {manifest: terraformProvider("old", "1.0.0"), text: []string{"No changes."}},
		"a managed resource of no provider": {
			manifest: "---\napiVersion: other.example.org/v1\nkind: Bucket\nmetadata: {name: x}\nspec: {forProvider: {}}\n", fails: true,
			message: "The kind Bucket of other.example.org/v1 is of no provider and no module that can be run here.",
			text:    []string{"Incomplete plan."},
		},
		"an unknown kind": {
			manifest: "---\napiVersion: other.example.org/v1\nkind: Nothing\nmetadata: {name: x}\n", fails: true,
			message: "The cluster does not serve the kind Nothing of other.example.org/v1.", text: []string{"Incomplete plan."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, x.has)
			plan, messages, text := b.plan(x.manifest)
			if plan.HasChanges() != x.changes {
				t.Errorf("something would change: %t", plan.HasChanges())
			}
			if messages.HasErrors() != x.fails || x.message != "" && !strings.Contains(messages.String(), x.message) {
				t.Fatal(messages)
			}
			if d := cmp.Diff(x.want, addresses(plan)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(x.upgrades, plan.Upgrades); d != "" {
				t.Error(d)
			}
			var waiting []string
			for _, w := range plan.Waiting {
				waiting = append(waiting, w.For...)
			}
			if d := cmp.Diff(x.waiting, waiting); d != "" {
				t.Error(d)
			}
			for _, want := range x.text {
				if !strings.Contains(text, want) {
					t.Errorf("lacks %q:\n%s", want, text)
				}
			}
		})
	}
}

// What refers to an object that would be replaced is planned, too, if it is in the cluster alone.
func TestDependentsInTheCluster(t *testing.T) {
	referring := func(namespace, name, to string) client.Object {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": group + "/v1alpha1", "kind": "Pet",
			"metadata": map[string]any{"namespace": namespace, "name": name, "uid": namespace + name},
			"spec": map[string]any{
				"forProvider": map[string]any{"length": int64(2), "prefix": to + "-id"},
				"references": []any{map[string]any{
					"to": "forProvider.prefix", "policy": map[string]any{"resolve": "Always"},
					"from": map[string]any{"kind": "Pet", "namespace": "team-a", "name": to, "fieldPath": "status.atProvider.id"},
				}},
			},
		}}
		return u
	}
	for name, x := range map[string]struct {
		length   int64 // of the object, where 2 is wanted
		want     []string
		messages []string
	}{
		"up to date": {length: 2, want: []string{"NoOp random_pet.first"}},
		"replaced": {
			length: 1, want: []string{
				"DeleteThenCreate random_pet.first", "DeleteThenCreate random_pet.second",
				"DeleteThenCreate random_pet.third",
			},
			messages: []string{
				"These are in the cluster, depend on objects that would be replaced, and are planned, too: Pet team-a/second, Pet team-a/third.",
				"1 resources in other namespaces depend on objects that would be replaced. They are not planned.",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]int64{"first": x.length}, referring("team-a", "second", "first"), referring("team-a", "third", "second"),
				referring("team-b", "elsewhere", "first"), referring("team-a", "unrelated", "another"))
			first := b.read(manifest("Pet", "first", "{}"))[0].Unstructured
			first.SetNamespace("team-a")
			if err := b.client.Get(t.Context(), client.ObjectKeyFromObject(first), first); err != nil {
				t.Fatal(err)
			}
			annotations := first.GetAnnotations()
			annotations[v1alpha1.AnnotationReferableFrom] = "*"
			first.SetAnnotations(annotations)
			if err := b.client.Update(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			for _, dependent := range []string{"second", "third"} {
				b.stored[store.Key{Group: group, Kind: "Pet", Namespace: "team-a", Name: dependent}] = store.Record{
					Version: "1", Instance: instance.Instance{Status: instance.Full, State: pet(b, dependent+"-id", 2)},
				}
			}
			plan, messages, _ := b.plan(manifest("Pet", "first", `{forProvider: {length: 2}}`))
			var said []string
			for _, m := range messages {
				said = append(said, m.Detail)
			}
			if diff := cmp.Diff(x.want, addresses(plan)); diff != "" {
				t.Errorf("changes: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(x.messages, said); diff != "" {
				t.Errorf("messages: -want +got:\n%s", diff)
			}
		})
	}
}

// What reads the connection Secret of an object that would be replaced is planned without knowing
// the value, and what uses a provider configuration that does is named. So is what would prevent
// the replacement.
func TestSecretReadersInTheCluster(t *testing.T) {
	t.Parallel()
	pet := func(namespace, name string, spec, annotations map[string]any) client.Object {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": group + "/v1alpha1", "kind": "Pet",
			"metadata": map[string]any{"namespace": namespace, "name": name, "uid": namespace + name, "annotations": annotations}, "spec": spec,
		}}
	}
	reading := func(lifecycle map[string]any) map[string]any {
		return map[string]any{
			"forProvider": map[string]any{"length": int64(2), "separatorSecretRef": map[string]any{"name": "made", "key": "attribute.result"}},
			"lifecycle":   lifecycle,
		}
	}
	using := map[string]any{
		"forProvider":       map[string]any{},
		"providerConfigRef": map[string]any{"kind": "ClusterProviderConfig", "name": "reads"},
	}
	pausing := map[string]any{"crossplane.io/paused": "true"}
	b := newBenchWith(t, config.Provider{
		Resources: map[string]config.Resource{
			"random_pet": {Fields: map[string]config.Field{"separator": {Sensitive: true}}},
		},
	}, nil,
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "made"}, Data: map[string][]byte{
				"attribute.result": []byte("-"),
			},
		},
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": group + "/v1alpha1", "kind": "ClusterProviderConfig", "metadata": map[string]any{"name": "reads"},
			"spec": map[string]any{"tokenSecretRef": map[string]any{"namespace": "team-a", "name": "made", "key": "attribute.result"}},
		}},
		pet("team-a", "reads", reading(nil), nil),
		pet("team-a", "never", reading(map[string]any{"replacePolicy": "Never"}), nil),
		pet("team-a", "paused", reading(nil), pausing),
		pet("team-a", "uses", using, nil), pet("team-a", "uses-paused", using, pausing), pet("team-b", "uses", using, nil),
		pet("team-a", "unrelated", map[string]any{"forProvider": map[string]any{}}, nil), pet("team-b", "reads", reading(nil), nil),
	)
	for _, name := range []string{"reads", "never", "paused"} {
		b.stored[store.Key{Group: group, Kind: "Pet", Namespace: "team-a", Name: name}] = store.Record{
			Version: "1", Instance: instance.Instance{Status: instance.Full, State: stored(b, "random_pet", map[string]cty.Value{
				"id": cty.StringVal(name), "length": cty.NumberIntVal(2), "separator": cty.StringVal("-"),
			})},
		}
	}
	b.stored[store.Key{Group: group, Kind: "Password", Namespace: "team-a", Name: "db"}] = store.Record{
		Version: "1", Instance: instance.Instance{Status: instance.Full, State: stored(b, "random_password", map[string]cty.Value{
			"id": cty.StringVal("none"), "length": cty.NumberIntVal(8), "result": cty.StringVal("-"), "bcrypt_hash": cty.StringVal("-"),
		})},
	}
	plan, messages, _ := b.plan(manifest("Password", "db", `{forProvider: {length: 9}, writeConnectionSecretToRef: {name: made}}`))
	var said []string
	for _, m := range messages {
		said = append(said, m.Detail)
	}
	want := []string{
		"The resource is paused, and is left alone.",
		"These are in the cluster, depend on objects that would be replaced, and are planned, too: Pet " +
			"team-a/never, Pet team-a/paused, Pet team-a/reads.",
		"Nothing would be done to these until the objects are replaced from which their provider configuration " +
			"takes values: Pet team-a/uses, Pet team-a/uses-paused.",
		"The controller would replace nothing that these depend on: Pet team-a/never may not be changed: " +
			"spec.lifecycle.replacePolicy is Never, Pet team-a/paused is paused, Pet team-a/uses-paused is paused.",
		"1 resources in other namespaces depend on objects that would be replaced. They are not planned.",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("messages: -want +got:\n%s", diff)
	}
	changes := addresses(plan)
	slices.Sort(changes)
	if diff := cmp.Diff([]string{
		"DeleteThenCreate random_password.db", "DeleteThenCreate random_pet.never", "DeleteThenCreate random_pet.reads",
	}, changes); diff != "" {
		t.Errorf("changes: -want +got:\n%s", diff)
	}
}

// stored returns a state of a resource type, with some values.
func stored(b *bench, resourceType string, values map[string]cty.Value) cty.Value {
	out := map[string]cty.Value{}
	for name, ty := range b.model.Resources[resourceType].Root().Cty.AttributeTypes() {
		if out[name] = cty.NullVal(ty); values[name] != cty.NilVal {
			out[name] = values[name]
		}
	}
	return cty.ObjectVal(out)
}

// planted is a sensitive value of the stored object.
const planted = "hunter2-planted-secret"

// No form of a plan has a sensitive value, and neither has what policies decide about it.
func TestPlanHasNoSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.stored[store.Key{Group: group, Kind: "Password", Namespace: "team-a", Name: "db"}] = store.Record{
		Version: "1", Instance: instance.Instance{Status: instance.Full, State: stored(b, "random_password", map[string]cty.Value{
			"id": cty.StringVal("none"), "length": cty.NumberIntVal(8), "result": cty.StringVal(planted),
			"bcrypt_hash": cty.StringVal("hash-of-" + planted),
		})},
	}
	plan, messages, text := b.plan(manifest("Password", "db", `{forProvider: {length: 9}}`) +
		"---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {x: " + planted + "}\n")
	if messages.HasErrors() || len(plan.Changes) != 1 || !plan.Changes[0].Plan.Action.IsReplace() {
		t.Fatalf("%v, %v", addresses(plan), messages)
	}
	raw, err := json.Marshal(planview.JSON(plan.View().Changes))
	if err != nil {
		t.Fatal(err)
	}
	quotes := policy.Compile(&v1alpha1.PlanPolicy{Spec: v1alpha1.PlanPolicySpec{
		Action: v1alpha1.PlanPolicyDeny, Condition: `{"a": 1}[plan.changes.map(c, string(c.before) + string(c.after)).join()] == 1`,
	}})
	fails := policy.Compile(&v1alpha1.PlanPolicy{Spec: v1alpha1.PlanPolicySpec{
		Action: v1alpha1.PlanPolicyDeny, Condition: `plan.changes.exists(c, c.sensitive && {"a": 1}[dyn(c.before)] == 1)`,
	}})
	var decided []string
	for _, r := range plan.Policies(t.Context(), []*policy.Policy{quotes, fails}, time.Now()) {
		decided = append(decided, r.String())
	}
	if len(decided) != 2 {
		t.Errorf("policies decide %q", decided)
	}
	for what, out := range map[string]string{
		"text": text, "JSON": string(raw), "messages": messages.String(), "policies": strings.Join(decided, "\n"),
	} {
		if strings.Contains(out, planted) {
			t.Errorf("%s:\n%s", what, out)
		}
	}
}
