package managed_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	xpresource "github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpfake "github.com/crossplane/crossplane-runtime/v2/pkg/resource/fake"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// situation is one in which a resource is reconciled once.
type situation struct {
	// resource changes the resource, which is new otherwise, but for its finalizer.
	resource func(u *unstructured.Unstructured)
	// object is what is observed of the remote object; by default it is up to date. unobserved is
	// why nothing is.
	object     scheduler.Observation
	unobserved error
	// refused is why the object is not created, updated or destroyed.
	refused error
	// unwritten and untold are why the API server does not write the resource and its status.
	unwritten, untold error
	// foreign is set if the connection Secret belongs to another resource.
	foreign bool
	// differs makes of what is expected by Crossplane's reconciler what Landbridge does instead.
	differs func(*reconciled)
}

// reconciled is what a reconcile has led to.
type reconciled struct {
	// Ready and Synced are the conditions: their status, reason, message and generation.
	Ready, Synced string
	// Finalizers are those of the resource; "gone" if it does not exist.
	Finalizers []string
	// Events are their types, reasons and messages.
	Events []string
	// Asked is what is asked about the remote object.
	Asked []string
	// Again is when the resource is reconciled again.
	Again string
	// Details is the content of the connection Secret.
	Details map[string]string
	// Handled is the request that is handled.
	Handled string
}

const (
	backsOff, never = "after a growing delay", "never"
	polls           = "when it is polled"
)

// cloud observes and changes the object of a situation.
type cloud struct {
	scheduler.Interface
	s     situation
	asked *[]string
}

func (c cloud) ask(what string, err error) error {
	*c.asked = append(*c.asked, what)
	return err
}

func (c cloud) Observe(context.Context, scheduler.Request) (*scheduler.Observation, error) {
	o := c.s.object
	return &o, c.ask("observe", c.s.unobserved)
}

func (c cloud) Apply(context.Context, scheduler.Request) error { return c.ask("apply", c.s.refused) }

func (c cloud) Delete(context.Context, scheduler.Request) error { return c.ask("delete", c.s.refused) }

func (c cloud) Remembered(scheduler.Request) (scheduler.Remembered, bool) {
	return scheduler.Remembered{Status: c.s.object.Instance.Status}, true
}

func (cloud) Running() int { return 0 }

func (cloud) Mark(scheduler.Request) (m scheduler.Mark, _ bool) { return m, false }

func (cloud) Rest(scheduler.Request) bool { return false }

func (cloud) Retire(context.Context, scheduler.Request) error { return nil }

func (cloud) Forget(context.Context, scheduler.Request) error { return nil }

func (cloud) Gone(store.Key) {}

func (cloud) Reload(store.Key) {}

// settled has no other resources, and knows it.
type settled struct{ alone }

func (s settled) Settled() <-chan struct{} { return s.Claimed() }

// told is a recorder.
type told struct{ events *[]string }

func (r told) WithAnnotations(...string) xpevent.Recorder { return r }

func (r told) Event(_ runtime.Object, e xpevent.Event) {
	*r.events = append(*r.events, string(e.Type)+" "+string(e.Reason)+": "+e.Message)
}

// thing is a managed resource of Crossplane.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   xpv2.ManagedResourceSpec   `json:"spec"`
	Status xpv2.ManagedResourceStatus `json:"status"`
}

func (x *thing) DeepCopyObject() runtime.Object {
	out := &thing{TypeMeta: x.TypeMeta, ObjectMeta: *x.ObjectMeta.DeepCopy(), Status: *x.Status.DeepCopy()}
	out.Spec = *x.Spec.DeepCopy()
	return out
}

func (x *thing) GetCondition(t xpv2.ConditionType) xpv2.Condition { return x.Status.GetCondition(t) }

func (x *thing) SetConditions(c ...xpv2.Condition) { x.Status.SetConditions(c...) }

func (x *thing) GetLastHandledReconcileAt() string { return x.Status.GetLastHandledReconcileAt() }

func (x *thing) SetLastHandledReconcileAt(t string) { x.Status.SetLastHandledReconcileAt(t) }

func (x *thing) GetManagementPolicies() xpv2.ManagementPolicies { return x.Spec.ManagementPolicies }

func (x *thing) SetManagementPolicies(p xpv2.ManagementPolicies) { x.Spec.ManagementPolicies = p }

func (x *thing) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return x.Spec.ProviderConfigReference
}

func (x *thing) SetProviderConfigReference(r *xpv2.ProviderConfigReference) {
	x.Spec.ProviderConfigReference = r
}

func (x *thing) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return x.Spec.WriteConnectionSecretToReference
}

