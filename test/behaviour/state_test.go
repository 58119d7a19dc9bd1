package behaviour_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

var _ = register(map[string]func(*testing.T, *column){
	"taint":               taint,
	"task-failed":         taskFailed,
	"interrupted-polling": interruptedPolling,
	"create-unread":       createUnread,
	"taint-keep":          taintKeep,
	"timeouts":            timeouts,
	"timeout-own":         timeoutOwn,
})

func (c *column) inState(t *testing.T, u *unstructured.Unstructured, state string) {
	t.Helper()
	c.WaitFor(t, u, state, func() bool { return text(u, "status", "state") == state })
}

// tells waits for an event of the resource.
func (c *column) tells(t *testing.T, u *unstructured.Unstructured, reason, part string) {
	t.Helper()
	defer func() {
		for _, e := range c.events(t, u) {
			if t.Failed() {
				t.Logf("%s, written %s: %s: %s", e.FirstTimestamp.Format(time.TimeOnly), e.CreationTimestamp.Format(time.TimeOnly), e.Reason, e.Message)
			}
		}
	}()
	eventually(t, "an event tells "+reason+" "+part, func(ctx) bool {
		return slices.ContainsFunc(c.events(t, u), func(e corev1.Event) bool { return e.Reason == reason && strings.Contains(e.Message, part) })
	})
}

func taint(t *testing.T, c *column) {
	u, old := c.aThing(t, m{})
	c.MustPatch(t, u, `{"metadata":{"annotations":{"landbridge.io/taint":"1"}}}`)
	eventually(t, "there is another", func(ctx) bool {
		all := named(t, c.world, api.Things, nameOf(t))
		return len(all) == 1 && all[0].ID != old.ID
	})
	c.WaitReady(t, u)
	c.Reconcile(t, u)
	c.Reconcile(t, u)
	// The same token acts once.
	c.asked(t, http.MethodPost, nameOf(t), 2)
	c.asked(t, http.MethodDelete, old.ID, 1)
}

func taskFailed(t *testing.T, c *column) {
	c.fault(t, api.Fault{
		On: api.OnCreate, Collection: string(api.Datastores), Match: map[string]string{"name": nameOf(t)}, Count: 1,
		TaskOutcome: api.OutcomeFail,
	})
	u := c.resource(t, "Datastore", m{"forProvider": datastoreSpec(nameOf(t))})
	c.WaitReady(t, u)
	c.asked(t, http.MethodPost, nameOf(t), 2)
	if n := len(named(t, c.world, api.Datastores, nameOf(t))); n != 1 {
		t.Errorf("there are %d", n)
	}
	c.tells(t, u, "Tainted", "")
}

// slowly creates a datastore whose task takes longer than the provider is given.
func (c *column) slowly(t *testing.T, lifecycle m) *unstructured.Unstructured {
	t.Helper()
	name := nameOf(t)
	c.hang(t, string(api.Datastores), "name", name)
	// What is tainted is not to be replaced while it is looked at.
	c.fault(t, api.Fault{
		On: api.OnList, Collection: string(api.Datastores), Match: map[string]string{"name": name},
		Status: http.StatusServiceUnavailable,
	})
	spec := datastoreSpec(name)
	spec["timeouts"] = m{"create": "3s"}
	return c.resource(t, "Datastore", m{"forProvider": spec, "lifecycle": lifecycle})
}

func interruptedPolling(t *testing.T, c *column) {
	u := c.slowly(t, m{})
	c.inState(t, u, "Tainted")
	c.MustPatch(t, u, `{"metadata":{"annotations":{"landbridge.io/untaint":"1"}}}`)
	c.inState(t, u, "Partial")
	c.end(t, tasks(t, c.world, api.Datastores, "name", nameOf(t)))
	c.heal(t, nameOf(t))
	c.inState(t, u, "Full")
	c.WaitReady(t, u)
	c.asked(t, http.MethodPost, nameOf(t), 1)
}

func createUnread(t *testing.T, c *column) {
	for _, on := range []string{api.OnRead, api.OnList} { // the provider reads by id after a create, and by names later
		c.fault(t, api.Fault{
			On: on, Collection: string(api.Datastores), Match: map[string]string{"name": nameOf(t)},
			Status: http.StatusServiceUnavailable,
		})
	}
	u := c.resource(t, "Datastore", m{"forProvider": datastoreSpec(nameOf(t))})
	c.inState(t, u, "Partial")
	c.WaitFalse(t, u, "Ready", "Unavailable", "Partial")
	c.WaitFalse(t, u, "Synced", "ReconcileError", "Cannot read ", "datastore", "503")
	c.heal(t, nameOf(t))
	c.inState(t, u, "Full")
	c.WaitReady(t, u)
	if got := text(u, "status", "atProvider", "status"); got != "online" {
		t.Errorf("the status is %q", got)
	}
	c.asked(t, http.MethodPost, nameOf(t), 1)
	c.asked(t, http.MethodDelete, nameOf(t), 0)
	c.tells(t, u, "ReadExternalResource", "")
}

func taintKeep(t *testing.T, c *column) {
	u := c.slowly(t, m{"taintPolicy": "Keep"})
	c.inState(t, u, "Tainted")
	c.end(t, tasks(t, c.world, api.Datastores, "name", nameOf(t)))
	c.heal(t, nameOf(t))
	c.Reconcile(t, u)
	if got := text(u, "status", "state"); got != "Tainted" {
		t.Errorf("it is %s", got)
	}
	c.asked(t, http.MethodPost, nameOf(t), 1)
	c.MustPatch(t, u, `{"metadata":{"annotations":{"landbridge.io/untaint":"1"}}}`)
	c.WaitReady(t, u)
	c.asked(t, http.MethodPost, nameOf(t), 1)
}

func timeouts(t *testing.T, c *column) {
	c.fault(t, api.Fault{
		On: api.OnCreate, Collection: string(api.Datastores), Match: map[string]string{"name": nameOf(t)}, Count: 1,
		TaskDelay: api.Duration(3 * time.Second),
	})
	spec := datastoreSpec(nameOf(t))
	spec["timeouts"] = m{"create": "5m"}
	u := c.resource(t, "Datastore", m{"forProvider": spec})
	c.WaitFor(t, u, "being created", func() bool { return text(u, "status", "operation", "deadline") != "" })
	if got := allowed(t, u); got < 5*time.Minute || got > 10*time.Minute {
		t.Errorf("the operation may take %s, of a create that may take 5m", got)
	}
	c.WaitReady(t, u)
}

func timeoutOwn(t *testing.T, c *column) {
	u, object := c.aThing(t, m{}, m{"lifecycle": m{"timeouts": m{"update": "8s"}}})
	c.fault(t, api.Fault{
		On: api.OnUpdate, Collection: string(api.Things), Match: map[string]string{"name": nameOf(t)}, Count: 1,
		Delay: api.Duration(time.Hour),
	})
	c.MustPatch(t, u, `{"spec":{"forProvider":{"size":7}}}`)
	c.WaitReady(t, u)
	if got := is(t, c.world, api.Things, object.ID).Size; got != 7 {
		t.Errorf("the size is %d", got)
	}
	c.tells(t, u, "CannotUpdateExternalResource", "spec.lifecycle.timeouts.update")
}
