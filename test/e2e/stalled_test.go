package e2e_test

import (
	"strings"
	"testing"
)

// A create that makes an object and fails is not repeated for ever: the resource is stalled until a
// retry is requested.
func TestStalled(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "stalled")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	d.Order(t, "r", "always half")
	r := d.thing(ns, "r", nil)
	c.MustCreate(t, r)
	c.WaitFor(t, r, "stalled", func() bool { return isTrue(r, "Stalled") })
	c.WaitFalse(t, r, "Synced", "CreateAttemptsExhausted", "landbridge.io/retry")
	if status, reason, message := condition(r, "Ready"); status != "False" || reason != "Tainted" ||
		!strings.Contains(message, "not replaced again") {
		t.Errorf("Ready is %s, %s: %s", status, reason, message)
	}
	version := r.GetResourceVersion()
	never(t, 4*poll, "another create, or another write", func() bool {
		c.MustGet(t, r)
		return d.Calls("create thing r") != 3 || r.GetResourceVersion() != version
	})
	if n := len(c.events(t, r)); n > 12 {
		t.Errorf("%d events: %v", n, c.events(t, r))
	}
	d.Countermand(t, "r")
	c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/retry":"now"}}}`)
	c.WaitReady(t, r)
	if status, _, _ := condition(r, "Stalled"); status != "False" {
		t.Errorf("Stalled is %s", status)
	}
	c.Remove(t, r)
}

// An object that cannot be read any more is destroyed on request.
func TestDeleteWithoutRefresh(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "unread")
	c.install(t, d.provider())
	r := d.thing(c.Namespace(t), "r", nil)
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	d.Order(t, "read.r", "always garbage")
	if err := c.Delete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	c.WaitFalse(t, r, "Synced", "ReconcileError", `landbridge.io/delete-without-refresh to "true"`)
	c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/delete-without-refresh":"true"}}}`)
	c.WaitGone(t, r)
	if _, ok := d.Object("thing", "r"); ok {
		t.Error("the object is left")
	}
}
