package results_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/results"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	secretArgument = "planted-argument"
	secretResult   = "planted-result"
)

// image returns a data source cloud_image, and the resource type of the same name.
func image(t *testing.T) *model.Provider {
	t.Helper()
	p, err := model.NewProvider("cloud", &schema.Provider{
		Config: &schema.Block{},
		Resources: map[string]*schema.Resource{
			"cloud_image": {
				Type: "cloud_image", Block: &schema.Block{
					Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}},
				},
			},
		},
		DataSources: map[string]*schema.Block{"cloud_image": {Attributes: map[string]*schema.Attribute{
			"id":    {Type: cty.String, Computed: true},
			"name":  {Type: cty.String, Optional: true},
			"token": {Type: cty.String, Optional: true, Sensitive: true},
			"size":  {Type: cty.Number, Computed: true},
			"key":   {Type: cty.String, Computed: true, Sensitive: true},
		}}},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cloud is an executor that reads data sources, and a ProviderConfigs that leases it.
type cloud struct {
	terraform.Executor
	reads  []cty.Value
	size   int64
	diags  diagnostic.Diagnostics
	refuse diagnostic.Diagnostics
	denied bool
	// keyless leaves the sensitive result out.
	keyless bool
}

func (c *cloud) ReadData(_ context.Context, _ terraform.ResourceType, config cty.Value) (terraform.Data, diagnostic.Diagnostics) {
	c.reads = append(c.reads, config)
	if c.diags.HasErrors() {
		return terraform.Data{}, c.diags
	}
	out := config.AsValueMap()
	out["id"], out["size"], out["key"] = cty.StringVal("7"), cty.NumberIntVal(c.size), cty.StringVal(secretResult)
	if c.keyless {
		out["key"] = cty.NullVal(cty.String)
	}
	return terraform.Data{Value: cty.ObjectVal(out)}, c.diags
}

func (c *cloud) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	if c.refuse.HasErrors() {
		out := providerconfig.Refuse[terraform.Executor]("configuration", c.refuse)
		out.Denied = c.denied
		return out
	}
	return providerconfig.Handle[terraform.Executor]{
		Name: "configuration", Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return c, func() {}, nil
		},
	}
}

func (c *cloud) Names(*xpv2.ProviderConfigReference, map[string]*xpv2.ProviderConfigReference, string) []string {
	return []string{"configuration"}
}

// neighbours are other kinds: cloud.landbridge.io/Network is served.
type neighbours struct {
	graph   references.Graph
	claimed chan struct{}
}

func (n *neighbours) References() *references.Graph { return &n.graph }
func (n *neighbours) Served(kind kschema.GroupKind) (string, bool) {
	return kind.Kind + "List", kind.Kind == "Network"
}
func (n *neighbours) Lacks(_ kschema.GroupKind, path string) error {
	if strings.HasSuffix(path, ".lacking") {
		return errors.New("there is no field lacking")
	}
	return nil
}
func (n *neighbours) Claimed() <-chan struct{} { return n.claimed }
func (n *neighbours) Wake(store.Key)           {}

// recorder has the events.
type recorder struct {
	mu     sync.Mutex
	events []string
}

func (r *recorder) Event(_ runtime.Object, e xpevent.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, string(e.Type)+" "+string(e.Reason)+" "+e.Message)
}
func (r *recorder) WithAnnotations(...string) xpevent.Recorder { return r }

type noQueue struct{}

func (noQueue) Add(reconcile.Request) {}
func (noQueue) Len() int              { return 0 }

// fixture is a reconciler with one object, team/x.
type fixture struct {
	*testing.T
	cloud    *cloud
	recorder *recorder
	others   *neighbours
	kind     *results.Kind
	client   client.WithWatch
	r        *results.Reconciler
	// writes counts those of the API server.
	writes int
}

