package managed_test

import (
	"context"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// unconfigured has no provider configuration.
type unconfigured struct{}

func (unconfigured) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Handle[terraform.Executor]{}
}

// asked is what a custom resource asks for, in comparable form.
type asked struct {
	Policies desired.Policies
	Timeouts desired.Timeouts
	Import   *terraform.ImportTarget
	Invalid  string // of Import
	Known    *terraform.ImportTarget
	Observed bool
	Config   *terraform.Config
	Tokens   [4]string
	Errors   string
}

func knownOf(k *desired.KnownObject) (*terraform.ImportTarget, bool) {
	if k == nil {
		return nil, false
	}
	return &k.Target, k.Observed
}

// askedOfPlan reads a manifest as landbridge plan does.
func askedOfPlan(t *testing.T, p *model.Provider, manifest string) asked {
	t.Helper()
	const secret = "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: prod}\nstringData: {k: hunter2secret}\n"
	read, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(manifest + secret)}})
	var out asked
	for _, m := range messages {
		out.Errors += m.Summary + ": " + m.Detail + "\n"
	}
	if len(read.Resources) == 0 {
		return out
	}
	spec := read.Resources[0].Spec
	out.Policies, out.Timeouts, out.Config = spec.Policies, spec.Timeouts, read.Resources[0].Config
	out.Import, out.Invalid = spec.Import.Target, spec.Import.Invalid.String()
	out.Known, out.Observed = knownOf(spec.Known)
	out.Tokens = [...]string{spec.Tokens.Taint, spec.Tokens.Untaint, spec.Tokens.Retry, spec.Tokens.ConfirmCreate}
	return out
}

// askedOfController reads a manifest as the controller does once the API server has stored it.
func askedOfController(t *testing.T, p *model.Provider, manifest string) asked {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRef"); !ok { // the CRD's default
		if err := unstructured.SetNestedField(u.Object, map[string]any{
			"kind": "ClusterProviderConfig", "name": "default",
		}, "spec", "providerConfigRef"); err != nil {
			t.Fatal(err)
		}
	}
	k := &managed.Kind{ProviderConfigs: unconfigured{}}
	for _, m := range p.Resources {
		if m.Kind == u.GetKind() {
			k.Model = m
		}
	}
	secrets := fake.NewClientBuilder().WithObjects(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "s"}, Data: map[string][]byte{"k": []byte("hunter2secret")},
	}).Build()
	req, diags := managed.Request(t.Context(), k, managed.ResourceOf(u), secrets)
	if req.Config != nil && !diags.HasErrors() {
		keepsConfiguration(t, k, u, req)
	}
	out := asked{
		Policies: req.Policies, Timeouts: req.Timeouts, Config: req.Config, Import: req.Import.Target,
		Invalid: req.Import.Invalid.String(),
	}
	out.Known, out.Observed = knownOf(req.Known)
	out.Tokens = [...]string{req.Asked.Taint, req.Asked.Untaint, req.Asked.Retry, req.ConfirmCreate}
	for _, d := range diags {
		out.Errors += d.Summary + ": " + d.Detail + "\n"
	}
	if diags.HasErrors() {
		return asked{Errors: out.Errors}
	}
	return out
}

// same compares what is asked of the scheduler.
var same = cmp.Options{
	cmpopts.IgnoreFields(asked{}, "Errors"), // they name files and clusters
	cmp.Comparer(cty.Path.Equals),
	cmp.Comparer(func(a, b cty.Value) bool {
		if a == cty.NilVal || b == cty.NilVal {
			return a == cty.NilVal && b == cty.NilVal
		}
		return a.RawEquals(b)
	}),
}

// keepsConfiguration checks that the configuration of an unchanged resource takes no memory, and is
// the same when it is needed.
func keepsConfiguration(t *testing.T, k *managed.Kind, u *unstructured.Unstructured, before scheduler.Request) {
	t.Helper()
	cached := u.DeepCopy()
	req, diags := managed.RequestUnchanged(t.Context(), k, managed.Lent(u))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if req.Config.Value != cty.NilVal || req.ConfigHash != before.ConfigHash {
		t.Errorf("the value is kept, or the hash %s became %s", before.ConfigHash, req.ConfigHash)
	}
	if diff := cmp.Diff(before.Config, req.Configuration(), same); diff != "" {
		t.Errorf("configuration of an unchanged resource (-before +now):\n%s", diff)
	}
	if diff := cmp.Diff(cached, u); diff != "" {
		t.Errorf("the cached resource was changed (-before +now):\n%s", diff)
	}
}

