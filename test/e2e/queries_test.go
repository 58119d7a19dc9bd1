package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// query returns a ResourceQuery for things with the test's configuration.
func (c clouded) query(name string, spec m) *unstructured.Unstructured {
	all := m{
		"resourceType": "examplecloud_thing", "terraformProvider": c.provider,
		"providerConfigRef": m{"kind": "ClusterProviderConfig", "name": c.config},
	}
	for name, value := range spec {
		all[name] = value
	}
	return resource("landbridge.io/v1alpha1", "ResourceQuery", c.namespace, name, all)
}

// counts returns what a query has counted: managed, declared, unmanaged, of other namespaces.
func counts(u *unstructured.Unstructured) string {
	var out []string
	for _, field := range []string{"managed", "declared", "unmanaged", "otherNamespaces"} {
		out = append(out, text(u, "status", field))
	}
	return strings.Join(out, " ")
}

// found returns the objects in a query's status, shortly.
func found(u *unstructured.Unstructured) (out []string) {
	objects, _, _ := unstructured.NestedSlice(u.Object, "status", "objects")
	for _, x := range objects {
		o := object(x.(m))
		owners, _, _ := unstructured.NestedSlice(o.Object, "owners")
		line := text(o, "displayName") + " " + text(o, "ownership")
		for _, owner := range owners {
			line += " " + owner.(m)["kind"].(string) + "/" + owner.(m)["name"].(string)
		}
		violates, _, _ := unstructured.NestedStringSlice(o.Object, "violates")
		out = append(out, strings.Join(append([]string{line}, violates...), " "))
	}
	return out
}

// waitCounts requests runs of a query until it has counted as many.
func (c *cluster) waitCounts(t *testing.T, q *unstructured.Unstructured, want string) {
	t.Helper()
	n := 0
	c.WaitFor(t, q, "counts "+want, func() bool {
		if isTrue(q, "Ready") && current(q) && counts(q) == want {
			return true
		}
		n++
		c.MustPatch(t, q, fmt.Sprintf(`{"metadata":{"annotations":{"landbridge.io/reconcile-requested-at":"%d"}}}`, n))
		return false
	})
}

// A query counts objects by who owns them, shows the first, and tells nothing of the objects of
// other namespaces but their number. What discover and import show is the same.
func TestResourceQuery(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "query")
	managed := w.of("Thing", "managed", m{"forProvider": m{"name": "managed"}})
	w.MustCreate(t, managed)
	w.WaitReady(t, managed)
	w.cloud.Make(t, "things", m{"name": "left", "region": "eu-central-1"})
	asked := w.cloud.Make(t, "things", m{"name": "asked for", "region": "us-east-1"})
	declared := w.of("Thing", "asked", m{"forProvider": m{"name": "asked for"}, "import": m{"identity": m{"id": asked["id"]}}})
	declared.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	w.MustCreate(t, declared)
	other := w
	other.namespace = c.Namespace(t)
	hidden := other.of("Thing", "hidden-resource", m{"forProvider": m{"name": "hidden object"}})
	w.MustCreate(t, hidden)
	w.WaitReady(t, hidden)

	q := w.query("things", m{"pages": true})
	w.MustCreate(t, q)
	w.waitCounts(t, q, "1 1 1 1")
	want := []string{"left Unmanaged", "asked for Declared Thing/asked", "managed Managed Thing/managed"}
	if diff := cmp.Diff(want, found(q)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if raw, _ := json.Marshal(q.Object); strings.Contains(string(raw), "hidden") {
		t.Errorf("the status tells of an object of another namespace: %s", raw)
	}
	if !isTrue(q, "Complete") {
		t.Error("the list is not complete")
	}

	page := &corev1.ConfigMap{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "things-objects-0"}, page); err != nil {
		t.Fatal(err)
	}
	if content := page.Data["objects.json"]; strings.Count(content, `"displayName"`) != 3 || strings.Contains(content, "hidden") {
		t.Errorf("the page is %s", content)
	}

	out, _ := run(t, "discover", "--query", "things", "-n", w.namespace)
	for _, want := range []string{"left", "(declared)", w.namespace + "/managed"} {
		if !strings.Contains(out, want) {
			t.Errorf("discover does not show %q:\n%s", want, out)
		}
	}
	out, said, code := landbridge(t, "import", "--query", "things", "-n", w.namespace)
	if code != 0 || strings.Count(out, "kind: Thing") != 1 || !strings.Contains(out, "name: left") {
		t.Errorf("exit code %d\n%s\n%s", code, out, said)
	}

	c.MustPatch(t, q, `{"spec":{"pages":false}}`)
	eventually(t, "the page is removed", func(ctx context.Context) bool {
		return kerrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(page), &corev1.ConfigMap{}))
	})
	c.MustPatch(t, q, `{"spec":{"config":{"area":"x"}}}`)
	c.WaitFalse(t, q, "Ready", "InvalidConfiguration", "spec.config.area")
	if !isTrue(q, "Stalled") {
		t.Error("the query is not stalled")
	}
	c.MustPatch(t, q, `{"spec":{"config":{"area":null,"region":"eu-central-1"},"limit":1}}`)
	w.waitCounts(t, q, "0 0 1 0")
	if status, reason, _ := condition(q, "Complete"); status != "False" || reason != "LimitReached" {
		t.Errorf("Complete is %s, %s", status, reason)
	}
	c.MustPatch(t, q, `{"spec":{"suspend":true}}`)
	w.WaitFor(t, q, "suspended", func() bool { return isTrue(q, "Suspended") && current(q) })
	if counts(q) != "0 0 1 0" {
		t.Errorf("a suspended query counts %s", counts(q))
	}
}