// core returns a scheme of its own, to which fake clients add the kinds of their objects.
func core(t *testing.T) *runtime.Scheme {
	t.Helper()
	out := runtime.NewScheme()
	if err := corev1.AddToScheme(out); err != nil {
		t.Fatal(err)
	}
	return out
}

func newFixture(t *testing.T, spec map[string]any, others ...client.Object) *fixture {
	t.Helper()
	p := image(t)
	f := &fixture{T: t, cloud: &cloud{size: 1}, recorder: &recorder{}, others: &neighbours{claimed: make(chan struct{})}}
	close(f.others.claimed)
	m := p.DataSources["cloud_image"]
	f.kind = &results.Kind{
		Kind: unmanaged.Kind{
			Model: m, ProviderConfigs: f.cloud, Neighbours: f.others,
			Options: managed.Options{
				Workers: 1, Timeout: time.Minute, MinBackoff: time.Millisecond, MaxBackoff: time.Second, Recorder: f.recorder, Logger: logr.Discard(),
				Jitter: func(limit time.Duration) time.Duration { return limit / 2 },
			},
		},
		Claimed: f.others.Claimed, Objects: p.Schema.Resources["cloud_image"], HashKey: []byte("key"),
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"spec": spec, "status": map[string]any{"observedGeneration": int64(-1)},
		"metadata": map[string]any{"namespace": "team", "name": "x", "uid": "1", "generation": int64(1)},
	}}
	u.SetGroupVersionKind(m.GroupVersionKind())
	counted := func() { f.writes++ }
	f.client = fake.NewClientBuilder().WithScheme(core(t)).WithStatusSubresource(u).WithObjects(append(others, u)...).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourceUpdate: func(
				ctx context.Context, c client.Client, sub string, o client.Object,
				opts ...client.SubResourceUpdateOption,
			) error {
				counted()
				return c.SubResource(sub).Update(ctx, o, opts...)
			},
			Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
				counted()
				return c.Update(ctx, o, opts...)
			},
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				counted()
				return c.Create(ctx, o, opts...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
				counted()
				return c.Patch(ctx, o, patch, opts...)
			},
		}).Build()
	f.restart()
	return f
}

// restart replaces the reconciler: nothing is remembered.
func (f *fixture) restart() {
	f.r = results.NewReconciler(f.kind, f.client, f.client)
	f.r.Use(noQueue{})
}

func (f *fixture) reconcile() reconcile.Result {
	f.Helper()
	out, err := f.r.Reconcile(f.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}})
	if err != nil {
		f.Fatal(err)
	}
	return out
}

func (f *fixture) object() *unstructured.Unstructured {
	f.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(f.kind.Model.GroupVersionKind())
	if err := f.client.Get(f.Context(), client.ObjectKey{Namespace: "team", Name: "x"}, u); err != nil {
		f.Fatal(err)
	}
	return u
}

// change changes the object as a user does.
func (f *fixture) change(change func(u *unstructured.Unstructured)) {
	f.Helper()
	u := f.object()
	change(u)
	if err := f.client.Update(f.Context(), u); err != nil {
		f.Fatal(err)
	}
	f.writes = 0
}

// respecify changes a field of spec, and the generation, which the fake client does not.
func (f *fixture) respecify(value any, path ...string) {
	f.change(func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, value, append([]string{"spec"}, path...)...)
		u.SetGeneration(u.GetGeneration() + 1)
	})
}

// state is what is checked of an object.
type state struct {
	Ready, Synced, Reason string
	Size                  any
	Reads                 int
	Observed              int64
}

func (f *fixture) state() state {
	f.Helper()
	u := f.object()
	r := managed.CustomResource{Unstructured: *u}
	size, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "atProvider", "size")
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return state{
		Ready: string(r.GetCondition(xpv2.TypeReady).Status), Synced: string(r.GetCondition(xpv2.TypeSynced).Status),
		Reason: string(r.GetCondition(xpv2.TypeSynced).Reason), Size: size, Reads: len(f.cloud.reads), Observed: observed,
	}
}