// TestPlanReadsAsController drives manifests through landbridge plan and the controller. Many of
// them were once read differently.
func TestPlanReadsAsController(t *testing.T) {
	p, err := model.NewProvider("everything", schematest.Everything(), schematest.References())
	if err != nil {
		t.Fatal(err)
	}
	configured, err := model.NewProvider("everything", schematest.Everything(), schematest.Configured())
	if err != nil {
		t.Fatal(err)
	}
	const forProvider = "{name: m, namespace: m, passwordSecretRef: {name: s, key: k}, someBlock: [{maxAgeDays: 1}]}"
	thing := func(annotations, spec string) string {
		return "apiVersion: everything.landbridge.io/v1alpha1\nkind: Thing\nmetadata: {name: a, namespace: " +
			"prod, annotations: {" + annotations + "}}\nspec: {" + spec + "}\n"
	}
	whole := func(annotations, more string) string {
		return thing(annotations, "forProvider: "+forProvider+", "+more)
	}
	for name, tc := range map[string]struct {
		manifest string
		provider *model.Provider
		errors   string // a part of those of both
	}{
		"plain":                        {manifest: whole("", "")},
		"composite identity as a name": {manifest: whole(`crossplane.io/external-name: 'account_id=a,number=1'`, "")},
		"id as a name":                 {manifest: whole("crossplane.io/external-name: i-1", "")},
		"identity by annotation":       {manifest: whole(`landbridge.io/identity: '{"accountId":"a","number":1}'`, "")},
		"identity with a large number": {manifest: whole(`landbridge.io/identity: '{"accountId":"a","number":9007199254740993}'`, "")},
		"identity of another schema":   {manifest: whole(`crossplane.io/external-name: i-1, landbridge.io/identity: '{"arn":"a"}'`, "")},
		"observed":                     {manifest: whole("crossplane.io/external-name: i-1", "") + "status: {atProvider: {id: i-1}}\n"},
		"import by id":                 {manifest: whole("", "import: {id: x}")},
		"import by identity":           {manifest: whole("", "import: {identity: {accountId: a, number: 1}}")},
		"timeouts":                     {manifest: whole("", "lifecycle: {timeouts: {create: 1h30m, update: 5s}}")},
		"invalid timeout": {
			manifest: whole("", "lifecycle: {timeouts: {create: soon}}"),
			errors:   `spec.lifecycle.timeouts.create is "soon"`,
		},
		"policies": {
			manifest: whole("", "managementPolicies: [Observe, Create, Update], lifecycle: {replacePolicy: Never, "+
				"taintPolicy: Keep}"),
		},
		"existence check":              {manifest: whole("", "lifecycle: {existenceCheck: Never}")},
		"paused":                       {manifest: whole("", "managementPolicies: []")},
		"only observed":                {manifest: thing("", "managementPolicies: [Observe], forProvider: {size: 1}, import: {id: x}")},
		"only observed, but described": {manifest: whole("", "managementPolicies: [Observe]")},
		"initProvider":                 {manifest: whole("", "initProvider: {size: 9007199254740993, tags: {a: b}}")},
		"ignoreChanges": {
			manifest: whole("",
				`lifecycle: {ignoreChanges: [tags.a, "*"], createBeforeDestroy: true}, initProvider: {size: 1}`),
		},
		"invalid ignoreChanges": {manifest: whole("", "lifecycle: {ignoreChanges: [nme]}"), errors: "there is no field nme"},
		"write-only argument": {
			manifest: thing("", "forProvider: {name: m, namespace: m, passwordSecretRef: {name: s, key: k}, "+
				"passwordWoSecretRef: {name: s, key: k}, someBlock: [{maxAgeDays: 1}]}"),
		},
		"no such Secret": {manifest: whole("", "initProvider: {pinSecretRef: {name: x, key: k}}"), errors: "there is no Secret x"},
		"untaint, retry and confirm": {
			manifest: whole("landbridge.io/untaint: u, landbridge.io/retry: r, landbridge.io/interrupt: i, "+
				"landbridge.io/confirm-create: c", ""),
		},
		"name by annotation": {manifest: configuredThing("crossplane.io/external-name: given"), provider: configured},
		"name as observed":   {manifest: configuredThing("") + "status: {atProvider: {namespace: seen}}\n", provider: configured},
		"name by default":    {manifest: configuredThing(""), provider: configured},
	} {
		t.Run(name, func(t *testing.T) {
			provider := p
			if tc.provider != nil {
				provider = tc.provider
			}
			plan, controller := askedOfPlan(t, provider, tc.manifest), askedOfController(t, provider, tc.manifest)
			for by, got := range map[string]string{"plan": plan.Errors, "controller": controller.Errors} {
				if (got == "") != (tc.errors == "") || !strings.Contains(got, tc.errors) {
					t.Errorf("%s: got errors %q, want %q", by, got, tc.errors)
				}
			}
			if diff := cmp.Diff(controller, plan, same); diff != "" {
				t.Errorf("-controller, +plan:\n%s", diff)
			}
		})
	}
}

func configuredThing(annotations string) string {
	return "apiVersion: everything.landbridge.io/v1alpha1\nkind: Thing\nmetadata: {name: a, namespace: " +
		"prod, annotations: {" + annotations + "}}\n" +
		"spec: {forProvider: {title: m, stage: s, passwordSecretRef: {name: s, key: k}, someBlock: [{maxAgeDays: 1}]}}\n"
}

// A resource that is being deleted still tells which object its interrupted create made.
func TestRequestWhileDeleting(t *testing.T) {
	k := kind(t)
	k.ProviderConfigs = unconfigured{}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"import": map[string]any{"id": "i-1"}}}}
	u.SetAnnotations(map[string]string{"landbridge.io/delete-without-refresh": "true"})
	u.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	req, diags := managed.Request(t.Context(), k, managed.ResourceOf(u), fake.NewClientBuilder().Build())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if !req.WithoutRefresh {
		t.Error("the object is read before it is destroyed")
	}
	if !req.Deleted || req.Config != nil || req.Import.Target == nil || req.Import.Target.ID != "i-1" {
		t.Errorf("deleted %t, config %v, import %+v", req.Deleted, req.Config, req.Import.Target)
	}
}
