package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// told returns a status without its times.
func told(u *unstructured.Unstructured) m {
	out := m{}
	for _, name := range []string{"atProvider", "identity", "state", "observedGeneration"} {
		if v, ok, _ := unstructured.NestedFieldCopy(u.Object, "status", name); ok {
			out[name] = v
		}
	}
	all, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range all {
		c := c.(m)
		if c["type"] != "LastAsyncOperation" { // kept only in the controller's memory
			out[fmt.Sprint(c["type"])] = fmt.Sprint(c["status"], c["reason"], c["message"])
		}
	}
	return out
}

// The status is computed from the stored state and the observed object only.
func TestLostStatus(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "lostatus")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	all := []*unstructured.Unstructured{d.thing(ns, "thing", m{"value": "a"}), d.place(ns, "place", m{"value": "a"})}
	for _, r := range all {
		c.MustCreate(t, r)
		c.WaitReady(t, r)
	}
	changes := d.Changes()
	for _, r := range all {
		before := told(r)
		if err := c.Status().Patch(t.Context(), r, client.RawPatch("application/merge-patch+json", []byte(`{"status":null}`))); err != nil {
			t.Fatal(err)
		}
		if !crd.Unobserved(r) {
			t.Fatalf("the status is still there: %v", r.Object["status"])
		}
		c.WaitReady(t, r)
		if diff := cmp.Diff(before, told(r)); diff != "" {
			t.Errorf("%s has another status (-before +after):\n%s", r.GetName(), diff)
		}
	}
	if n := d.Changes() - changes; n != 0 {
		t.Errorf("%d changes of remote objects", n)
	}
}

// The stored state of an object is lost while a controller works with it.
func TestLostState(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "lostate")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	for _, r := range []*unstructured.Unstructured{d.thing(ns, "thing", m{"value": "a"}), d.place(ns, "place", m{"value": "a"})} {
		name := r.GetName()
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		c.WaitFor(t, r, "known by its annotation", func() bool { return r.GetAnnotations()["crossplane.io/external-name"] != "" })
		stored := func() *corev1.Secret {
			for _, s := range c.stored(t, ns) {
				if s.Annotations["landbridge.io/owner"] == ns+"/"+name {
					return &s
				}
			}
			return nil
		}
		before, _ := d.Object(name, name)
		if err := c.Delete(t.Context(), stored()); err != nil {
			t.Fatal(err)
		}
		c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
		c.has(t, d, name, name, "value", "b")
		c.WaitReady(t, r)
		if after, _ := d.Object(name, name); after.Attributes["id"] != before.Attributes["id"] {
			t.Errorf("%s: another object took its place", name)
		}
		if stored() == nil {
			t.Errorf("%s: nothing is stored", name)
		}
		if creates, updates := d.Calls("create "+name), d.Calls("update "+name); creates != 1 || updates != 1 {
			t.Errorf("%s: %d creates, %d updates", name, creates, updates)
		}
		c.Remove(t, r)
		if _, ok := d.Object(name, name); ok {
			t.Errorf("%s: the object is left", name)
		}
	}
}