func (f *fixture) want(want state) {
	f.Helper()
	if diff := cmp.Diff(want, f.state()); diff != "" {
		f.Errorf("state (-want +got):\n%s\n%v", diff, f.object().Object["status"])
	}
}

func success(size int64, reads int, observed int64) state {
	return state{Ready: "True", Synced: "True", Reason: "ReconcileSuccess", Size: size, Reads: reads, Observed: observed}
}

func named(name string) map[string]any {
	return map[string]any{"forProvider": map[string]any{"name": name}}
}

func TestReadsWhenDue(t *testing.T) {
	t.Parallel()
	f := newFixture(t, named("a"))
	result := f.reconcile()
	f.want(success(1, 1, 1))
	if result.RequeueAfter < 8*time.Minute || result.RequeueAfter > 12*time.Minute {
		t.Errorf("the next read is in %s", result.RequeueAfter)
	}
	// An event that is no change does not read again, and nothing is written.
	f.writes = 0
	f.reconcile()
	f.want(success(1, 1, 1))
	f.respecify("b", "forProvider", "name")
	f.reconcile()
	f.want(success(1, 2, 2))
	f.change(func(u *unstructured.Unstructured) {
		u.SetAnnotations(map[string]string{"landbridge.io/reconcile-requested-at": "now"})
	})
	f.cloud.size = 2
	f.reconcile()
	f.want(success(2, 3, 2))
	f.reconcile()
	f.want(success(2, 3, 2))
	// A new process does not know when the last read was.
	f.restart()
	f.writes = 0
	f.reconcile()
	f.want(success(2, 4, 2))
	if f.writes != 0 {
		t.Errorf("an unchanged result caused %d writes", f.writes)
	}
	want := []string{
		"Normal ReadDataSource The data source was read", "Normal ReadDataSource The result has changed: name",
		"Normal ReadDataSource The result has changed: size",
	}
	if diff := cmp.Diff(want, f.recorder.events); diff != "" {
		t.Errorf("events: %s", diff)
	}
}

func TestReadOnce(t *testing.T) {
	t.Parallel()
	spec := named("a")
	spec["refreshInterval"] = "0"
	f := newFixture(t, spec)
	if result := f.reconcile(); result != (reconcile.Result{}) {
		t.Errorf("it is reconciled again: %v", result)
	}
	f.restart()
	f.reconcile()
	f.want(success(1, 1, 1))
	f.respecify("b", "forProvider", "name")
	f.reconcile()
	f.want(success(1, 2, 2))
}

