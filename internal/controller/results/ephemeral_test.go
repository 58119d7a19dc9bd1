package results_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	kfake "k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/results"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

const secretPrivate = "planted-private"

// vault is an executor that opens tokens, and a ProviderConfigs that leases it.
type vault struct {
	terraform.Executor
	clock *clocktesting.FakePassiveClock
	// calls are those so far, and live the private bytes of what is open.
	calls []string
	live  map[string]bool
	// life is how long a token lasts; 0 for ever.
	life time.Duration
	// opens, renews and closes are the diagnostics of the calls.
	opens, renews, closes diagnostic.Diagnostics
	refuse                diagnostic.Diagnostics
}

func (v *vault) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	if v.refuse.HasErrors() {
		return providerconfig.Refuse[terraform.Executor]("configuration", v.refuse)
	}
	return providerconfig.Handle[terraform.Executor]{
		Name: "configuration", Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return v, func() {}, nil
		},
	}
}

func (v *vault) Names(*xpv2.ProviderConfigReference, map[string]*xpv2.ProviderConfigReference, string) []string {
	return []string{"configuration"}
}

func (v *vault) renewAt() time.Time {
	if v.life == 0 {
		return time.Time{}
	}
	return v.clock.Now().Add(v.life)
}

func (v *vault) ValidateEphemeral(context.Context, string, cty.Value) diagnostic.Diagnostics {
	return nil
}

func (v *vault) OpenEphemeral(_ context.Context, _ string, c cty.Value) (terraform.Opened, diagnostic.Diagnostics) {
	v.calls = append(v.calls, "open")
	if v.opens.HasErrors() {
		return terraform.Opened{}, v.opens
	}
	private := fmt.Sprintf("%s-%d", secretPrivate, len(v.calls))
	v.live[private] = true
	out := c.AsValueMap()
	out["secret"] = cty.StringVal(fmt.Sprintf("%s-%d", secretResult, len(v.calls)))
	return terraform.Opened{Open: terraform.Open{Private: []byte(private), RenewAt: v.renewAt()}, Result: cty.ObjectVal(out)}, v.opens
}

func (v *vault) RenewEphemeral(_ context.Context, _ string, o terraform.Open) (terraform.Open, diagnostic.Diagnostics) {
	v.calls = append(v.calls, "renew")
	if v.renews.HasErrors() {
		return o, v.renews
	}
	return terraform.Open{Private: o.Private, RenewAt: v.renewAt()}, nil
}

func (v *vault) CloseEphemeral(_ context.Context, _ string, o terraform.Open) diagnostic.Diagnostics {
	v.calls = append(v.calls, "close")
	if !v.closes.HasErrors() {
		delete(v.live, string(o.Private))
	}
	return v.closes
}

// versioned has Secrets with versions, which the fake ones lack.
type versioned struct{ typedcorev1.SecretInterface }

func (v versioned) Create(ctx context.Context, s *corev1.Secret, o metav1.CreateOptions) (*corev1.Secret, error) {
	s.ResourceVersion = "1"
	return v.SecretInterface.Create(ctx, s, o)
}

func (v versioned) Update(ctx context.Context, s *corev1.Secret, o metav1.UpdateOptions) (*corev1.Secret, error) {
	now, err := v.Get(ctx, s.Name, metav1.GetOptions{})
	if err == nil && now.ResourceVersion != s.ResourceVersion {
		return nil, kerrors.NewConflict(corev1.Resource("secrets"), s.Name, nil)
	}
	s.ResourceVersion += "1"
	return v.SecretInterface.Update(ctx, s, o)
}

// opened is a reconciler with one object of a token, team/x.
type opened struct {
	*fixture
	vault  *vault
	stored *kfake.Clientset
}

