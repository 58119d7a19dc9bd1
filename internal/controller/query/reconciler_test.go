package query_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kubefake "k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/query"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// planted is a secret of the provider configuration.
const planted = "hunter2-planted-secret"

var (
	identityType = cty.Object(map[string]cty.Type{"id": cty.String})
	objectType   = cty.Object(map[string]cty.Type{"id": cty.String, "public": cty.Bool, "password": cty.String})
	key          = types.NamespacedName{Namespace: "team", Name: "things"}
)

// cloud is a provider whose things are listed.
type cloud struct {
	provider.Server

	schema *schema.Provider
	// things are the names of the objects; public are those that are.
	things, public []string
	lists          int
	failure        *tfprotov6.Diagnostic
}

func newCloud() *cloud {
	attribute := func(t cty.Type) *schema.Attribute { return &schema.Attribute{Type: t, Optional: true, Computed: true} }
	secret := attribute(cty.String)
	secret.Sensitive = true
	return &cloud{schema: &schema.Provider{
		Config: &schema.Block{},
		Resources: map[string]*schema.Resource{
			"x_thing": {
				Type: "x_thing", Identity: &schema.Identity{
					Attributes: map[string]*schema.IdentityAttribute{"id": {Type: cty.String, RequiredForImport: true}},
				},
				Block: &schema.Block{
					Attributes: map[string]*schema.Attribute{
						"id": attribute(cty.String), "public": attribute(cty.Bool), "password": secret,
					},
				},
			},
			"x_plain": {Type: "x_plain", Block: &schema.Block{}},
		},
		ListResources: map[string]*schema.Block{
			"x_thing": {Attributes: map[string]*schema.Attribute{"region": {Type: cty.String, Optional: true}}},
		},
	}}
}

func (c *cloud) Schema(context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	return c.schema, nil
}

func (c *cloud) ValidateListResourceConfig(
	context.Context, *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return &tfprotov6.ValidateListResourceConfigResponse{}, nil
}

func (c *cloud) ListResource(_ context.Context, r *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	c.lists++
	var results []tfprotov6.ListResourceResult
	if c.failure != nil {
		results = append(results, tfprotov6.ListResourceResult{Diagnostics: []*tfprotov6.Diagnostic{c.failure}})
	}
	for _, name := range c.things {
		result := tfprotov6.ListResourceResult{
			DisplayName: name, Identity: &tfprotov6.ResourceIdentityData{
				IdentityData: encoded(cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(name)}), identityType),
			},
		}
		if r.IncludeResource {
			result.Resource = encoded(cty.ObjectVal(map[string]cty.Value{
				"id": cty.StringVal(name), "public": cty.BoolVal(slices.Contains(c.public, name)), "password": cty.StringVal(planted),
			}), objectType)
		}
		results = append(results, result)
	}
	return &tfprotov6.ListResourceServerStream{Results: slices.Values(results)}, nil
}