func TestFailures(t *testing.T) {
	t.Parallel()
	wrong := diagnostic.Errorf("Not found", "There is no such image.")
	for name, test := range map[string]struct {
		change func(f *fixture)
		want   state
	}{
		"the last result stays": {
			change: func(f *fixture) {
				f.cloud.diags = wrong
				f.change(func(u *unstructured.Unstructured) {
					u.SetAnnotations(map[string]string{"landbridge.io/reconcile-requested-at": "now"})
				})
			},
			want: state{Ready: "True", Synced: "False", Reason: "ReadFailed", Size: int64(1), Reads: 2, Observed: 1},
		},
		"but not that of other arguments": {
			change: func(f *fixture) { f.cloud.diags = wrong; f.respecify("b", "forProvider", "name") },
			want:   state{Ready: "False", Synced: "False", Reason: "ReadFailed", Reads: 2, Observed: 2},
		},
		"a deferral": {
			change: func(f *fixture) {
				f.cloud.diags = terraform.DeferredError("cloud_image", terraform.DeferredAbsentPrereq)
				f.respecify("b", "forProvider", "name")
			},
			want: state{Ready: "False", Synced: "False", Reason: "Deferred", Reads: 2, Observed: 2},
		},
		"a configuration that its namespace may not use": {
			change: func(f *fixture) { f.cloud.refuse, f.cloud.denied = diagnostic.Errorf("Not allowed", "x"), true },
			want:   state{Ready: "False", Synced: "False", Reason: "NamespaceNotAllowed", Reads: 1, Observed: 1},
		},
		"a configuration that does not exist": {
			change: func(f *fixture) { f.cloud.refuse = diagnostic.Errorf("Not found", "x") },
			want:   state{Ready: "True", Synced: "False", Reason: "ProviderConfigError", Size: int64(1), Reads: 1, Observed: 1},
		},
		"a missing Secret": {
			change: func(f *fixture) {
				f.respecify(map[string]any{"name": "s", "key": "k"}, "forProvider", "tokenSecretRef")
			},
			want: state{Ready: "False", Synced: "False", Reason: "InvalidConfiguration", Reads: 1, Observed: 2},
		},
		"an object of another namespace": {
			change: func(f *fixture) {
				f.kind.OwnedElsewhere = func(_ context.Context, namespace string, _ ownership.Access, of *schema.Resource, data cty.Value) bool {
					return namespace == "team" && of.Type == "cloud_image" && data.GetAttr("id").RawEquals(cty.StringVal("7"))
				}
				f.change(func(u *unstructured.Unstructured) {
					u.SetAnnotations(map[string]string{"landbridge.io/reconcile-requested-at": "now"})
				})
			},
			want: state{Ready: "False", Synced: "False", Reason: "IdentityConflict", Reads: 2, Observed: 1},
		},
		"paused": {
			change: func(f *fixture) {
				f.change(func(u *unstructured.Unstructured) {
					u.SetAnnotations(map[string]string{"crossplane.io/paused": "true", "landbridge.io/reconcile-requested-at": "now"})
				})
			},
			want: state{Ready: "True", Synced: "False", Reason: "ReconcilePaused", Size: int64(1), Reads: 1, Observed: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, named("a"))
			f.reconcile()
			test.change(f)
			f.reconcile()
			f.want(test.want)
			events, writes := len(f.recorder.events), f.writes
			f.reconcile()
			if len(f.recorder.events) != events || f.writes != writes {
				t.Errorf("the same failure was told again: %q", f.recorder.events)
			}
		})
	}
}

// Nothing is read until it is known which objects belong to resources of other namespaces.
func TestReadWaitsForClaims(t *testing.T) {
	t.Parallel()
	f := newFixture(t, named("a"))
	f.kind.OwnedElsewhere = func(context.Context, string, ownership.Access, *schema.Resource, cty.Value) bool { return false }
	f.others.claimed = make(chan struct{})
	if result := f.reconcile(); result.RequeueAfter == 0 {
		t.Error("it is not tried again")
	}
	f.want(state{Ready: "Unknown", Synced: "Unknown", Observed: -1})
	close(f.others.claimed)
	f.reconcile()
	f.want(success(1, 1, 1))
}

