package kinds_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// tryQuery lists things, one of which a resource manages. It follows what is made by hand, also
// after another controller has taken over, and an EstatePolicy judges it.
func (x *cluster) tryQuery(t *testing.T, form string) {
	results.count(t, queries)
	namespace, name := x.configured(t, form), form+"-listed"
	ref := m{"kind": "ProviderConfig", "name": "default"}
	u := object(group(form)+"/v1alpha1", "Thing", namespace, "listed", m{
		"forProvider": m{"name": name, "region": "us-west-2"}, "providerConfigRef": ref,
	})
	x.MustCreate(t, u)
	x.WaitReady(t, u)
	x.cloud.Make(t, "things", m{"name": name, "region": "eu-central-1"})
	q := object(landbridge, "ResourceQuery", namespace, "things", m{
		"resourceType": "examplecloud_thing", "terraformProvider": form, "providerConfigRef": ref, "config": m{"name": name},
	})
	x.MustCreate(t, q)
	x.counts(t, q, m{"total": int64(2), "managed": int64(1), "declared": int64(0), "unmanaged": int64(1), "otherNamespaces": int64(0)})
	by := x.cloud.Make(t, "things", m{"name": name, "region": "us-east-1", "size": 9})
	x.counts(t, q, m{"total": int64(3), "managed": int64(1), "declared": int64(0), "unmanaged": int64(2), "otherNamespaces": int64(0)})
	p := object(landbridge, "EstatePolicy", "", namespace, m{
		"match":       m{"namespaces": []any{namespace}},
		"validations": []any{m{"expression": "managed || object.size < 8", "message": "Large things are managed."}},
	})
	x.MustCreate(t, p)
	x.WaitFalse(t, q, "Compliant", "PolicyViolated", "1 object: Large things are managed.")
	x.restart(t)
	x.cloud.Remove(t, "things", by["id"].(string))
	x.Remove(t, u)
	x.counts(t, q, m{"total": int64(1), "managed": int64(0), "declared": int64(0), "unmanaged": int64(1), "otherNamespaces": int64(0)})
	x.WaitFor(t, q, "compliant", func() bool { return objecttest.IsTrue(q, "Compliant") })
	x.MustPatch(t, q, `{"spec":{"config":{"area":"x"}}}`)
	x.WaitFalse(t, q, "Ready", "InvalidConfiguration", "spec.config.area")
	x.Remove(t, p)
	x.Remove(t, q)
}

// counts has a query run until it counts as many.
func (x *cluster) counts(t *testing.T, q *unstructured.Unstructured, want m) {
	t.Helper()
	got, n := m{}, 0
	defer func() {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
	}()
	x.WaitFor(t, q, "as counted", func() bool {
		for field := range want {
			got[field] = at(q, "status", field)
		}
		if objecttest.IsTrue(q, "Ready") && objecttest.Current(q) && cmp.Equal(want, got) {
			return true
		}
		n++
		x.MustPatch(t, q, fmt.Sprintf(`{"metadata":{"annotations":{"landbridge.io/reconcile-requested-at":"%d"}}}`, n))
		return false
	})
}