func (x *thing) SetWriteConnectionSecretToReference(r *xpv2.LocalSecretReference) {
	x.Spec.WriteConnectionSecretToReference = r
}

// Connect implements managed.ExternalConnector, as a provider of Crossplane would.
func (c cloud) Connect(context.Context, xpresource.Managed) (xpmanaged.ExternalClient, error) {
	apply := func(ctx context.Context) error { return c.Apply(ctx, scheduler.Request{}) }
	return xpmanaged.ExternalClientFns{
		ObserveFn: func(ctx context.Context, mg xpresource.Managed) (out xpmanaged.ExternalObservation, _ error) {
			o, err := c.Observe(ctx, scheduler.Request{})
			if err != nil {
				return out, err
			}
			ready := xpv2.Available()
			switch {
			case mg.GetDeletionTimestamp() != nil:
				ready = xpv2.Deleting()
			case !o.Exists():
				ready = xpv2.Creating()
			default:
				out.ConnectionDetails = xpmanaged.ConnectionDetails{"attribute.password": []byte("hunter2")}
			}
			mg.SetConditions(ready.WithObservedGeneration(mg.GetGeneration()))
			out.ResourceExists, out.ResourceUpToDate = o.Exists(), o.UpToDate()
			return out, nil
		},
		CreateFn: func(ctx context.Context, _ xpresource.Managed) (out xpmanaged.ExternalCreation, _ error) {
			return out, apply(ctx)
		},
		UpdateFn: func(ctx context.Context, _ xpresource.Managed) (out xpmanaged.ExternalUpdate, _ error) {
			return out, apply(ctx)
		},
		DeleteFn: func(ctx context.Context, _ xpresource.Managed) (out xpmanaged.ExternalDelete, _ error) {
			return out, c.Delete(ctx, scheduler.Request{})
		},
		DisconnectFn: func(context.Context) error { return nil },
	}, nil
}

// api returns an API server with the resource of a situation.
func (s situation) api(u *unstructured.Unstructured, scheme *runtime.Scheme) client.Client {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "other"}}
	if s.foreign {
		secret.Name, secret.OwnerReferences = "details", []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "ConfigMap", Name: "y", UID: "2", Controller: new(true),
		}}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(u).WithObjects(u.DeepCopy(), secret).
		WithInterceptorFuncs(interceptor.Funcs{
			Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
				if s.unwritten != nil {
					return s.unwritten
				}
				return c.Update(ctx, o, opts...)
			},
			SubResourceUpdate: func(
				ctx context.Context, c client.Client, name string, o client.Object,
				opts ...client.SubResourceUpdateOption,
			) error {
				if s.untold != nil {
					return s.untold
				}
				return c.SubResource(name).Update(ctx, o, opts...)
			},
		}).Build()
}

// result returns what a reconcile has led to.
func result(t *testing.T, c client.Client, u *unstructured.Unstructured, again reconcile.Result, err error) (out reconciled) {
	t.Helper()
	switch interval := again.RequeueAfter; {
	case err != nil:
		out.Again = "because of an error: " + err.Error()
	case again.Requeue: //nolint:staticcheck // Crossplane's reconciler uses it
		out.Again = backsOff
	case interval > 54*time.Second && interval < 67*time.Second:
		out.Again = polls
	case interval > 0:
		out.Again = interval.Round(time.Minute).String()
	default:
		out.Again = never
	}
	got := &unstructured.Unstructured{}
	got.SetGroupVersionKind(u.GroupVersionKind())
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), got); kerrors.IsNotFound(err) {
		out.Finalizers = []string{"gone"}
		return out
	} else if err != nil {
		t.Fatal(err)
	}
	out.Finalizers = got.GetFinalizers()
	out.Handled, _, _ = unstructured.NestedString(got.Object, "status", "lastHandledReconcileAt")
	of := managed.ResourceOf(got)
	show := func(kind xpv2.ConditionType) string {
		x := of.GetCondition(kind)
		return strings.TrimSpace(string(x.Status) + " " + string(x.Reason) + " " + x.Message + " " +
			strings.Repeat("I", int(x.ObservedGeneration)))
	}
	out.Ready, out.Synced = show(xpv2.TypeReady), show(xpv2.TypeSynced)
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), types.NamespacedName{Namespace: "team", Name: "details"}, secret); err == nil {
		out.Details = map[string]string{}
		for name, value := range secret.Data {
			out.Details[name] = string(value)
		}
	}
	return out
}