func encoded(v cty.Value, t cty.Type) *tfprotov6.DynamicValue {
	b, err := msgpack.Marshal(v, t)
	if err != nil {
		panic(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: b}
}

// configs are provider configurations, all of which lead to one cloud.
type configs struct {
	cloud  *cloud
	denied bool
}

func (configs) Name(of providerconfig.Reference) string {
	return of.Kind + "/" + of.Namespace + "/" + of.Name
}

func (c configs) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[provider.Server] {
	if c.denied {
		out := providerconfig.Refuse[provider.Server]("c",
			diagnostic.Errorf("Provider configuration not allowed", "Resources of namespace team may not use it."))
		out.Denied = true
		return out
	}
	return providerconfig.Handle[provider.Server]{
		Name: "c", Secrets: []string{planted},
		Acquire: func(context.Context) (provider.Server, func(), diagnostic.Diagnostics) {
			return c.cloud, func() {}, nil
		},
	}
}

func (configs) Access(context.Context, providerconfig.Reference) ownership.Access {
	return ownership.Access{}
}

// fixture is a reconciler with a query.
type fixture struct {
	*query.Reconciler
	t         *testing.T
	cloud     *cloud
	configs   configs
	claims    map[string][]ownership.OwnerClaim // by id
	resources []query.Resource
	policies  []*policy.EstatePolicy
	core      *kubefake.Clientset
	writes    int
	active    bool
}

func newFixture(t *testing.T, spec v1alpha1.ResourceQuerySpec) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	q := &v1alpha1.ResourceQuery{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "u", Generation: 1}, Spec: spec}
	f := &fixture{t: t, cloud: newCloud(), claims: map[string][]ownership.OwnerClaim{}, core: kubefake.NewClientset(), active: true}
	f.configs.cloud = f.cloud
	p, err := model.NewProvider("x", f.cloud.schema, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(q).WithStatusSubresource(q).WithInterceptorFuncs(interceptor.Funcs{
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			f.writes++
			return c.SubResource(sub).Update(ctx, o, opts...)
		},
	}).Build()
	f.Reconciler = &query.Reconciler{
		Client: kube, ConfigMaps: func(namespace string) typedcorev1.ConfigMapInterface { return f.core.CoreV1().ConfigMaps(namespace) },
		Providers: func(resourceType string) []query.Provider {
			if p.Resources[resourceType] == nil {
				return nil
			}
			return []query.Provider{{Name: "x", Model: p, Configs: f.configs}}
		},
		Owners: query.Owners{
			Claiming: func(_ ownership.Access, _ *schema.Resource, identity cty.Value) []ownership.OwnerClaim {
				return f.claims[identity.GetAttr("id").AsString()]
			},
			Resources: func(context.Context, *model.Resource) ([]query.Resource, error) { return f.resources, nil },
		},
		Policies: func(context.Context) ([]*policy.EstatePolicy, error) { return f.policies, nil },
		Active:   func(kschema.GroupKind, string) bool { return f.active },
		Recorder: event.NewNopRecorder(), Logger: logr.Discard(), Timeout: time.Minute,
	}
	f.Init()
	return f
}

func (f *fixture) reconcile() (*v1alpha1.ResourceQuery, reconcile.Result) {
	f.t.Helper()
	result, err := f.Reconcile(f.t.Context(), reconcile.Request{NamespacedName: key})
	if err != nil {
		f.t.Fatal(err)
	}
	return f.get(), result
}

func (f *fixture) get() *v1alpha1.ResourceQuery {
	f.t.Helper()
	q := &v1alpha1.ResourceQuery{}
	if err := f.Client.Get(f.t.Context(), key, q); err != nil {
		f.t.Fatal(err)
	}
	return q
}

// change changes the query as the API server does.
func (f *fixture) change(with func(*v1alpha1.ResourceQuery)) {
	f.t.Helper()
	q := f.get()
	with(q)
	q.Generation++
	if err := f.Client.Update(f.t.Context(), q); err != nil {
		f.t.Fatal(err)
	}
}

func claim(namespace, name string, s ownership.Strength) ownership.OwnerClaim {
	return ownership.OwnerClaim{
		Owner: ownership.Owner{
			Key: store.Key{Group: "x.landbridge.io", Kind: "Thing", Namespace: namespace, Name: name},
		}, Strength: s,
	}
}

// resource is a custom resource that describes an object.
func resource(name, id string, configuration string) query.Resource {
	return query.Resource{
		Owner: discovery.Owner{
			Kind: "Thing", Namespace: "team", Name: name, Declared: true,
			Identity: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)}),
		},
		Configuration: providerconfig.Reference{Kind: model.ClusterProviderConfigKind, Name: configuration},
	}
}

func things(limit int64) v1alpha1.ResourceQuerySpec {
	return v1alpha1.ResourceQuerySpec{ResourceType: "x_thing", Limit: limit}
}