func newOpened(t *testing.T, others ...client.Object) *opened {
	t.Helper()
	p, err := model.NewProvider("cloud", &schema.Provider{
		Config: &schema.Block{}, EphemeralResources: map[string]*schema.Block{"cloud_token": {Attributes: map[string]*schema.Attribute{
			"name":   {Type: cty.String, Optional: true},
			"secret": {Type: cty.String, Computed: true}, // not marked as sensitive
		}}},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	now := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	o := &opened{vault: &vault{clock: now, live: map[string]bool{}, life: time.Minute}, stored: kfake.NewClientset()}
	o.fixture = &fixture{T: t, recorder: &recorder{}, others: &neighbours{}, cloud: &cloud{}}
	o.kind = &results.Kind{
		Kind: unmanaged.Kind{
			Model: p.EphemeralResources["cloud_token"], ProviderConfigs: o.vault, Neighbours: o.others, Clock: now,
			Options: managed.Options{
				Workers: 1, Timeout: time.Minute, MinBackoff: time.Millisecond, MaxBackoff: time.Second,
				Recorder: o.recorder, Logger: logr.Discard(),
			},
		},
		Claimed: o.others.Claimed, HashKey: []byte("key"), Leases: results.Leases{Client: versioned{o.stored.CoreV1().Secrets("system")}},
	}
	spec := named("a")
	spec["writeConnectionSecretToRef"] = map[string]any{"name": "out"}
	u := &unstructured.Unstructured{Object: map[string]any{
		"spec": spec, "status": map[string]any{"observedGeneration": int64(-1)},
		"metadata": map[string]any{"namespace": "team", "name": "x", "uid": "1", "generation": int64(1)},
	}}
	u.SetGroupVersionKind(o.kind.Model.GroupVersionKind())
	o.client = fake.NewClientBuilder().WithScheme(core(t)).WithStatusSubresource(u).WithObjects(append(others, u)...).Build()
	o.restart()
	return o
}

// pass has time pass, and reconciles.
func (o *opened) pass(d time.Duration) {
	o.vault.clock.SetTime(o.vault.clock.Now().Add(d))
	o.reconcile()
}

func (o *opened) delete() {
	o.Helper()
	if err := o.client.Delete(o.Context(), o.object()); err != nil {
		o.Fatal(err)
	}
}

func (o *opened) exists() bool {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(o.kind.Model.GroupVersionKind())
	return o.client.Get(o.Context(), client.ObjectKey{Namespace: "team", Name: "x"}, u) == nil
}

func (o *opened) secret() *corev1.Secret {
	o.Helper()
	out := &corev1.Secret{}
	if err := o.client.Get(o.Context(), client.ObjectKey{Namespace: "team", Name: "out"}, out); client.IgnoreNotFound(err) != nil {
		o.Fatal(err)
	}
	return out
}

func (o *opened) leases() int {
	o.Helper()
	all, err := o.stored.CoreV1().Secrets("system").List(o.Context(), metav1.ListOptions{})
	if err != nil {
		o.Fatal(err)
	}
	return len(all.Items)
}

// told are the reasons of the events.
func (o *opened) told() (out []string) {
	for _, e := range o.recorder.events {
		out = append(out, strings.Fields(e)[1])
	}
	return out
}

func TestEphemeral(t *testing.T) {
	t.Parallel()
	wrong := diagnostic.Errorf("Refused", "Not now.")
	type want struct {
		Calls  []string
		Live   int
		Reason string
		Ready  string
		Events []string
	}
	const success = "ReconcileSuccess"
	for name, test := range map[string]struct {
		do   func(o *opened)
		want want
	}{
		"it is opened, and stays open": {
			func(o *opened) { o.pass(10 * time.Second) }, want{
				[]string{"open"}, 1, success, "True", []string{"OpenedEphemeralResource"},
			},
		},
		"it is renewed before it ends": {
			func(o *opened) { o.pass(54 * time.Second) },
			want{[]string{"open", "renew"}, 1, success, "True", []string{"OpenedEphemeralResource"}},
		},
		"one without an end is never renewed": {func(o *opened) {
			o.vault.life = 0
			o.respecify("b", "forProvider", "name")
			o.reconcile()
			o.pass(time.Hour)
		}, want{
			[]string{"open", "open", "close"}, 1, success, "True",
			[]string{"OpenedEphemeralResource", "OpenedEphemeralResource", "ClosedEphemeralResource"},
		}},
		"another process renews what it finds": {
			func(o *opened) { o.restart(); o.pass(54 * time.Second) },
			want{[]string{"open", "renew"}, 1, success, "True", []string{"OpenedEphemeralResource"}},
		},
		"what cannot be renewed is opened anew": {
			func(o *opened) { o.vault.renews = wrong; o.pass(54 * time.Second) },
			want{
				[]string{"open", "renew", "open"}, 2, success, "True",
				[]string{"OpenedEphemeralResource", "CannotRenewEphemeralResource", "OpenedEphemeralResource"},
			},
		},
		"and the former is closed when it ends": {func(o *opened) {
			o.vault.renews = wrong
			o.pass(54 * time.Second)
			o.vault.renews = nil
			o.pass(7 * time.Second)
		}, want{
			[]string{"open", "renew", "open", "close"}, 1, success, "True",
			[]string{
				"OpenedEphemeralResource", "CannotRenewEphemeralResource", "OpenedEphemeralResource",
				"ClosedEphemeralResource",
			},
		}},
		"other arguments": {
			func(o *opened) { o.respecify("b", "forProvider", "name"); o.reconcile() },
			want{
				[]string{"open", "open"}, 2, success, "True", []string{
					"OpenedEphemeralResource", "OpenedEphemeralResource",
				},
			},
		},
		"other arguments that are refused, and taken back": {func(o *opened) {
			o.vault.opens = wrong
			o.respecify("b", "forProvider", "name")
			o.reconcile()
			o.respecify("a", "forProvider", "name")
			o.reconcile()
		}, want{[]string{"open", "open"}, 1, success, "True", []string{"OpenedEphemeralResource", "CannotOpenEphemeralResource"}}},
		"a request": {func(o *opened) {
			o.change(func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{"landbridge.io/reconcile-requested-at": "now"})
			})
			o.reconcile()
			o.reconcile()
		}, want{[]string{"open", "open"}, 2, success, "True", []string{"OpenedEphemeralResource", "OpenedEphemeralResource"}}},
		"a request that is refused at first": {func(o *opened) {
			o.vault.opens = wrong
			o.change(func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{"landbridge.io/reconcile-requested-at": "now"})
			})
			o.reconcile()
			o.vault.opens = nil
			o.pass(time.Second)
		}, want{
			[]string{"open", "open", "open"}, 2, success, "True",
			[]string{"OpenedEphemeralResource", "CannotOpenEphemeralResource", "OpenedEphemeralResource"},
		}},
		"a Secret that was deleted": {func(o *opened) {
			if err := o.client.Delete(o.Context(), o.secret()); err != nil {
				o.Fatal(err)
			}
			o.reconcile()
		}, want{[]string{"open", "open"}, 2, success, "True", []string{"OpenedEphemeralResource", "OpenedEphemeralResource"}}},
		"other arguments that are refused": {
			func(o *opened) { o.vault.opens = wrong; o.respecify("b", "forProvider", "name"); o.reconcile() },
			want{
				[]string{"open", "open"}, 1, "OpenFailed", "False", []string{
					"OpenedEphemeralResource", "CannotOpenEphemeralResource",
				},
			},
		},
		"it is renewed while its arguments are missing": {func(o *opened) {
			o.respecify([]any{map[string]any{
				"to": "forProvider.name", "from": map[string]any{
					"apiVersion": "cloud.landbridge.io/v1alpha1", "kind": "Network", "name": "n",
					"fieldPath": "status.x",
				},
			}}, "references")
			o.respecify(map[string]any{}, "forProvider")
			o.pass(54 * time.Second)
		}, want{
			[]string{"open", "renew"}, 1, "ReferenceNotResolved", "False", []string{
				"OpenedEphemeralResource", "CannotOpenEphemeralResource",
			},
		}},
		"a configuration that cannot be used": {func(o *opened) {
			o.vault.refuse = wrong
			o.pass(54 * time.Second)
			o.vault.refuse = nil
			o.pass(time.Second)
		}, want{[]string{"open", "renew"}, 1, success, "True", []string{"OpenedEphemeralResource", "CannotOpenEphemeralResource"}}},
		"it is closed at deletion": {
			func(o *opened) { o.delete(); o.reconcile() },
			want{
				Calls: []string{"open", "close"}, Events: []string{
					"OpenedEphemeralResource", "ClosedEphemeralResource",
				},
			},
		},
		"a close that fails is repeated": {func(o *opened) {
			o.vault.closes = wrong
			o.delete()
			o.reconcile()
			if !o.exists() {
				o.Error("the object is gone before what is open was closed")
			}
			o.vault.closes = nil
			o.pass(time.Minute)
		}, want{
			Calls:  []string{"open", "close", "close"},
			Events: []string{"OpenedEphemeralResource", "CannotCloseEphemeralResource", "ClosedEphemeralResource"},
		}},
		"what has ended needs no close": {func(o *opened) {
			o.vault.closes = wrong
			o.delete()
			for range 6 {
				o.pass(2 * time.Minute)
			}
		}, want{
			Calls: []string{"open", "close", "close", "close", "close", "close"}, Live: 1,
			Events: []string{"OpenedEphemeralResource", "CannotCloseEphemeralResource", "CannotCloseEphemeralResource"},
		}},
		"nothing happens while it is paused": {func(o *opened) {
			o.change(func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
			})
			o.pass(54 * time.Second)
		}, want{[]string{"open"}, 1, "ReconcilePaused", "True", []string{"OpenedEphemeralResource", "ReconciliationPaused"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOpened(t)
			o.reconcile()
			test.do(o)
			got := want{Calls: o.vault.calls, Live: len(o.vault.live), Events: o.told()}
			if o.exists() {
				r := managed.CustomResource{Unstructured: *o.object()}
				got.Reason, got.Ready = string(r.GetCondition(xpv2.TypeSynced).Reason), string(r.GetCondition(xpv2.TypeReady).Status)
			} else if n := o.leases(); n != 0 {
				t.Errorf("%d Secrets are left of an object that is gone", n)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, o.recorder.events)
			}
		})
	}
}

