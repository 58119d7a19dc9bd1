package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// exampleCloud is a cloud whose operations are tasks, with its provider installed.
type exampleCloud struct {
	*examplecloudtest.Cloud
	name string
}

// exampleCloud installs the example cloud's provider under a unique name.
func (c *cluster) exampleCloud(t *testing.T, name, form string) *exampleCloud {
	t.Helper()
	x := &exampleCloud{Cloud: examplecloudtest.Start(t), name: name}
	path := filepath.Join(directory(t), "terraform-provider-"+name)
	if err := os.Symlink(examplecloudtest.Provider(t, form), path); err != nil {
		t.Fatal(err)
	}
	p := terraformProvider(name, path, "examplecloud_datastore", "examplecloud_thing")
	c.install(t, p)
	c.MustCreate(t, resource(name+".landbridge.io/v1alpha1", "ClusterProviderConfig", "", "default", m{"endpoint": x.URL}))
	return x
}

// datastore returns a resource that is created by a task, optionally with timeouts.
func (x *exampleCloud) datastore(namespace, name, createTimeout string) *unstructured.Unstructured {
	forProvider := m{"name": name, "hciClusterUuid": "hci-1", "clusterInfo": m{"id": "c-1"}}
	if createTimeout != "" {
		forProvider["timeouts"] = m{"create": createTimeout}
	}
	return resource(x.name+".landbridge.io/v1alpha1", "Datastore", namespace, name, m{"forProvider": forProvider})
}

func (x *exampleCloud) thing(namespace, name string) *unstructured.Unstructured {
	return resource(x.name+".landbridge.io/v1alpha1", "Thing", namespace, name, m{"forProvider": m{"name": name}})
}

// events returns the resource's events, oldest first, as "Reason: message".
func (c *cluster) events(t *testing.T, u *unstructured.Unstructured) []string {
	t.Helper()
	list := &corev1.EventList{}
	if err := c.List(t.Context(), list, client.InNamespace(u.GetNamespace())); err != nil {
		t.Fatal(err)
	}
	items := slices.DeleteFunc(list.Items, func(e corev1.Event) bool { return e.InvolvedObject.UID != u.GetUID() })
	// Their names end with the time in nanoseconds, in hex.
	slices.SortFunc(items, func(a, b corev1.Event) int { return strings.Compare(a.Name, b.Name) })
	out := make([]string, len(items))
	for i, e := range items {
		out[i] = e.Reason + ": " + e.Message
	}
	return out
}