// An EstatePolicy judges what a query finds, and the query tells what violates it.
func TestEstatePolicy(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "estate")
	w.cloud.Make(t, "things", m{"name": "small", "region": "us-east-1", "size": 1})
	w.cloud.Make(t, "things", m{"name": "large", "region": "us-east-1", "size": 9})
	p := resource("landbridge.io/v1alpha1", "EstatePolicy", "", w.namespace, m{
		"match":       m{"namespaces": []any{w.namespace}},
		"validations": []any{m{"expression": "managed || object.size < 8", "message": "Large things are managed."}},
	})
	c.MustCreate(t, p)
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), p.DeepCopy()) })
	c.WaitFor(t, p, "compiled", func() bool { return isTrue(p, "Ready") })
	q := w.query("things", nil)
	w.MustCreate(t, q)
	c.WaitFalse(t, q, "Compliant", "PolicyViolated", "EstatePolicy "+w.namespace+": 1 object: Large things are managed.")
	if diff := cmp.Diff([]string{"large Unmanaged " + w.namespace, "small Unmanaged"}, found(q)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	eventually(t, "there is an event", func(ctx context.Context) bool {
		list := &corev1.EventList{}
		return c.List(ctx, list, client.InNamespace(w.namespace)) == nil && slices.ContainsFunc(list.Items, func(e corev1.Event) bool {
			return e.InvolvedObject.Name == "things" && e.Reason == "EstatePolicyWarning"
		})
	})
	// A change of the policy has the objects judged again.
	c.MustPatch(t, p, `{"spec":{"validations":[{"expression":"object.size < 10"}]}}`)
	c.WaitFor(t, q, "compliant", func() bool { return isTrue(q, "Compliant") })
	c.MustPatch(t, p, `{"spec":{"validations":[{"expression":"object.size < "}]}}`)
	c.WaitFalse(t, p, "Ready", "InvalidCondition", "spec.validations[0].expression")
	c.WaitFalse(t, q, "Compliant", "PolicyViolated", "2 objects", "cannot be used")
	if err := c.Delete(t.Context(), &unstructured.Unstructured{Object: m{
		"apiVersion": "landbridge.io/v1alpha1", "kind": "EstatePolicy", "metadata": m{"name": w.namespace},
	}}); err != nil {
		t.Fatal(err)
	}
}