// The result is in the Secret that is named, the private bytes are in Landbridge's own, and both
// are nowhere else. Both have when it ends.
func TestEphemeralSecrets(t *testing.T) {
	t.Parallel()
	o := newOpened(t)
	o.vault.opens = diagnostic.Warningf("Warned", "about %s-1", secretResult)
	o.reconcile()
	for _, after := range []time.Duration{0, 54 * time.Second} {
		o.pass(after)
		end := o.vault.clock.Now().Add(time.Minute).Format(time.RFC3339)
		out := o.secret()
		if diff := cmp.Diff(map[string]string{"attribute.name": "a", "attribute.secret": secretResult + "-1"}, texts(out.Data)); diff != "" {
			t.Errorf("Secret (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(end, out.Annotations["landbridge.io/renew-at"]); diff != "" {
			t.Errorf("annotation (-want +got):\n%s", diff)
		}
		u := o.object()
		at, _, _ := unstructured.NestedString(u.Object, "status", "renewAt")
		if diff := cmp.Diff(end, at); diff != "" {
			t.Errorf("status.renewAt (-want +got):\n%s", diff)
		}
		raw, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		for _, planted := range []string{secretResult, secretPrivate} {
			if text := string(raw) + fmt.Sprint(o.recorder.events); strings.Contains(text, planted) {
				t.Errorf("%s is shown: %s", planted, text)
			}
		}
		if n := o.leases(); n != 1 {
			t.Errorf("%d Secrets with private bytes", n)
		}
	}
}

func texts(data map[string][]byte) map[string]string {
	out := map[string]string{}
	for k, v := range data {
		out[k] = string(v)
	}
	return out
}

// Nothing is opened whose result could not be written, and what was opened nevertheless is closed.
func TestEphemeralUnwritten(t *testing.T) {
	t.Parallel()
	t.Run("a Secret of another object", func(t *testing.T) {
		t.Parallel()
		o := newOpened(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "out"}, Type: corev1.SecretTypeOpaque})
		o.reconcile()
		r := managed.CustomResource{Unstructured: *o.object()}
		if got := string(r.GetCondition(xpv2.TypeSynced).Reason); len(o.vault.calls) != 0 || got != "InvalidConfiguration" {
			t.Errorf("calls: %v, reason %s", o.vault.calls, got)
		}
	})
	t.Run("private bytes that cannot be stored", func(t *testing.T) {
		t.Parallel()
		o := newOpened(t)
		o.kind.Leases.Client = &unwritable{SecretInterface: o.kind.Leases.Client, err: kerrors.NewForbidden(corev1.Resource("secrets"), "x", nil)}
		o.restart()
		if err := o.try(); err == nil || len(o.vault.live) != 0 || len(o.secret().Data) != 0 {
			t.Errorf("%v; open: %v", err, o.vault.live)
		}
	})
	for name, test := range map[string]struct{ stored bool }{"not stored": {}, "stored without an answer": {stored: true}} {
		t.Run("private bytes that are "+name, func(t *testing.T) {
			t.Parallel()
			o := newOpened(t)
			o.kind.Leases.Client = &unwritable{SecretInterface: o.kind.Leases.Client, err: kerrors.NewTimeoutError("lost", 1), stored: test.stored}
			o.restart()
			if err := o.try(); err == nil || len(o.vault.live) != 1 || len(o.secret().Data) != 0 {
				t.Errorf("%v; open: %v, shown: %d", err, o.vault.live, len(o.secret().Data))
			}
			o.reconcile()
			if got := fmt.Sprint(o.vault.calls); got != "[open]" || len(o.secret().Data) == 0 || o.leases() != 1 {
				t.Errorf("calls: %s, shown: %d, stored: %d", got, len(o.secret().Data), o.leases())
			}
			o.delete()
			if o.reconcile(); o.exists() || len(o.vault.live) != 0 {
				t.Errorf("open after the deletion: %v", o.vault.live)
			}
		})
	}
}