// tells waits for an event of the resource with that prefix.
func (c *cluster) tells(t *testing.T, u *unstructured.Unstructured, begin string) string {
	t.Helper()
	var found string
	eventually(t, u.GetName()+" tells "+begin, func(context.Context) bool {
		for _, e := range c.events(t, u) {
			if strings.HasPrefix(e, begin) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// TestStates follows the transitions of the Resource State Overview with a provider of each SDK,
// whose datastores are created by tasks.
func TestStates(t *testing.T) {
	c := shared(t)
	for _, form := range []string{examplecloudtest.SDKv2, examplecloudtest.Framework6} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			x := c.exampleCloud(t, "states"+form, form)
			ns := c.Namespace(t)
			inState := func(u *unstructured.Unstructured, state string) {
				t.Helper()
				c.WaitFor(t, u, state, func() bool { return text(u, "status", "state") == state })
			}
			// partial brings a datastore to the state Partial: polling its task times out, and
			// reading it fails afterwards.
			partial := func(t *testing.T, name string) *unstructured.Unstructured {
				t.Helper()
				x.Fault(t, m{"on": "create", "collection": "datastores", "match": m{"name": name}, "count": 1, "task_outcome": "hang"})
				x.Fault(t, m{"on": "list", "collection": "datastores", "match": m{"name": name}, "status": 503})
				u := x.datastore(ns, name, "3s")
				c.MustCreate(t, u)
				c.WaitFor(t, u, "being created", func() bool {
					return text(u, "status", "operation", "kind") == "Create" && text(u, "status", "operation", "deadline") != ""
				})
				if got := allowed(t, u); got < 32*time.Second || got > 34*time.Second {
					t.Errorf("the deadline is %s after the start, of a create that the provider is given 3s for", got)
				}
				inState(u, "Tainted")
				c.tells(t, u, "CannotCreateExternalResource: Create failed after ")
				c.tells(t, u, "Tainted: The remote object is tainted, because its creation failed or was interrupted.")
				c.MustPatch(t, u, `{"metadata":{"annotations":{"landbridge.io/untaint":"1"}}}`)
				inState(u, "Partial")
				c.WaitFalse(t, u, "Ready", "Unavailable", "Partial")
				c.WaitFalse(t, u, "Synced", "ReconcileError")
				if got := text(u, "status", "lastHandled", "untaint"); got != "1" {
					t.Errorf("the token handled is %q", got)
				}
				c.tells(t, u, "Untainted: ")
				return u
			}

			t.Run("Partial, read ok → Full", func(t *testing.T) {
				t.Parallel()
				u := partial(t, "found")
				x.EndTask(t, "datastores", "found", "succeed")
				x.RemoveFaults(t, "found")
				inState(u, "Full")
				c.WaitReady(t, u)
				c.tells(t, u, "ReadExternalResource: ")
				created := func() int { return x.Happened(t, "creates", "found") }
				if created() != 1 || x.Happened(t, "deletes", "found") != 0 {
					t.Error("it was not kept")
				}
				// The same token has an effect only once.
				c.MustPatch(t, u, `{"metadata":{"annotations":{"landbridge.io/taint":"1"}}}`)
				eventually(t, "it is replaced", func(context.Context) bool { return created() == 2 })
				c.WaitReady(t, u)
				never(t, 3*poll, "it is replaced again", func() bool { return created() > 2 })
				c.tells(t, u, "Tainted: The remote object is tainted, as asked.")
				c.tells(t, u, "ReplacedExternalResource: ")
				c.Remove(t, u)
			})
			t.Run("Partial, read 404 → Empty", func(t *testing.T) {
				t.Parallel()
				u := partial(t, "gone")
				x.EndTask(t, "datastores", "gone", "fail")
				x.RemoveFaults(t, "gone")
				c.tells(t, u, "ExternalResourceGone: ")
				c.WaitReady(t, u)
				if creates, deletes := x.Happened(t, "creates", "gone"), x.Happened(t, "deletes", "gone"); creates != 1 || deletes != 0 {
					t.Errorf("%d creates, %d deletes", creates, deletes)
				}
				c.Remove(t, u)
			})
			// Tainted, apply: the object does not exist, so nothing is destroyed before the create.
			t.Run("task failed → Tainted → Empty → Full", func(t *testing.T) {
				t.Parallel()
				x.Fault(t, m{"on": "create", "collection": "datastores", "match": m{"name": "failed"}, "count": 1, "task_outcome": "fail"})
				u := x.datastore(ns, "failed", "")
				c.MustCreate(t, u)
				c.tells(t, u, "Tainted: ")
				c.WaitReady(t, u)
				if creates, deletes := x.Happened(t, "creates", "failed"), x.Happened(t, "deletes", "failed"); creates != 1 || deletes != 0 {
					t.Errorf("%d creates, %d deletes", creates, deletes)
				}
			})
			// The legacy SDK keeps the timeouts of the provider's authors in private bytes, so they
			// are known.
			t.Run("timeout of the authors", func(t *testing.T) {
				t.Parallel()
				x.Fault(t, m{"on": "create", "collection": "datastores", "match": m{"name": "chosen"}, "count": 1, "task_delay": "3s"})
				u := x.datastore(ns, "chosen", "")
				c.MustCreate(t, u)
				c.WaitFor(t, u, "being created", func() bool { return text(u, "status", "operation", "deadline") != "" })
				want := map[string]time.Duration{examplecloudtest.SDKv2: 22 * time.Minute, examplecloudtest.Framework6: 10 * time.Minute}[form]
				if got := allowed(t, u); got < want-time.Second || got > want+time.Second {
					t.Errorf("the deadline is %s after the start, want %s", got, want)
				}
				c.WaitReady(t, u)
			})
			// Landbridge's own deadline: the call is cancelled, the object is read, and the rest is
			// applied.
			t.Run("timeout of an update", func(t *testing.T) {
				t.Parallel()
				u := x.thing(ns, "slow")
				set(t, u, m{"update": "2s"}, "spec", "lifecycle", "timeouts")
				c.MustCreate(t, u)
				c.WaitReady(t, u)
				x.Fault(t, m{"on": "update", "collection": "things", "match": m{"name": "slow"}, "count": 1, "delay": "40s"})
				begin := time.Now()
				c.MustPatch(t, u, `{"spec":{"forProvider":{"size":7}}}`)
				// The object can be used while it is updated.
				c.WaitFor(t, u, "being updated", func() bool { return text(u, "status", "operation", "kind") == "Update" })
				if status, reason, _ := condition(u, "Ready"); status != "True" {
					t.Errorf("Ready is %s, %s, while it is updated", status, reason)
				}
				c.WaitReady(t, u)
				if took := time.Since(begin); took > 30*time.Second {
					t.Errorf("it took %s", took)
				}
				if told := c.tells(t, u, "CannotUpdateExternalResource: "+
					"Update failed after "); !strings.Contains(told, "spec.lifecycle.timeouts.update") {
					t.Errorf("told %q", told)
				}
				c.tells(t, u, "UpdatedExternalResource: ")
			})
		})
	}
}

// A retry that is waiting can be requested at once.
func TestRetryByAnnotation(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "retries")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	r := d.thing(ns, "r", nil)
	d.Order(t, "r", "always fail")
	c.MustCreate(t, r)
	// The delay doubles with each failure; by now it is 16 seconds.
	eventually(t, "it has failed five times", func(context.Context) bool { return d.Calls("create thing r") >= 5 })
	c.WaitFalse(t, r, "LastAsyncOperation", "AsyncCreateFailure")
	begin := time.Now()
	d.Countermand(t, "r")
	c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/retry":"now"}}}`)
	c.WaitReady(t, r)
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("it took %s", took)
	}
	if got := text(r, "status", "lastHandled", "retry"); got != "now" {
		t.Errorf("the token handled is %q", got)
	}
	// A repeated failure is one event with a count. How long it took is in its message.
	told := map[string]int{}
	for _, e := range c.events(t, r) {
		if strings.HasPrefix(e, "CannotCreateExternalResource") {
			told[e]++
		}
	}
	for e, n := range told {
		if n > 1 {
			t.Errorf("%d events of the same failure: %s", n, e)
		}
	}
	if len(told) == 0 {
		t.Error("no event of the failure")
	}
}

