package e2e_test

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Two versions of one provider run side by side, each with a group of its own. Resources move from
// the older one to the newer one, and nothing is done to their objects. The older one cannot read
// what the newer one has written.
func TestTwoVersionsOfOneProvider(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "side")
	ns := c.Namespace(t)
	d.release(t, "1.0.0", "2.0.0")
	former, next := d.provider(), d.provider()
	next.SetName("side-next")
	set(t, former, "test/side", "spec", "source")
	set(t, former, "1.0.0", "spec", "version")
	set(t, next, "test/side", "spec", "source")
	set(t, next, "2.0.0", "spec", "version")
	set(t, next, "next.side.landbridge.io", "spec", "group")
	c.install(t, former)
	c.install(t, next)

	const group = "next.side.landbridge.io/v1alpha1"
	a := d.thing(ns, "a", m{"value": "1"})
	c.MustCreate(t, a)
	c.WaitReady(t, a)
	changes := d.Changes()

	moved := resource(group, "Thing", ns, "a", m{"forProvider": m{"name": "a", "value": "1"}})
	moved.SetAnnotations(map[string]string{"landbridge.io/move-from": d.APIVersion() + "/Thing/a"})
	c.MustCreate(t, moved)
	c.WaitReady(t, moved)
	c.WaitFalse(t, a, "Synced", "Moved")
	c.Remove(t, a)
	if n := d.Changes() - changes; n != 0 {
		t.Errorf("%d changes of the object by moving it", n)
	}
	// The new version has more fields.
	c.MustPatch(t, moved, `{"spec":{"forProvider":{"label":"new"}}}`)
	c.has(t, d, "thing", "a", "label", "new")
	c.MustPatch(t, moved, `{"spec":{"forProvider":{"label":null}}}`)
	eventually(t, "the label is removed", func(context.Context) bool {
		o, ok := d.Object("thing", "a")
		return ok && o.Attributes["label"] == ""
	})

	changes = d.Changes()
	back := d.thing(ns, "back", m{"name": "a", "value": "1"})
	back.SetAnnotations(map[string]string{"landbridge.io/move-from": group + "/Thing/a"})
	c.MustCreate(t, back)
	message := c.WaitFalse(t, back, "Synced", "MoveFailed", "schema version 2, here 1", "Install at least that version")
	if !strings.Contains(message, "landbridge.io/move-from") {
		t.Errorf("the message does not name the annotation: %s", message)
	}
	c.Remove(t, back)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(moved), moved); err != nil {
		t.Fatal(err)
	}
	if n := d.Changes() - changes; n != 0 || !isTrue(moved, "Ready", "Synced") {
		t.Errorf("%d changes of the object by a move that is refused: %v", n, moved.Object["status"])
	}
	c.Remove(t, moved)
	if _, ok := d.Object("thing", "a"); ok {
		t.Error("the object is left")
	}
	c.Remove(t, former)
	c.Remove(t, next)
}
