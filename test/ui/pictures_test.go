package ui_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// TestPictures makes the pictures of README.md, of what a person of one namespace sees. They are
// written if UI_PICTURES is a directory.
func TestPictures(t *testing.T) {
	flow(t)
	c := newCluster(t)
	const namespace = "shop"
	if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		t.Fatal(err)
	}
	c.MustCreate(t, objecttest.New(group+"/v1alpha1", "ProviderConfig", namespace, "default", m{"endpoint": c.cloud.URL}))
	free := func(name, value, to string) *unstructured.Unstructured {
		u := record(namespace, name, value)
		delete(u.Object["spec"].(m), "lifecycle")
		if to != "" {
			unstructured.RemoveNestedField(u.Object, "spec", "forProvider", "value") // a value that is set is kept
			u.Object["spec"].(m)["references"] = []any{m{
				"to": "forProvider.value", "from": m{"kind": "Record", "name": to, "fieldPath": "status.atProvider.id"},
			}}
		}
		c.MustCreate(t, u)
		return u
	}
	database := free("database", "small", "")
	c.WaitReady(t, database)
	for _, name := range []string{"orders", "payments"} {
		c.WaitReady(t, free(name, "", "database"))
	}
	for _, name := range []string{"mail", "search"} {
		u := free(name, "", "certificate")
		c.WaitFor(t, u, "waiting", func() bool { return !objecttest.IsTrue(u, "Synced") })
	}
	c.MustPatch(t, database, `{"spec":{"forProvider":{"value":"large"},"lifecycle":{"approvalPolicy":"Always"}}}`)
	c.WaitFor(t, database, "planned", func() bool { return hash(database) != "" })
	b := open(t, c.reader(t, namespace), namespace)
	for _, p := range []struct {
		name, at, shows string
		dark            bool
	}{
		{"attention", "/", "Record shop/certificate", false},
		{"plan", "/plans", "2 objects depend on it", true},
	} {
		b.theme(p.dark, 1200)
		b.visit(p.at)
		b.shows(p.shows)
		b.holds("the page is live", `document.getElementById("live").innerText === "Live"`)
		b.run(chromedp.Evaluate(`for (const d of document.querySelectorAll(".plan details")) d.open = true`, nil))
		// No taller than what is on it.
		b.run(
			emulation.SetDeviceMetricsOverride(1200,
				evaluate[int64](b,
					`Math.ceil(document.querySelector("#view > :last-child").getBoundingClientRect().bottom) + 16`),
				1, false),
		)
		_, shot := b.picture(t)
		if dir := os.Getenv("UI_PICTURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, p.name+".png"), shot, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