// Objects are counted by who owns them, and those of other namespaces are not shown.
func TestCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, things(10))
	f.cloud.things = []string{"begun", "declared", "free", "held", "hidden", "of-another-account", "wanted", "wanted-elsewhere"}
	f.claims = map[string][]ownership.OwnerClaim{
		"held": {claim("team", "a", ownership.Held)}, "begun": {claim("team", "b", ownership.Begun)}, "wanted": {
			claim("team", "c", ownership.Wanted),
		},
		"hidden": {claim("mallory", "secret-name", ownership.Held)}, "wanted-elsewhere": {claim("mallory", "secret-name", ownership.Wanted)},
	}
	f.resources = []query.Resource{
		resource("d", "declared", "default"), resource("a", "held", "default"),
		resource("e", "of-another-account", "another"),
	}
	q, _ := f.reconcile()
	s := q.Status
	if got, want := [5]int64{s.Total, s.Managed, s.Declared, s.Unmanaged, s.OtherNamespaces}, [5]int64{8, 2, 2, 2, 2}; got != want {
		t.Errorf("counted %v, want %v", got, want)
	}
	var shown []string
	for _, o := range s.Objects {
		line := o.DisplayName + " " + string(o.Ownership)
		for _, owner := range o.Owners {
			line += " " + owner.Kind + "/" + owner.Name
		}
		shown = append(shown, line)
	}
	want := []string{
		"free Unmanaged", "of-another-account Unmanaged", "declared Declared Thing/d", "wanted Declared Thing/c",
		"begun Managed Thing/b", "held Managed Thing/a",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if raw, _ := json.Marshal(q); strings.Contains(string(raw), "hidden") ||
		strings.Contains(string(raw), "secret-name") || strings.Contains(string(raw), "mallory") {
		t.Errorf("the query tells of objects of another namespace: %s", raw)
	}
}

// A query runs at its interval, when it changes, when that is requested, and when policies change.
// What is unchanged is not written.
func TestRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t, things(10))
	f.cloud.things = []string{"a", "b"}
	f.active = false
	f.reconcile()
	if f.cloud.lists != 0 || f.writes != 0 {
		t.Fatalf("%d lists and %d writes before the owners of objects are known", f.cloud.lists, f.writes)
	}
	f.active = true
	_, result := f.reconcile()
	if f.cloud.lists != 1 || f.writes != 1 || result.RequeueAfter < 9*time.Minute || result.RequeueAfter > 11*time.Minute {
		t.Fatalf("%d lists, %d writes, the next in %s", f.cloud.lists, f.writes, result.RequeueAfter)
	}
	f.reconcile()
	if f.cloud.lists != 1 {
		t.Error("it runs before it is due")
	}
	annotate := func(token string) {
		q := f.get()
		q.Annotations = map[string]string{v1alpha1.AnnotationReconcile: token}
		if err := f.Client.Update(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	annotate("1")
	f.reconcile()
	if f.cloud.lists != 2 || f.writes != 1 {
		t.Errorf("requested and unchanged: %d lists, want 2; %d writes, want 1", f.cloud.lists, f.writes)
	}
	f.policies = []*policy.EstatePolicy{estate(t, "p", "!object.public || managed")}
	q, _ := f.reconcile()
	if got := q.Status.GetCondition(v1alpha1.TypeCompliant); f.cloud.lists != 3 || got.Status != corev1.ConditionTrue {
		t.Errorf("with a policy: %d lists, want 3; compliant: %+v", f.cloud.lists, got)
	}
	f.cloud.public = []string{"b"}
	annotate("2")
	q, _ = f.reconcile()
	if got := q.Status.GetCondition(v1alpha1.TypeCompliant); got.Status != corev1.ConditionFalse ||
		got.Message != "EstatePolicy p: 1 object: the expression !object.public || managed is false." {
		t.Errorf("violated: %+v", got)
	}
	if len(q.Status.Objects) != 2 || q.Status.Objects[0].DisplayName != "b" || !slices.Equal(q.Status.Objects[0].Violates, []string{"p"}) {
		t.Errorf("the objects are %+v", q.Status.Objects)
	}
	if raw, _ := json.Marshal(q); strings.Contains(string(raw), planted) {
		t.Errorf("a secret is shown: %s", raw)
	}
	f.change(func(q *v1alpha1.ResourceQuery) { q.Spec.Suspend = true })
	lists := f.cloud.lists
	q, _ = f.reconcile()
	if got := q.Status.GetCondition(v1alpha1.TypeSuspended); got.Status != corev1.ConditionTrue ||
		f.cloud.lists != lists || q.Status.Total != 2 {
		t.Errorf("suspended: %+v", q.Status)
	}
	f.change(func(q *v1alpha1.ResourceQuery) { q.Spec.Suspend, q.Spec.Limit = false, 1 })
	q, _ = f.reconcile()
	if got := q.Status.GetCondition(v1alpha1.TypeComplete); got.Status != corev1.ConditionFalse ||
		got.Reason != v1alpha1.ReasonLimitReached || q.Status.Total != 1 {
		t.Errorf("limited: %+v", q.Status)
	}
}

func estate(t *testing.T, name string, expressions ...string) *policy.EstatePolicy {
	t.Helper()
	p := &v1alpha1.EstatePolicy{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}}
	for _, e := range expressions {
		p.Spec.Validations = append(p.Spec.Validations, v1alpha1.EstateValidation{Expression: e})
	}
	return policy.CompileEstate(p)
}

