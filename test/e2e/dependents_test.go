package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// The replacement of an object holds what refers to it: that is not touched before the new object
// is there, and then has its values.
func TestDependentsOfAReplacement(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "dependents")
	thing := func(t *testing.T, name string, lifecycle m) *unstructured.Unstructured {
		u := w.of("Thing", name, m{"forProvider": m{"name": name, "region": "eu-central-1"}, "lifecycle": lifecycle})
		w.MustCreate(t, u)
		w.WaitReady(t, u)
		return u
	}
	from := func(name string) m { return m{"kind": "Thing", "name": name, "fieldPath": "status.atProvider.id"} }
	// Shapes can be changed in place.
	shapes := func(t *testing.T, name, of string) *unstructured.Unstructured {
		u := w.of("Shapes", name, m{"forProvider": m{"name": name}, "references": []any{m{"to": "forProvider.stringsList[0]", "from": from(of)}}})
		w.MustCreate(t, u)
		w.WaitReady(t, u)
		return u
	}
	// A datastore must be replaced with its cluster.
	datastore := func(t *testing.T, name, of string) *unstructured.Unstructured {
		u := w.of("Datastore", name, m{
			"forProvider": m{"clusterInfo": m{"id": "c", "name": "n"}, "name": name},
			"references":  []any{m{"to": "forProvider.hciClusterUuid", "from": from(of), "policy": m{"resolve": "IfNotPresent"}}},
		})
		w.MustCreate(t, u)
		w.WaitReady(t, u)
		return u
	}
	id := func(u *unstructured.Unstructured) string { return text(u, "status", "atProvider", "id") }
	first := func(u *unstructured.Unstructured) string {
		list, _, _ := unstructured.NestedStringSlice(u.Object, "status", "atProvider", "stringsList")
		return strings.Join(list, ",")
	}
	// happened returns what the cloud did to the objects of the names, in order, but for their
	// first creates.
	happened := func(t *testing.T, names ...string) []string {
		var out []string
		for _, e := range w.cloud.Events(t) {
			what, key, _ := strings.Cut(e, " ")
			name := key[strings.LastIndex(key, "/")+1:]
			if !slices.Contains(names, name) || !slices.Contains([]string{"creates", "updates", "deletes"}, what) {
				continue
			}
			out = append(out, what+" "+name)
		}
		return out[len(names):]
	}
	over := func(u *unstructured.Unstructured) bool {
		_, awaits, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "awaitedReplacements")
		_, replaces, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "replacement")
		return !awaits && !replaces
	}

	t.Run("changed in place", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "a", nil)
		d := shapes(t, "a-shapes", "a")
		before := id(x)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return first(d) == id(x) && over(d) })
		w.WaitReady(t, d)
		if diff := cmp.Diff([]string{"deletes a", "creates a", "updates a-shapes"}, happened(t, "a", "a-shapes")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("replaced, too", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "b", nil)
		d := datastore(t, "b-store", "b")
		before := id(x)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		w.WaitFalse(t, x, "Synced", "AwaitingApproval", "together with Datastore b-store, waits for approval")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "b", "b-store")) > 0 })
		// Meanwhile the dependent is not held.
		w.MustPatch(t, d, `{"spec":{"forProvider":{"capacityGib":30}}}`)
		w.WaitFor(t, d, "changed", func() bool { return w.cloud.Happened(t, "updates", "b-store") == 1 })
		w.MustPatch(t, x, `{"spec":{"lifecycle":{"replaceDependents":"Automatic"}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return text(d, "status", "atProvider", "hciClusterUuid") == id(x) && over(d) })
		w.WaitReady(t, d)
		want := []string{"updates b-store", "deletes b-store", "deletes b", "creates b", "creates b-store"}
		if diff := cmp.Diff(want, happened(t, "b", "b-store")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("approved", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "g", nil)
		d := datastore(t, "g-store", "g")
		// It refers to what must be replaced with the thing.
		s := w.of("Shapes", "g-shapes", m{
			"forProvider": m{"name": "g-shapes"},
			"references": []any{m{
				"to":   "forProvider.stringsList[0]",
				"from": m{"kind": "Datastore", "name": "g-store", "fieldPath": "status.atProvider.id"},
			}},
		})
		w.MustCreate(t, s)
		w.WaitReady(t, s)
		before := id(x)
		hash := func(t *testing.T, without, message string) string {
			var out string
			w.WaitFor(t, x, message, func() bool {
				out = text(x, "status", "plan", "hash")
				_, _, said := condition(x, "Approved")
				return out != "" && out != without && strings.Contains(said, out) && strings.Contains(said, message)
			})
			return out
		}
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		one := hash(t, "", "together with Datastore g-store, waits")
		// With another dependent, the plan is another one.
		datastore(t, "g-late", "g")
		two := hash(t, one, "Datastore g-late")
		w.MustPatch(t, x, `{"metadata":{"annotations":{"landbridge.io/approve":"`+one+`"}}}`)
		w.WaitFalse(t, x, "Approved", "PlanChanged", two)
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "g", "g-store", "g-late", "g-shapes")) > 0 })
		w.MustPatch(t, x, `{"metadata":{"annotations":{"landbridge.io/approve":"`+two+`"}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return text(d, "status", "atProvider", "hciClusterUuid") == id(x) && over(d) })
		w.WaitFor(t, s, "of the new object", func() bool { return id(d) != "" && first(s) == id(d) && over(s) })
		want := []string{"deletes g-store", "deletes g", "creates g", "creates g-store", "updates g-shapes"}
		got := slices.DeleteFunc(happened(t, "g", "g-store", "g-late", "g-shapes"), func(e string) bool { return strings.HasSuffix(e, "g-late") })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("with what refers to a dependent", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "h", nil)
		d := datastore(t, "h-store", "h")
		e := w.of("Datastore", "h-inner", m{
			"forProvider": m{"clusterInfo": m{"id": "c", "name": "n"}, "name": "h-inner"},
			"references": []any{m{
				"to":   "forProvider.hciClusterUuid",
				"from": m{"kind": "Datastore", "name": "h-store", "fieldPath": "status.atProvider.id"},
			}},
		})
		w.MustCreate(t, e)
		w.WaitReady(t, e)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"},"lifecycle":{"replaceDependents":"Automatic"}}}`)
		// The thing consents to the replacement of the datastore, which does not to that of the
		// inner one.
		w.WaitFalse(t, x, "Synced", "AwaitingApproval", "Datastore h-inner")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "h", "h-store", "h-inner")) > 0 })
		before := id(x)
		w.MustPatch(t, d, `{"spec":{"lifecycle":{"replaceDependents":"Automatic"}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return text(d, "status", "atProvider", "hciClusterUuid") == id(x) && over(d) })
		w.WaitFor(t, e, "of the new object", func() bool {
			return id(d) != "" && text(e, "status", "atProvider", "hciClusterUuid") == id(d) && over(d) && over(e)
		})
		want := []string{"deletes h-inner", "deletes h-store", "deletes h", "creates h", "creates h-store", "creates h-inner"}
		if diff := cmp.Diff(want, happened(t, "h", "h-store", "h-inner")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("an approval that a dependent needs", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "i", m{"replaceDependents": "Automatic"})
		d := datastore(t, "i-store", "i")
		w.MustPatch(t, d, `{"spec":{"lifecycle":{"approvalPolicy":"Destructive"}}}`)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		w.WaitFalse(t, x, "Synced", "AwaitingApproval", "together with Datastore i-store, waits for approval")
		before := id(x)
		w.MustPatch(t, x, `{"metadata":{"annotations":{"landbridge.io/approve":"`+text(x, "status", "plan", "hash")+`"}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return text(d, "status", "atProvider", "hciClusterUuid") == id(x) && over(d) })
	})

	t.Run("the new object first", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "c", m{"createBeforeDestroy": true})
		d := shapes(t, "c-shapes", "c")
		before := id(x)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return first(d) == id(x) && over(d) })
		if diff := cmp.Diff([]string{"creates c", "updates c-shapes", "deletes c"}, happened(t, "c", "c-shapes")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "d", nil)
		d := shapes(t, "d-shapes", "d")
		w.MustPatch(t, d, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		w.WaitFalse(t, x, "Synced", "AwaitingDependents", "Shapes "+w.namespace+"/d-shapes is paused")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "d", "d-shapes")) > 0 })
		before := id(x)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"eu-central-1"}}}`)
		w.WaitFor(t, x, "as before", func() bool { return over(x) && id(x) == before })
	})

	t.Run("destroyed outside", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "e", nil)
		d := shapes(t, "e-shapes", "e")
		before := id(x)
		w.cloud.Remove(t, "things", before)
		w.WaitFor(t, x, "created again", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return first(d) == id(x) && over(d) })
		if got, want := happened(t, "e", "e-shapes"), "updates e-shapes"; len(got) == 0 || got[len(got)-1] != want {
			t.Errorf("it happened %q, where the last is to be %q", got, want)
		}
	})

	t.Run("reads its Secret", func(t *testing.T) {
		t.Parallel()
		credential := func(name string, spec m) *unstructured.Unstructured {
			spec["name"] = name
			u := w.of("Credential", name, m{"forProvider": spec, "writeConnectionSecretToRef": m{"name": name}})
			w.MustCreate(t, u)
			w.WaitReady(t, u)
			return u
		}
		x := credential("j", m{})
		d := credential("j-reader", m{"passwordSecretRef": m{"name": "j", "key": "attribute.api_key"}})
		digest := func() string { return text(d, "status", "atProvider", "passwordSha256") }
		before, read := id(x), digest()
		w.MustPatch(t, d, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
		w.MustPatch(t, x, `{"metadata":{"annotations":{"landbridge.io/taint":"once"}}}`)
		w.WaitFalse(t, x, "Synced", "AwaitingDependents", "Credential "+w.namespace+"/j-reader is paused")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "j", "j-reader")) > 0 })
		w.MustPatch(t, d, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "with the key of the new object", func() bool { return digest() != read && over(d) })
		w.WaitReady(t, d)
		if diff := cmp.Diff([]string{"deletes j", "creates j", "updates j-reader"}, happened(t, "j", "j-reader")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		// The order of deletion is as it was.
		w.Remove(t, x)
	})

	t.Run("uses a provider configuration with its values", func(t *testing.T) {
		t.Parallel()
		x := w.of("Credential", "k", m{"forProvider": m{"name": "k"}, "writeConnectionSecretToRef": m{"name": "k"}})
		w.MustCreate(t, x)
		w.WaitReady(t, x)
		w.MustCreate(t, resource(w.apiVersion(), "ProviderConfig", w.namespace, "of-k", m{
			"endpoint": w.cloud.URL, "tokenSecretRef": m{"name": "k", "key": "attribute.api_key"},
		}))
		other := thing(t, "k-other", nil)
		d := resource(w.apiVersion(), "Thing", w.namespace, "k-user", m{
			"forProvider": m{"name": "k-user"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "of-k"},
		})
		w.MustCreate(t, d)
		w.WaitReady(t, d)
		before := id(x)
		w.MustPatch(t, d, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
		w.MustPatch(t, x, `{"metadata":{"annotations":{"landbridge.io/taint":"once"}}}`)
		w.WaitFalse(t, x, "Synced", "AwaitingDependents", "Thing "+w.namespace+"/k-user is paused")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "k", "k-user", "k-other")) > 0 })
		w.cloud.Fault(t, m{"on": "create", "collection": "credentials", "match": m{"name": "k"}, "status": 503})
		w.MustPatch(t, d, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
		w.WaitFalse(t, d, "Synced", "AwaitingReplacement", "Credential "+w.namespace+"/k, from which ProviderConfig of-k takes values,")
		w.WaitFor(t, x, "destroyed", func() bool { return w.cloud.Happened(t, "deletes", "k") == 1 })
		w.MustPatch(t, d, `{"spec":{"forProvider":{"size":7}}}`)
		w.MustPatch(t, other, `{"spec":{"forProvider":{"size":7}}}`)
		w.WaitFor(t, other, "changed", func() bool { return w.cloud.Happened(t, "updates", "k-other") == 1 })
		w.cloud.RemoveFaults(t, "k")
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "changed", func() bool { return w.cloud.Happened(t, "updates", "k-user") == 1 && over(d) })
		w.WaitReady(t, d)
		want := []string{"deletes k", "updates k-other", "creates k", "updates k-user"}
		if diff := cmp.Diff(want, happened(t, "k", "k-user", "k-other")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("paused while a dependent is destroyed", func(t *testing.T) {
		t.Parallel()
		w.MustCreate(t, resource(w.apiVersion(), "ProviderConfig", w.namespace, "of-dependents", m{"endpoint": w.cloud.URL}))
		x := thing(t, "l", m{"replaceDependents": "Automatic"})
		d := resource(w.apiVersion(), "Datastore", w.namespace, "l-store", m{
			"forProvider":       m{"clusterInfo": m{"id": "c", "name": "n"}, "name": "l-store"},
			"references":        []any{m{"to": "forProvider.hciClusterUuid", "from": from("l")}},
			"providerConfigRef": m{"kind": "ProviderConfig", "name": "of-dependents"},
		})
		w.MustCreate(t, d)
		w.WaitReady(t, d)
		before := id(x)
		resume := w.pause(t, halt.Pause{
			Provider: w.provider, Account: halt.ConfigurationName("ProviderConfig", w.namespace, "of-dependents"),
			Since: metav1.Now(),
		})
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		w.WaitFalse(t, x, "Synced", "AwaitingDependents",
			"Datastore "+w.namespace+"/l-store (is destroyed before, which waits with the reason OperationsPaused)")
		never(t, 2*time.Second, "anything is done", func() bool { return len(happened(t, "l", "l-store")) > 0 })
		resume()
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "of the new object", func() bool { return text(d, "status", "atProvider", "hciClusterUuid") == id(x) && over(d) })
		if diff := cmp.Diff([]string{"deletes l-store", "deletes l", "creates l", "creates l-store"}, happened(t, "l", "l-store")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("a value of another hand", func(t *testing.T) {
		t.Parallel()
		x := thing(t, "f", nil)
		d := w.of("Shapes", "f-shapes", m{
			"forProvider": m{"name": "f-shapes", "stringsList": []any{"by hand"}},
			"references":  []any{m{"to": "forProvider.stringsList[0]", "from": from("f")}},
		})
		w.MustCreate(t, d)
		w.WaitReady(t, d)
		before := id(x)
		w.MustPatch(t, x, `{"spec":{"forProvider":{"region":"us-east-1"}}}`)
		w.WaitFor(t, x, "replaced", func() bool { return id(x) != "" && id(x) != before && over(x) })
		w.WaitFor(t, d, "as before", func() bool { return over(d) && first(d) == "by hand" })
	})
}