// crossplane reconciles once by Crossplane's reconciler.
func (s situation) crossplane(t *testing.T, k *managed.Kind, u *unstructured.Unstructured) reconciled {
	t.Helper()
	gvk, scheme := u.GroupVersionKind(), runtime.NewScheme()
	scheme.AddKnownTypeWithName(gvk, &thing{})
	metav1.AddToGroupVersion(scheme, gvk.GroupVersion())
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	var asked, events []string
	c := s.api(u, scheme)
	r := xpmanaged.NewReconciler(&xpfake.Manager{Client: c, Scheme: scheme}, xpresource.ManagedKind(gvk),
		xpmanaged.WithManagementPolicies(), xpmanaged.WithDeterministicExternalName(true), xpmanaged.WithInitializers(),
		xpmanaged.WithExternalConnector(cloud{s: s, asked: &asked}), xpmanaged.WithRecorder(told{&events}),
		xpmanaged.WithPollIntervalHook(func(mg xpresource.Managed, _ time.Duration) time.Duration { return managed.Poll(k, mg) }))
	again, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(u)})
	out := result(t, c, u, again, err)
	out.Asked, out.Events = asked, events
	return out
}

// landbridge reconciles once by Landbridge's.
func (s situation) landbridge(t *testing.T, k *managed.Kind, u *unstructured.Unstructured) reconciled {
	t.Helper()
	var asked, events []string
	k.Scheduler, k.Options.Recorder = cloud{s: s, asked: &asked}, told{&events}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := s.api(u, scheme)
	r := managed.NewReconciler(k, c, c)
	r.Use(noQueue{})
	managed.Claim(k)
	again, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(u)})
	out := result(t, c, u, again, err)
	out.Asked, out.Events = asked, events
	return out
}

// What an operation does is told when it has ended, and not when it is requested.
func endsLater(x *reconciled) {
	x.Events = slices.DeleteFunc(slices.Clone(x.Events), func(e string) bool {
		return strings.Contains(e, "Successfully requested ")
	})
	if len(x.Events) == 0 {
		x.Events = nil
	}
}

// begins is a change that ends soon: what it leads to is shown then, and wakes the resource.
func begins(x *reconciled) {
	endsLater(x)
	x.Ready, x.Synced, x.Again = "Unknown", "Unknown", polls
}

// silent is a failure to observe, which is told when it has lasted for some seconds.
func silent(x *reconciled) { x.Events = nil }

