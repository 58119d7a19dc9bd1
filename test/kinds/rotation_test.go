package kinds_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
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

// tryRotation has resources of all forms use a token for seconds, which is renewed, opened anew
// when its renewal is refused, and opened anew when it has ended early. The first two interrupt
// nothing.
func (x *cluster) tryRotation(t *testing.T) {
	results.count(t, ephemeral)
	const lifetime = 30 * time.Second // enough for a loaded machine to renew it
	r := &rotation{cluster: x, cloud: examplecloudtest.StartGuarded(t, "planted-root"), namespace: x.Namespace(t)}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: "root"}, Data: map[string][]byte{
			"token": []byte("planted-root"),
		},
	}
	if err := x.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	of := examplecloudtest.Framework5
	x.MustCreate(t, object(group(of)+"/v1alpha1", "ProviderConfig", r.namespace, "root", m{
		"endpoint": r.cloud.URL, "tokenSecretRef": m{"name": "root", "key": "token"},
	}))
	r.token = object("ephemeral."+group(of)+"/v1alpha1", "Token", r.namespace, "short", m{
		"forProvider": m{"name": "short", "lifetime": lifetime.String()}, "writeConnectionSecretToRef": m{"name": "out"},
		"providerConfigRef": m{"kind": "ProviderConfig", "name": "root"},
	})
	for _, form := range examplecloudtest.Forms { // before there is a token
		x.MustCreate(t, object(group(form)+"/v1alpha1", "ProviderConfig", r.namespace, "short", m{
			"endpoint": r.cloud.URL, "tokenSecretRef": m{"name": "out", "key": "attribute.secret"},
		}))
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
	end := r.troubles(t)
	r.tryRenewal(t)
	r.tryRefusal(t)
	if seen := end(); len(seen) > 0 {
		t.Errorf("renewals have interrupted resources:\n%s", strings.Join(seen, "\n"))
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

// troubles has records watched, and returns a function that ends it and returns what has
// interrupted them meanwhile.
func (r *rotation) troubles(t *testing.T) (end func() []string) {
	t.Helper()
	c, err := client.NewWithWatch(r.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	var mu sync.Mutex
	var all sync.WaitGroup
	var watches []watch.Interface
	for _, u := range r.records {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(u.GroupVersionKind())
		w, err := c.Watch(t.Context(), list, client.InNamespace(r.namespace))
		if err != nil {
			t.Fatal(err)
		}
		watches = append(watches, w)
		all.Go(func() {
			for e := range w.ResultChan() {
				u, ok := e.Object.(*unstructured.Unstructured)
				if !ok {
					continue
				}
				if status, reason, message := objecttest.Condition(u, "Synced"); status != "True" {
					mu.Lock()
					seen = append(seen, u.GetName()+": "+status+", "+reason+": "+message)
					mu.Unlock()
				}
			}
		})
	}
	return func() []string {
		for _, w := range watches {
			w.Stop()
		}
		all.Wait()
		return seen
	}
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