// Why a query has no result is told, without secrets, and what it has found before stays.
func TestProblems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec    v1alpha1.ResourceQuerySpec
		prepare func(*fixture)
		reason  xpv2.ConditionReason
		message string
		stalled bool
	}{
		"no provider": {
			spec: v1alpha1.ResourceQuerySpec{ResourceType: "y_thing"}, reason: v1alpha1.ReasonProviderNotRunning,
			message: "spec.resourceType",
		},
		"another provider": {
			spec:   v1alpha1.ResourceQuerySpec{ResourceType: "x_thing", TerraformProvider: "y"},
			reason: v1alpha1.ReasonProviderNotRunning, message: "spec.terraformProvider",
		},
		"no list": {
			spec: v1alpha1.ResourceQuerySpec{ResourceType: "x_plain"}, reason: v1alpha1.ReasonNotListable,
			message: "no list resource for x_plain", stalled: true,
		},
		"no such argument": {
			spec:   v1alpha1.ResourceQuerySpec{ResourceType: "x_thing", Config: &apiextensionsv1.JSON{Raw: []byte(`{"area":"x"}`)}},
			reason: v1alpha1.ReasonInvalidConfiguration, message: "spec.config.area", stalled: true,
		},
		"of another type": {
			spec:   v1alpha1.ResourceQuerySpec{ResourceType: "x_thing", Config: &apiextensionsv1.JSON{Raw: []byte(`{"region":{"x":1}}`)}},
			reason: v1alpha1.ReasonInvalidConfiguration, message: "spec.config.region", stalled: true,
		},
		"not allowed": {
			spec: things(1), prepare: func(f *fixture) { f.configs.denied = true },
			reason: v1alpha1.ReasonNamespaceNotAllowed, message: "may not use", stalled: true,
		},
		"list fails": {spec: things(1), prepare: func(f *fixture) {
			f.cloud.failure = &tfprotov6.Diagnostic{
				Severity: tfprotov6.DiagnosticSeverityError, Summary: "No access",
				Detail: "The key " + planted + " is wrong.",
			}
		}, reason: v1alpha1.ReasonListFailed, message: "No access"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, test.spec)
			if test.prepare != nil {
				test.prepare(f)
			}
			f.change(func(q *v1alpha1.ResourceQuery) { q.Status.Total = 7 })
			q, result := f.reconcile()
			got := q.Status.GetCondition(xpv2.TypeReady)
			if got.Status != corev1.ConditionFalse || got.Reason != test.reason || !strings.Contains(got.Message, test.message) {
				t.Errorf("Ready is %+v", got)
			}
			is, isNot := v1alpha1.TypeReconciling, v1alpha1.TypeStalled
			if test.stalled {
				is, isNot = isNot, is
			}
			if q.Status.GetCondition(is).Status != corev1.ConditionTrue || q.Status.GetCondition(isNot).Status == corev1.ConditionTrue {
				t.Errorf("stalled: want %t, got %+v", test.stalled, q.Status.Conditions)
			}
			if result.RequeueAfter <= 0 {
				t.Error("it is not tried again")
			}
			if raw, _ := json.Marshal(q); strings.Contains(string(raw), planted) {
				t.Errorf("a secret is shown: %s", raw)
			}
			writes := f.writes
			f.reconcile()
			if f.writes != writes {
				t.Error("an unchanged problem is written again")
			}
		})
	}
}