// Sensitive values are in the Secret that is named, and nowhere else.
func TestSensitiveValues(t *testing.T) {
	t.Parallel()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s"}, Data: map[string][]byte{"k": []byte(secretArgument)}}
	spec := map[string]any{"forProvider": map[string]any{"tokenSecretRef": map[string]any{"name": "s", "key": "k"}}}
	for name, test := range map[string]struct {
		to    string
		diags diagnostic.Diagnostics
	}{
		"without a Secret":      {},
		"with a Secret":         {to: "out"},
		"in warnings":           {diags: diagnostic.Warningf("Warned about "+secretArgument, "and %s", secretResult)},
		"in an error":           {diags: diagnostic.Errorf("Refused "+secretArgument, "%s", secretArgument)},
		"in a deferral's words": {diags: terraform.DeferredError(secretArgument, terraform.DeferredUnknown)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := (&unstructured.Unstructured{Object: spec}).DeepCopy().Object
			if test.to != "" {
				spec["writeConnectionSecretToRef"] = map[string]any{"name": test.to}
			}
			f := newFixture(t, spec, secret.DeepCopy())
			f.cloud.diags = test.diags
			f.reconcile()
			if len(f.cloud.reads) != 1 || !f.cloud.reads[0].GetAttr("token").RawEquals(cty.StringVal(secretArgument)) {
				t.Fatalf("reads: %v", f.cloud.reads)
			}
			shown, err := json.Marshal(f.object().Object)
			if err != nil {
				t.Fatal(err)
			}
			for _, planted := range []string{secretArgument, secretResult} {
				if strings.Contains(string(shown)+strings.Join(f.recorder.events, " "), planted) {
					t.Errorf("%s is shown: %s %q", planted, shown, f.recorder.events)
				}
			}
			out := &corev1.Secret{}
			err = f.client.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "out"}, out)
			if (err == nil) != (test.to != "") || test.to != "" && string(out.Data["attribute.key"]) != secretResult {
				t.Errorf("Secret: %v, %v", out.Data, err)
			}
		})
	}
}

// While there is no result of new arguments, the Secret has the values of the old ones, which the
// condition tells. It has none of a result that must not be shown.
func TestSecretOfEarlierResult(t *testing.T) {
	t.Parallel()
	const kept = "It was not read with these arguments yet. The Secret out still has the values of an earlier result."
	wrong := diagnostic.Errorf("Not found", "There is no such image.")
	denied := func(f *fixture) { f.cloud.refuse, f.cloud.denied = diagnostic.Errorf("Not allowed", "x"), true }
	changed := func(f *fixture) { f.cloud.diags = wrong; f.respecify("b", "forProvider", "name") }
	for name, test := range map[string]struct {
		changes []func(*fixture)
		ready   string
		values  int
	}{
		"other arguments":                    {[]func(*fixture){changed}, kept, 1},
		"other arguments, tried again":       {[]func(*fixture){changed, func(*fixture) {}}, kept, 1},
		"not allowed any more":               {[]func(*fixture){denied}, "It was not read yet.", 0},
		"other arguments, then not allowed":  {[]func(*fixture){changed, denied}, "It was not read yet.", 0},
		"other arguments that are read":      {[]func(*fixture){changed, func(f *fixture) { f.cloud.diags = nil }}, "", 1},
		"the same arguments":                 {[]func(*fixture){func(f *fixture) { f.cloud.diags = wrong; f.restart() }}, "", 1},
		"a Secret that does not exist":       {[]func(*fixture){func(f *fixture) { changed(f); f.remove("out") }}, "It was not read yet.", -1},
		"a Secret that is of another object": {[]func(*fixture){func(f *fixture) { f.disown("out"); denied(f) }}, "It was not read yet.", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := named("a")
			spec["writeConnectionSecretToRef"] = map[string]any{"name": "out"}
			f := newFixture(t, spec)
			f.reconcile()
			for _, change := range test.changes {
				change(f)
				f.reconcile()
			}
			r := managed.CustomResource{Unstructured: *f.object()}
			if diff := cmp.Diff(test.ready, r.GetCondition(xpv2.TypeReady).Message); diff != "" {
				t.Errorf("message of Ready (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.values, f.values("out")); diff != "" {
				t.Errorf("values in the Secret (-want +got):\n%s", diff)
			}
		})
	}
}