// Landbridge's reconciler does in each situation what Crossplane's does for a provider of the same
// objects, but for the differences that are named here.
func TestConformsToCrossplane(t *testing.T) {
	t.Parallel()
	exists := instance.Instance{Status: instance.Full, State: object(map[string]string{"id": "x"})}
	same := scheduler.Observation{Instance: exists, Plan: &terraform.Plan{Action: terraform.NoOp}}
	differs := scheduler.Observation{Instance: exists, Plan: &terraform.Plan{Action: terraform.Update}}
	absent := scheduler.Observation{Plan: &terraform.Plan{Action: terraform.Create}, Unrivalled: true}
	conflict := kerrors.NewConflict(corev1.Resource("things"), "x", errors.New("it was modified"))
	refused := errors.New("the cloud answers 403")
	policies := func(p ...any) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.Object["spec"].(m)["managementPolicies"] = append([]any{}, p...) }
	}
	annotated := func(name, value string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.SetAnnotations(map[string]string{name: value}) }
	}
	deleted := func(others ...string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			at := metav1.NewTime(time.Now().Truncate(time.Second))
			u.SetDeletionTimestamp(&at)
			u.SetFinalizers(append([]string{xpmanaged.FinalizerName}, others...))
		}
	}
	both := func(changes ...func(*unstructured.Unstructured)) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			for _, change := range changes {
				change(u)
			}
		}
	}
	free := func(u *unstructured.Unstructured) { u.SetFinalizers(nil) }
	publishing := func(u *unstructured.Unstructured) {
		u.Object["spec"].(m)["writeConnectionSecretToRef"] = m{"name": "details"}
	}
	for name, s := range map[string]situation{
		"up to date":                      {object: same},
		"an update":                       {object: differs, differs: endsLater},
		"an update that is refused":       {object: differs, refused: refused},
		"an update that is not permitted": {object: differs, resource: policies("Observe", "Create", "Delete")},
		"a create":                        {object: absent, differs: begins},
		"a create that is refused":        {object: absent, refused: refused},
		"a create without a finalizer":    {object: absent, resource: free, differs: begins},
		"a create that is not permitted":  {object: absent, resource: policies("Observe", "Update"), differs: endsLater},
		"a delete that is not permitted, and fails": {
			object: same, resource: both(deleted(), policies("Observe", "Create", "Update")),
			unwritten: refused, differs: plain,
		},
		"only observed":                          {object: same, resource: policies("Observe")},
		"only observed, and different":           {object: differs, resource: policies("Observe")},
		"only observed, and absent":              {object: absent, resource: policies("Observe"), differs: silent},
		"unobserved":                             {unobserved: refused, differs: silent},
		"unobserved because of a conflict":       {unobserved: conflict},
		"paused":                                 {object: same, resource: annotated("crossplane.io/paused", "true")},
		"not paused":                             {object: same, resource: annotated("crossplane.io/paused", "false")},
		"paused by its policies":                 {object: same, resource: policies()},
		"paused while it is deleted":             {object: same, resource: both(deleted(), annotated("crossplane.io/paused", "true"))},
		"unsupported policies":                   {object: same, resource: policies("Create")},
		"a delete":                               {object: same, resource: deleted(), differs: begins},
		"a delete that is refused":               {object: same, resource: deleted(), refused: refused},
		"a delete that is not permitted":         {object: same, resource: both(deleted(), policies("Observe", "Create", "Update"))},
		"a delete of what was only observed":     {object: same, resource: both(deleted(), policies("Observe"))},
		"a delete while others need the object":  {object: same, resource: deleted("example.org/hold")},
		"deleted":                                {object: absent, resource: deleted()},
		"deleted, and cannot be released":        {object: absent, resource: deleted(), unwritten: refused, differs: plain},
		"deleted, and changed meanwhile":         {object: absent, resource: deleted(), unwritten: conflict},
		"deleted while others need the resource": {object: absent, resource: deleted("example.org/hold")},
		"without a finalizer":                    {object: same, resource: free, differs: kept},
		"the finalizer cannot be written":        {object: same, resource: free, unwritten: refused, differs: annotating},
		"the finalizer conflicts":                {object: same, resource: free, unwritten: conflict},
		"the status cannot be written":           {object: same, untold: refused},
		"the status conflicts":                   {object: same, untold: conflict},
		"created a moment ago by another program": {
			object:   absent,
			resource: annotated("crossplane.io/external-create-succeeded", time.Now().Format(time.RFC3339)),
		},
		"created long ago by another program": {
			object: absent, resource: annotated("crossplane.io/external-create-succeeded", "2026-01-02T15:04:05Z"),
			differs: begins,
		},
		"whether it was created is not known": {
			object: absent, resource: annotated("crossplane.io/external-create-pending", "2026-01-02T15:04:05Z"),
			differs: begins,
		},
		"a reconcile is requested": {object: same, resource: annotated("crossplane.io/reconcile-requested-at", "now")},
		"a reconcile is requested, and fails": {
			object: differs, refused: refused, resource: annotated("crossplane.io/reconcile-requested-at", "now"),
		},
		"an interval of its own":                   {object: same, resource: annotated("crossplane.io/poll-interval", "10m")},
		"connection details":                       {object: same, resource: publishing},
		"connection details while it is updated":   {object: differs, resource: publishing, differs: endsLater},
		"connection details of what is absent":     {object: absent, resource: publishing, differs: later},
		"connection details of another resource":   {object: same, resource: publishing, foreign: true},
		"connection details of what it is to lose": {object: same, resource: both(publishing, deleted()), differs: begins},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newAtRest(t, nil).k
			k.Neighbours = settled{alone{graph: &references.Graph{}}}
			k.Options = managed.Options{
				Poll: time.Minute, Jitter: func(limit time.Duration) time.Duration { return limit / 2 }, Workers: 1,
				Timeout: 5 * time.Second, Logger: logr.Discard(),
			}
			u := resourceOf(k)
			u.SetGeneration(3)
			if s.resource != nil {
				s.resource(u)
			}
			if s.object.Instance.Exists() {
				s.object.Instance.State = object(map[string]string{"id": "x", "password": "hunter2", "key": ""})
			}
			want := s.crossplane(t, k, u)
			if s.differs != nil {
				as := want
				s.differs(&want)
				if cmp.Equal(as, want) {
					t.Error("there is no difference")
				}
			}
			if diff := cmp.Diff(want, s.landbridge(t, k, u)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// plain is an error of the API server as it is, without what was tried.
func plain(x *reconciled) { x.Synced = strings.Replace(x.Synced, "cannot update object: ", "", 1) }

// kept is the status, of which Crossplane's reconciler loses what was observed when it writes
// anything else of the resource.
func kept(x *reconciled) { x.Ready = "True Available  III" }

// annotating is the one write of the finalizer, the external name and the identity, which fails
// while the object is observed.
func annotating(x *reconciled) {
	plain(x)
	x.Ready, x.Synced = "Unknown", strings.Replace(x.Synced, "ReconcileError ", "ReconcileError observe failed: ", 1)
}

// later is a create, before which there is nothing to publish, not even an empty Secret.
func later(x *reconciled) {
	begins(x)
	x.Details = nil
}