// Pages are written where the query asks for them, removed when it does not, and no ConfigMap of
// others is written.
func TestPages(t *testing.T) {
	t.Parallel()
	spec := things(10)
	spec.Pages = true
	f := newFixture(t, spec)
	f.cloud.things = []string{"a", "hidden"}
	f.claims["hidden"] = []ownership.OwnerClaim{claim("mallory", "x", ownership.Held)}
	maps := f.core.CoreV1().ConfigMaps("team")
	q, _ := f.reconcile()
	c, err := maps.Get(t.Context(), "things-objects-0", metav1.GetOptions{})
	if err != nil || !slices.Equal(q.Status.Pages, []string{"things-objects-0"}) {
		t.Fatalf("the pages are %v; %v", q.Status.Pages, err)
	}
	var d discovery.Document
	if err := json.Unmarshal([]byte(c.Data["objects.json"]), &d); err != nil || len(d.Objects) != 1 || d.Objects[0].DisplayName != "a" {
		t.Errorf("the page is %s; %v", c.Data["objects.json"], err)
	}
	if len(c.OwnerReferences) != 1 || c.OwnerReferences[0].UID != "u" {
		t.Errorf("its owners are %+v", c.OwnerReferences)
	}
	f.change(func(q *v1alpha1.ResourceQuery) { q.Spec.Pages = false })
	if q, _ = f.reconcile(); len(q.Status.Pages) != 0 {
		t.Errorf("the pages are %v", q.Status.Pages)
	}
	if _, err := maps.Get(t.Context(), "things-objects-0", metav1.GetOptions{}); err == nil {
		t.Error("the page is still there")
	}
	own := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "things-objects-0"}, Data: map[string]string{"mine": "x"}}
	if _, err := maps.Create(t.Context(), own, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f.change(func(q *v1alpha1.ResourceQuery) { q.Spec.Pages = true })
	q, _ = f.reconcile()
	if got := q.Status.GetCondition(xpv2.TypeReady); got.Reason != v1alpha1.ReasonPagesFailed ||
		!strings.Contains(got.Message, "things-objects-0 is not one of this query") {
		t.Errorf("Ready is %+v", got)
	}
	if c, err := maps.Get(t.Context(), "things-objects-0", metav1.GetOptions{}); err != nil || c.Data["mine"] != "x" {
		t.Errorf("the ConfigMap of others is %+v; %v", c, err)
	}
}

// What is wrong with a query is told before it is stored.
func TestPreview(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec map[string]any
		want []string
	}{
		"right": {spec: map[string]any{"resourceType": "x_thing", "config": map[string]any{"region": "a"}, "interval": "1m"}},
		"wrong": {
			spec: map[string]any{"resourceType": "x_thing", "config": map[string]any{"area": "a"}},
			want: []string{"spec.config.area"},
		},
		"no type": {spec: map[string]any{"resourceType": "y"}, want: []string{"No provider that is served has the resource type y."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, things(1))
			got := f.Preview(&unstructured.Unstructured{
				Object: map[string]any{"metadata": map[string]any{"name": "q", "namespace": "team"}, "spec": test.spec},
			})
			if len(got) != len(test.want) || len(got) > 0 && !strings.Contains(got[0], test.want[0]) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