// A sensitive value that a later result does not have is removed, which is told once.
func TestSecretWithoutValue(t *testing.T) {
	t.Parallel()
	spec := named("a")
	spec["writeConnectionSecretToRef"] = map[string]any{"name": "out"}
	f := newFixture(t, spec)
	f.reconcile()
	f.cloud.keyless = true
	for range 2 {
		f.restart()
		f.reconcile()
	}
	if n := f.values("out"); n != 0 {
		t.Errorf("the Secret has %d values", n)
	}
	want := []string{"Normal ReadDataSource The data source was read", "Normal ReadDataSource The result has changed: the connection Secret"}
	if diff := cmp.Diff(want, f.recorder.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// values returns the number of values in a Secret; -1 if it does not exist.
func (f *fixture) values(name string) int {
	f.Helper()
	secret := &corev1.Secret{}
	if err := f.client.Get(f.Context(), client.ObjectKey{Namespace: "team", Name: name}, secret); client.IgnoreNotFound(err) != nil {
		f.Fatal(err)
	} else if err != nil {
		return -1
	}
	return len(secret.Data)
}

func (f *fixture) remove(name string) {
	f.Helper()
	if err := f.client.Delete(f.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}); err != nil {
		f.Fatal(err)
	}
}

// disown makes a Secret one of another object.
func (f *fixture) disown(name string) {
	f.Helper()
	secret := &corev1.Secret{}
	if err := f.client.Get(f.Context(), client.ObjectKey{Namespace: "team", Name: name}, secret); err != nil {
		f.Fatal(err)
	}
	secret.OwnerReferences = nil
	if err := f.client.Update(f.Context(), secret); err != nil {
		f.Fatal(err)
	}
}

// A data source waits for the resources that it refers to, and follows them.
func TestReferences(t *testing.T) {
	t.Parallel()
	network := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "team", "name": "n"}}}
	network.SetGroupVersionKind(kschema.GroupVersionKind{Group: "cloud.landbridge.io", Version: "v1alpha1", Kind: "Network"})
	f := newFixture(t, map[string]any{
		"forProvider": map[string]any{},
		"references": []any{map[string]any{"to": "forProvider.name", "from": map[string]any{
			"apiVersion": "cloud.landbridge.io/v1alpha1", "kind": "Network", "name": "n", "fieldPath": "status.atProvider.name",
		}}},
	}, network)
	f.reconcile()
	f.want(state{Ready: "False", Synced: "False", Reason: "ReferenceNotResolved", Observed: 1})
	for i, name := range []string{"a", "b"} {
		_ = unstructured.SetNestedField(network.Object, name, "status", "atProvider", "name")
		if err := f.client.Update(t.Context(), network); err != nil {
			t.Fatal(err)
		}
		f.reconcile()
		f.want(success(1, i+1, 1))
		if got := f.cloud.reads[i].GetAttr("name"); !got.RawEquals(cty.StringVal(name)) {
			t.Errorf("name: %#v", got)
		}
	}
	if _, ok, _ := unstructured.NestedString(f.object().Object, "spec", "forProvider", "name"); ok {
		t.Error("the value of the reference was written to spec")
	}
}

// A reference to a field that the other kind lacks stalls a data source.
func TestReferenceToLackingField(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]any{
		"forProvider": map[string]any{},
		"references": []any{map[string]any{"to": "forProvider.name", "from": map[string]any{
			"apiVersion": "cloud.landbridge.io/v1alpha1", "kind": "Network", "name": "n", "fieldPath": "status.atProvider.lacking",
		}}},
	})
	f.reconcile()
	f.want(state{Ready: "False", Synced: "False", Reason: "ReferenceNotResolved", Observed: 1})
	r := managed.CustomResource{Unstructured: *f.object()}
	if got := r.GetCondition("Stalled"); got.Status != corev1.ConditionTrue || !strings.Contains(got.Message, "there is no field lacking") {
		t.Errorf("Stalled: %v", got)
	}
}

// The fields of a data source are known to those that refer to it.
func TestLacks(t *testing.T) {
	t.Parallel()
	f := newFixture(t, named("a"))
	for path, want := range map[string]bool{
		"status.atProvider.size": false, model.ExternalNamePath: false, "status.atProvider.siez": true,
		"status.atProvider.key": true,
	} {
		if err := f.kind.Lacks(path); (err != nil) != want ||
			err != nil && !strings.Contains(err.Error(), "kubectl explain images.data.cloud.landbridge.io") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