func (o *opened) try() error {
	_, err := o.r.Reconcile(o.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}})
	return err
}

// A result whose Secret was written without an answer is in use: it is not closed.
func TestEphemeralShownWithoutAnswer(t *testing.T) {
	t.Parallel()
	for name, written := range map[string]bool{"not written": false, "written": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOpened(t)
			lost := false
			o.client = interceptor.NewClient(o.client, interceptor.Funcs{
				Create: func(
					ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption,
				) error {
					if lost {
						return c.Create(ctx, obj, opts...)
					}
					lost = true
					if written {
						if err := c.Create(ctx, obj, opts...); err != nil {
							return err
						}
					}
					return kerrors.NewTimeoutError("lost", 1)
				},
			})
			o.restart()
			if err := o.try(); err == nil {
				t.Error("there is no error")
			}
			o.reconcile()
			if got := fmt.Sprint(o.vault.calls); got != "[open]" || len(o.secret().Data) == 0 {
				t.Errorf("calls: %s, shown: %d", got, len(o.secret().Data))
			}
		})
	}
}

// unwritable has a Secret that cannot be created the first time, or is without an answer.
type unwritable struct {
	typedcorev1.SecretInterface
	err    error
	stored bool
	tried  bool
}

func (u *unwritable) Create(ctx context.Context, s *corev1.Secret, o metav1.CreateOptions) (*corev1.Secret, error) {
	if u.tried {
		return u.SecretInterface.Create(ctx, s, o)
	}
	u.tried = true
	if u.stored {
		if _, err := u.SecretInterface.Create(ctx, s, o); err != nil {
			return nil, err
		}
	}
	return nil, u.err
}
