package e2e_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// countTypes counts Secrets by their type.
func countTypes(secrets []corev1.Secret) map[string]int {
	out := map[string]int{}
	for _, s := range secrets {
		out[string(s.Type)]++
	}
	return out
}

// A state of several MiB of a real provider is stored, replaced and removed.
func TestLargeState(t *testing.T) {
	c := shared(t)
	c.real(t, "random")
	ns := c.Namespace(t)
	b := resource(random, "Bytes", ns, "large", m{"forProvider": m{"length": int64(1_200_000)}}) // 4 MB in base64 and in hexadecimal
	c.MustCreate(t, b)
	c.WaitReady(t, b)
	stored := c.stored(t, ns)
	if n := countTypes(stored); n[v1alpha1.SecretTypeInstance] != 1 || n[v1alpha1.SecretTypeInstancePart] < 3 {
		t.Errorf("stored: %v", n)
	}
	c.MustPatch(t, b, `{"spec":{"forProvider":{"length":900000}}}`)
	c.WaitFor(t, b, "replaced", func() bool { return current(b) && text(b, "status", "plan", "action") == "" })
	c.WaitReady(t, b)
	if again := c.stored(t, ns); len(again) >= len(stored) {
		t.Errorf("%v are stored of a smaller object, and there were %v", countTypes(again), countTypes(stored))
	}
	c.Remove(t, b)
	if left := c.stored(t, ns); len(left) != 0 {
		t.Errorf("%v are left", countTypes(left))
	}
}

// Of a large object the status has what fits, and a condition names the rest.
func TestLargeStatus(t *testing.T) {
	c := shared(t)
	c.real(t, "random")
	ns := c.Namespace(t)
	s := resource(random, "String", ns, "large", m{"forProvider": m{"length": int64(200_000)}}) // which is in two fields
	c.MustCreate(t, s)
	c.WaitReady(t, s)
	status, reason, message := condition(s, "StatusComplete")
	if status != "False" || reason != "FieldsLeftOut" || !strings.Contains(message, "leaves out result,") ||
		!strings.Contains(message, "landbridge state show String large --namespace "+ns) {
		t.Errorf("condition: %s, %s, %q", status, reason, message)
	}
	if text(s, "status", "atProvider", "result") != "" || len(text(s, "status", "atProvider", "id")) != 200_000 {
		t.Error("another field is left out")
	}
	c.MustPatch(t, s, `{"spec":{"forProvider":{"length":20}}}`)
	c.WaitFor(t, s, "replaced", func() bool { return len(text(s, "status", "atProvider", "result")) == 20 && current(s) })
	if status, reason, _ := condition(s, "StatusComplete"); status != "True" || reason != "NothingLeftOut" {
		t.Errorf("condition: %s, %s", status, reason)
	}
	c.Remove(t, s)
}