// Other clients constantly write to the resource, and sometimes to its stored state.
func TestConflicts(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "conflicts")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	r := d.thing(ns, "thing", m{"value": "0"})
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	note := func(n int) client.Patch {
		return client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"annotations":{"example.org/n":"%d"}}}`, n))
	}
	go func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			_ = c.Patch(ctx, d.thing(ns, "thing", nil), note(n))
			time.Sleep(10 * time.Millisecond)
		}
		done <- n
	}()
	for i := range 10 {
		for _, s := range c.stored(t, ns) {
			if err := c.Patch(t.Context(), &s, note(i)); err != nil {
				t.Fatal(err)
			}
		}
		c.MustPatch(t, r, fmt.Sprintf(`{"spec":{"forProvider":{"value":"%d"}}}`, i))
		c.has(t, d, "thing", "thing", "value", fmt.Sprint(i))
	}
	cancel()
	t.Logf("%d writes by others", <-done)
	c.WaitReady(t, r)
	if creates, updates := d.Calls("create"), d.Calls("update"); creates != 1 || updates != 9 {
		t.Errorf("%d creates, %d updates", creates, updates)
	}
	for _, e := range c.events(t, r) {
		if strings.Contains(e, "could not be recorded") {
			t.Errorf("writes of others to the Secret make an operation fail: %s", e)
		}
	}
	for _, s := range c.stored(t, ns) {
		if s.Annotations["example.org/n"] != "9" {
			t.Errorf("the annotations of others on the Secret are gone: %v", s.Annotations)
		}
	}
	c.Remove(t, r)
	if _, ok := d.Object("thing", "thing"); ok {
		t.Error("the object is left")
	}
}

// Deleting a CRD deletes its resources, each as if it were deleted individually. While the type is
// activated, the CRD is created again without them.
func TestDeletedCRD(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "deletedcrd")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	r, kept, other := d.thing(ns, "thing", nil), d.thing(ns, "kept", nil), d.place(ns, "place", nil)
	set(t, kept, []any{"Observe", "Create", "Update"}, "spec", "managementPolicies")
	for _, u := range []*unstructured.Unstructured{r, kept, other} {
		c.MustCreate(t, u)
		c.WaitReady(t, u)
	}
	crd := c.crd(t.Context(), "things.deletedcrd.landbridge.io")
	if crd == nil {
		t.Fatal("there is no CRD")
	}
	if err := c.Delete(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the CRD is another", func(ctx context.Context) bool {
		now := c.crd(ctx, crd.GetName())
		return now != nil && now.GetUID() != crd.GetUID()
	})
	if _, ok := d.Object("thing", "thing"); ok {
		t.Error("the remote object of a deleted resource is left")
	}
	if _, ok := d.Object("thing", "kept"); !ok {
		t.Error("an orphaned remote object was deleted")
	}
	if left := c.stored(t, ns); len(left) != 1 || left[0].Annotations["landbridge.io/owner"] != ns+"/place" {
		t.Errorf("what is stored: %d", len(left))
	}
	c.WaitReady(t, other)
	again := d.thing(ns, "thing", m{"value": "again"})
	c.MustCreate(t, again)
	c.WaitReady(t, again)
	c.MustPatch(t, again, `{"spec":{"forProvider":{"value":"changed"}}}`)
	c.has(t, d, "thing", "thing", "value", "changed")
	if n := d.Calls("create thing thing"); n != 2 {
		t.Errorf("%d creates", n)
	}
}

// A deleted namespace loses its Secrets at once, including the credentials needed to delete its
// remote objects, and the inputs of its resources.
func TestDeletedNamespace(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "deletedns", "TESTPROVIDER_CONFIGURATION=yes")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	c.secret(t, ns, "secrets", map[string]string{"token": "the token", "password": "the password"})
	c.MustCreate(t, resource(d.APIVersion(), "ProviderConfig", ns, "own", m{"tokenSecretRef": m{"name": "secrets", "key": "token"}}))
	var all []*unstructured.Unstructured
	for i := range 5 {
		r := d.thing(ns, fmt.Sprint("thing", i), m{"passwordSecretRef": m{"name": "secrets", "key": "password"}})
		r.Object["spec"].(m)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": "own"}
		r.Object["spec"].(m)["writeConnectionSecretToRef"] = m{"name": fmt.Sprint("details", i)}
		c.MustCreate(t, r)
		all = append(all, r)
	}
	for _, r := range all {
		c.WaitReady(t, r)
	}
	// One update is running, and takes longer than the namespace's Secrets exist.
	d.Order(t, "thing0", "slow 4s")
	c.MustPatch(t, all[0], `{"spec":{"forProvider":{"value":"changed"}}}`)
	eventually(t, "the change is begun", func(context.Context) bool { return d.CarriedOut("thing0") })
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}
	if err := c.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace is gone", func(ctx context.Context) bool {
		return kerrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(namespace), namespace))
	})
	for i := range 5 {
		if _, ok := d.Object("thing", fmt.Sprint("thing", i)); ok {
			t.Errorf("the remote object of thing%d is left", i)
		}
	}
	if n := d.Calls("delete"); n != 5 {
		t.Errorf("%d deletes", n)
	}
	if left := c.stored(t, ns); len(left) != 0 {
		t.Errorf("%d are stored", len(left))
	}
}

// Credentials that are deleted too early are reported. Deletions use the last known credentials, or
// wait for new ones.
func TestDeletedCredentials(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(directory(t))
	stop := c.RunController(t, o)
	d := newDouble(t, "credentials", "TESTPROVIDER_CONFIGURATION=yes")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	token := map[string]string{"token": "the token"}
	s := c.secret(t, ns, "credentials", token)
	pc := resource(d.APIVersion(), "ProviderConfig", ns, "own", m{"tokenSecretRef": m{"name": "credentials", "key": "token"}})
	c.MustCreate(t, pc)
	thing := func(name string) *unstructured.Unstructured {
		r := d.thing(ns, name, nil)
		r.Object["spec"].(m)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": "own"}
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		return r
	}
	first, second, third, stays := thing("first"), thing("second"), thing("third"), thing("stays")
	if err := c.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	// Resources that stay are not reconciled with deleted credentials.
	c.WaitFalse(t, stays, "Synced", "ProviderConfigError", "there is no Secret credentials in namespace "+ns, "tokenSecretRef")
	reads := d.Calls("read thing stays")
	c.Remove(t, first)
	if _, ok := d.Object("thing", "first"); ok {
		t.Error("the remote object is left")
	}
	never(t, 2*poll, "what stays is read all the same", func() bool { return d.Calls("read thing stays") > reads })

	// A new process does not have the credentials, but still keeps the configuration.
	if err := c.Delete(t.Context(), pc); err != nil {
		t.Fatal(err)
	}
	stop()
	c.RunController(t, o)
	for _, r := range []*unstructured.Unstructured{second, third} {
		if err := c.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		c.WaitFalse(t, r, "Synced", "ProviderUnavailable", "there is no Secret credentials")
		if _, ok := d.Object("thing", r.GetName()); !ok {
			t.Errorf("the remote object of %s is gone", r.GetName())
		}
	}
	if err := c.Get(t.Context(), key(pc), pc); err != nil {
		t.Fatalf("the configuration is gone: %v", err)
	}
	// One remedy is another configuration.
	c.secret(t, ns, "others", map[string]string{"token": "another token"})
	c.MustCreate(t, resource(d.APIVersion(), "ClusterProviderConfig", "", "default", m{
		"tokenSecretRef": m{"name": "others", "namespace": ns, "key": "token"},
	}))
	c.MustPatch(t, second, `{"spec":{"providerConfigRef":{"kind":"ClusterProviderConfig","name":"default"}}}`)
	c.WaitFalse(t, second, "Synced", "AccountChanged", `landbridge.io/confirm-account to "default"`)
	c.MustPatch(t, second, `{"metadata":{"annotations":{"landbridge.io/confirm-account":"default"}}}`)
	c.WaitGone(t, second)
	// The other is to create the Secret again.
	c.secret(t, ns, "credentials", token)
	c.WaitGone(t, third)
	c.WaitReady(t, stays)
	c.Remove(t, stays)
	c.WaitGone(t, pc)
	for _, name := range []string{"first", "second", "third", "stays"} {
		if _, ok := d.Object("thing", name); ok || d.Calls("create thing "+name) != 1 || d.Calls("delete thing "+name) != 1 {
			t.Errorf("%s: left %v, %d creates, %d deletes", name, ok, d.Calls("create thing "+name), d.Calls("delete thing "+name))
		}
	}
	if strings.Contains(content(c.Log), "the token") {
		t.Error("the log shows the token")
	}
}

// A changed Secret of a provider configuration is used long before the next poll.
func TestChangedCredentials(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(directory(t))
	o.Poll = time.Hour
	c.RunController(t, o)
	d := newDouble(t, "rotated", "TESTPROVIDER_CONFIGURATION=yes")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	s := c.secret(t, ns, "credentials", map[string]string{"token": "the first"})
	c.MustCreate(t, resource(d.APIVersion(), "ProviderConfig", ns, "own", m{"tokenSecretRef": m{"name": "credentials", "key": "token"}}))
	r := d.thing(ns, "thing", m{"value": "a"})
	r.Object["spec"].(m)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": "own"}
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	for _, token := range []string{"the second", "the third"} {
		s.StringData = map[string]string{"token": token}
		if err := c.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the provider gets "+token, func(context.Context) bool { return d.Calls("configure with "+token) > 0 })
	}
}
