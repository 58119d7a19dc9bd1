package e2e_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Changes of kinds do not lose data of objects: a new version or configuration that would lose data
// waits until the loss is accepted.
func TestChangesAreHeld(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "evolution")
	ns := c.Namespace(t)
	d.release(t, "1.0.0", "2.0.0")
	p := d.provider()
	set(t, p, "test/evolution", "spec", "source")
	set(t, p, "2.0.0", "spec", "version")
	c.install(t, p)
	plain := d.thing(ns, "plain", m{"value": "a"})
	c.MustCreate(t, plain)
	c.WaitReady(t, plain)
	labelled := d.thing(ns, "labelled", m{"value": "a", "label": "first", "displayName": "A"})
	c.MustCreate(t, labelled)
	c.WaitReady(t, labelled)

	// The first version has no label. The second one stays installed.
	c.MustPatch(t, p, `{"spec":{"version":"1.0.0"}}`)
	message := c.WaitFalse(t, p, "Healthy", "ChangesHeld", "Thing "+ns+"/labelled: spec.forProvider.label", "field removed")
	if strings.Contains(message, "plain") || strings.Contains(message, "first") {
		t.Errorf("the message names a field that is not lost, or shows a value: %s", message)
	}
	if got := text(p, "status", "installed", "version"); got != "2.0.0" {
		t.Errorf("version %s is said to be installed", got)
	}
	c.MustPatch(t, labelled, `{"spec":{"forProvider":{"label":"second"}}}`)
	c.has(t, d, "thing", "labelled", "label", "second")
	c.MustPatch(t, p, `{"spec":{"version":"2.0.0"}}`)
	c.WaitFor(t, p, "healthy again", func() bool { return isTrue(p, "Installed", "Healthy") && current(p) })

	// The same for a configuration; here the loss is accepted.
	c.MustPatch(t, p, `{"spec":{"resources":{"evolution_thing":{"omit":["display_name"]}}}}`)
	message = c.WaitFalse(t, p, "Healthy", "ChangesHeld", "Thing "+ns+"/labelled: spec.forProvider.displayName.", v1accept)
	token := regexp.MustCompile(regexp.QuoteMeta(v1accept) + `=([0-9a-f]+)\.`).FindStringSubmatch(message)
	if token == nil {
		t.Fatalf("there is no token in: %s", message)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(labelled), labelled); err != nil ||
		text(labelled, "spec", "forProvider", "displayName") != "A" {
		t.Errorf("displayName is lost: %v, %v", labelled.Object["spec"], err)
	}
	c.MustPatch(t, p, `{"metadata":{"annotations":{"`+v1accept+`":"another"}}}`)
	c.WaitFalse(t, p, "Healthy", "ChangesHeld")
	c.MustPatch(t, p, `{"metadata":{"annotations":{"`+v1accept+`":"`+token[1]+`"}}}`)
	c.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Installed", "Healthy") && current(p) })
	eventually(t, "displayName is gone", func(ctx context.Context) bool {
		return c.Get(ctx, client.ObjectKeyFromObject(labelled), labelled) == nil && text(labelled, "spec", "forProvider", "displayName") == ""
	})
	eventually(t, "an event tells of it", func(ctx context.Context) bool {
		events := &corev1.EventList{}
		if err := c.List(ctx, events); err != nil {
			return false
		}
		for _, e := range events.Items {
			if e.InvolvedObject.Name == p.GetName() && e.Reason == "KindsChanged" &&
				strings.Contains(e.Message, "as accepted by annotation: Thing: - spec.forProvider.displayName: "+
					"field removed, string") {
				return true
			}
		}
		return false
	})
	c.Remove(t, plain)
	c.Remove(t, labelled)
	c.Remove(t, p)
}

// When the new spec cannot be applied and the controller restarts, the installed version keeps
// running.
func TestWhatRanGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	c := alone(t)
	mirror := t.TempDir()
	stop := c.RunController(t, options(mirror))
	d := newDouble(t, "again")
	ns := c.Namespace(t)
	d.release(t, "1.0.0", "2.0.0")
	p := d.provider()
	set(t, p, "test/again", "spec", "source")
	set(t, p, "~> 2.0", "spec", "version")
	set(t, p, m{"again_thing": m{"shortNames": []any{"ag"}, "omit": []any{"display_name"}}}, "spec", "resources")
	c.install(t, p)
	labelled := d.thing(ns, "labelled", m{"value": "a", "label": "0"})
	c.MustCreate(t, labelled)
	c.WaitReady(t, labelled)

	asSpec := `{"spec":{"version":"~> 2.0","source":"test/again","resources":{"again_thing":{"shortNames":["ag"],"omit":["display_name"]}}}}`
	for i, test := range []struct{ spec, condition, reason string }{
		{`{"spec":{"version":"1.0.0"}}`, "Healthy", "ChangesHeld"},
		{`{"spec":{"version":"1.0.0","resources":{"again_thing":{"shortNames":["ag"],"omit":[]}}}}`, "Healthy", "ChangesHeld"},
		{`{"spec":{"resources":{"again_thing":{"omit":["nonsense"]}}}}`, "Installed", "InvalidConfiguration"},
		{`{"spec":{"version":"9.0.0"}}`, "Installed", "BinaryNotFound"},
		{`{"spec":{"source":"` + d.Path + `-not-there"}}`, "Installed", "BinaryNotFound"},
	} {
		stop()
		c.MustPatch(t, p, test.spec)
		stop = c.RunController(t, options(mirror))
		c.WaitFalse(t, p, test.condition, test.reason)
		if got := text(p, "status", "installed", "version"); got != "2.0.0" {
			t.Errorf("%s: version %q is said to be installed", test.reason, got)
		}
		label := strconv.Itoa(i + 1)
		c.MustPatch(t, labelled, `{"spec":{"forProvider":{"label":"`+label+`"}}}`)
		c.has(t, d, "thing", "labelled", "label", label)
		c.MustPatch(t, p, asSpec)
		c.WaitFor(t, p, "healthy again", func() bool { return isTrue(p, "Installed", "Healthy") && current(p) })
	}
	c.Remove(t, labelled)
	c.Remove(t, p)
}

const v1accept = "landbridge.io/accept-changes"