func TestCreateBeforeDestroy(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "befores")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	made := func(t *testing.T, name string) *unstructured.Unstructured {
		t.Helper()
		r := d.thing(ns, name, nil)
		set(t, r, true, "spec", "lifecycle", "createBeforeDestroy")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		return r
	}
	// order returns the order of the calls that change something.
	order := func(t *testing.T, name string) []string {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(d.Dir, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for line := range strings.Lines(string(content)) {
			f := strings.Fields(line)
			if len(f) == 3 && strings.HasPrefix(f[2], name) && (f[0] == "create" || f[0] == "delete") {
				out = append(out, f[0]+" "+f[2])
			}
		}
		return out
	}

	t.Run("replaced", func(t *testing.T) {
		t.Parallel()
		r := made(t, "replaced")
		old := r.GetAnnotations()[externalName]
		d.Order(t, "replaced", "always fail") // it cannot be destroyed for now
		ready := true
		c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"replaced-too"}}}`)
		c.WaitFor(t, r, "replaced, with a deposed object", func() bool {
			ready = ready && isTrue(r, "Ready")
			list, _, _ := unstructured.NestedSlice(r.Object, "status", "deposed")
			return len(list) == 1 && list[0].(m)["externalName"] == old && text(r, "status", "atProvider", "name") == "replaced-too"
		})
		if !ready {
			t.Error("it was not ready all the time")
		}
		c.WaitFalse(t, r, "LastAsyncOperation", "AsyncDeleteFailure", "in use")
		eventually(t, "the new object is the one written down", func(ctx context.Context) bool {
			return c.Get(ctx, key(r), r) == nil && r.GetAnnotations()[externalName] != old
		})
		d.Countermand(t, "replaced")
		c.WaitFor(t, r, "without deposed objects", func() bool { return text(r, "status", "deposed") == "" })
		c.WaitReady(t, r)
		if _, ok := d.Object("thing", "replaced"); ok {
			t.Error("the old object is left")
		}
		calls := slices.Compact(order(t, "replaced"))
		if want := []string{"create replaced", "create replaced-too", "delete replaced"}; !slices.Equal(calls, want) {
			t.Errorf("the order is %v", calls)
		}
		c.tells(t, r, "CreatedExternalResource: Created a replacement")
		c.tells(t, r, "CannotDeleteExternalResource: Delete of the replaced object")
		c.tells(t, r, "ReplacedExternalResource: Destroyed the replaced object")
	})

	t.Run("deleted meanwhile", func(t *testing.T) {
		t.Parallel()
		r := made(t, "deleted")
		d.Order(t, "deleted", "always fail")
		c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"deleted-too"}}}`)
		c.WaitFor(t, r, "replaced, with a deposed object", func() bool { return text(r, "status", "deposed") != "" })
		if err := c.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the new object is gone", func(context.Context) bool { _, ok := d.Object("thing", "deleted-too"); return !ok })
		never(t, 2*poll, "the resource is gone", func() bool { return c.Get(t.Context(), key(r), r) != nil })
		d.Countermand(t, "deleted")
		c.WaitGone(t, r)
		if _, ok := d.Object("thing", "deleted"); ok {
			t.Error("the old object is left")
		}
	})
}
