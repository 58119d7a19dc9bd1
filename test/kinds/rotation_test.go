package kinds_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// rotation is a token of one provider that is the credentials of the others, in a cloud that lets
// only owners of tokens in.
type rotation struct {
	*cluster
	cloud     *examplecloudtest.Cloud
	namespace string
	// token is the ephemeral resource, and records are resources that exist by its result.
	token   *unstructured.Unstructured
	records []*unstructured.Unstructured
}

// tryRotation has resources of all forms use a token for seconds, which is renewed, opened anew when
// its renewal is refused, and opened anew when it has ended early. The first two interrupt nothing.
func (x *cluster) tryRotation(t *testing.T) {
	results.count(t, ephemeral)
	const lifetime = 30 * time.Second // enough for a loaded machine to renew it
	r := &rotation{cluster: x, cloud: examplecloudtest.StartGuarded(t, "planted-root"), namespace: x.Namespace(t)}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: "root"}, Data: map[string][]byte{"token": []byte("planted-root")}}
	if err := x.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	of := examplecloudtest.Framework5
	x.MustCreate(t, object(group(of)+"/v1alpha1", "ProviderConfig", r.namespace, "root", m{"endpoint": r.cloud.URL, "tokenSecretRef": m{"name": "root", "key": "token"}}))
	r.token = object("ephemeral."+group(of)+"/v1alpha1", "Token", r.namespace, "short", m{
		"forProvider": m{"name": "short", "lifetime": lifetime.String()}, "writeConnectionSecretToRef": m{"name": "out"},
		"providerConfigRef": m{"kind": "ProviderConfig", "name": "root"},
	})
	for _, form := range examplecloudtest.Forms { // before there is a token
		x.MustCreate(t, object(group(form)+"/v1alpha1", "ProviderConfig", r.namespace, "short", m{"endpoint": r.cloud.URL, "tokenSecretRef": m{"name": "out", "key": "attribute.secret"}}))
		u := object(group(form)+"/v1alpha1", "Record", r.namespace, form, m{
			"forProvider": m{"name": form, "address": "a", "value": "one"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "short"},
		})
		r.records = append(r.records, u)
		x.MustCreate(t, u)
		x.WaitFalse(t, u, "Synced", "ProviderConfigError")
	}
	x.MustCreate(t, r.token)
	for _, u := range r.records {
		x.WaitReady(t, u)
	}
	before := r.seen(t)
	r.tryRenewal(t)
	r.tryRefusal(t)
	if diff := cmp.Diff(before, r.seen(t)); diff != "" {
		t.Errorf("renewals have interrupted resources (-before +after):\n%s", diff)
	}
	r.tryEarlyEnd(t)
	for _, u := range r.records {
		x.Remove(t, u)
	}
	x.nowhere(t, r.token, "planted-root", r.value(t))
	x.Remove(t, r.token)
	if n := len(r.cloud.List(t, "tokens", "name=short")); n != 0 {
		t.Errorf("%d tokens are live after the deletion", n)
	}
}

// value returns the token that the Secret has.
func (r *rotation) value(t *testing.T) string {
	t.Helper()
	return string(r.cluster.token(t, r.namespace).Data["attribute.secret"])
}

// change changes all records, which needs a token that is valid.
func (r *rotation) change(t *testing.T, value string) {
	t.Helper()
	for _, u := range r.records {
		r.MustPatch(t, u, `{"spec":{"forProvider":{"value":"`+value+`"}}}`)
	}
	for _, u := range r.records {
		r.WaitFor(t, u, "changed", func() bool { return text(u, "status", "atProvider", "value") == value })
		r.WaitReady(t, u)
	}
}

// seen returns what would show that records were interrupted: since when Synced is as it is, and
// the warnings.
func (r *rotation) seen(t *testing.T) (out []string) {
	t.Helper()
	for _, u := range r.records {
		r.MustGet(t, u)
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, c := range conditions {
			if c := c.(m); c["type"] == "Synced" {
				out = append(out, u.GetName()+" "+c["status"].(string)+" "+c["lastTransitionTime"].(string))
			}
		}
	}
	events := &eventsv1.EventList{}
	if err := r.List(t.Context(), events, client.InNamespace(r.namespace)); err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		if e.Type == corev1.EventTypeWarning && e.Regarding.Kind == "Record" {
			out = append(out, e.Regarding.Name+" "+e.Reason+" "+e.Note)
		}
	}
	return out
}

// tryRenewal has the token renewed: it stays.
func (r *rotation) tryRenewal(t *testing.T) {
	token, renewAt := r.value(t), text(r.token, "status", "renewAt")
	r.WaitFor(t, r.token, "renewed", func() bool { return text(r.token, "status", "renewAt") > renewAt })
	if r.value(t) != token {
		t.Error("another token is in the Secret")
	}
	r.change(t, "two")
}

// tryRefusal has the renewal refused: another token is opened before the former one has ended, and
// the former one is closed when resources no longer use it.
func (r *rotation) tryRefusal(t *testing.T) {
	former := r.value(t)
	r.cloud.Fault(t, m{"on": "update", "collection": "tokens", "status": 403, "count": 1})
	r.WaitFor(t, r.token, "opened anew", func() bool { return r.value(t) != former })
	for _, o := range r.cloud.List(t, "tokens", "name=short") {
		if at, err := time.Parse(time.RFC3339Nano, o["expires_at"].(string)); o["secret"] == former && (err != nil || time.Now().After(at)) {
			t.Errorf("the former token had expired at %s: %v", at, err)
		}
	}
	r.change(t, "three")
	r.WaitFor(t, r.token, "the only one", func() bool { return len(r.cloud.List(t, "tokens", "name=short")) == 1 })
	for _, u := range r.records {
		r.Reconcile(t, u)
	}
	r.change(t, "four")
}

// tryEarlyEnd has a token end before it says. Resources go on when it is due, and another one is
// opened.
func (r *rotation) tryEarlyEnd(t *testing.T) {
	former := r.value(t)
	r.cloud.Fault(t, m{"on": "update", "collection": "tokens", "expires_after": "1s", "count": 1})
	r.WaitFor(t, r.records[0], "refused", func() bool { return !objecttest.IsTrue(r.records[0], "Synced") })
	r.WaitFor(t, r.token, "opened anew", func() bool { return r.value(t) != former })
	for _, u := range r.records {
		r.WaitReady(t, u)
	}
	r.change(t, "five")
}
