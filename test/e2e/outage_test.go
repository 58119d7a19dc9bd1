package e2e_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// through starts a controller that reaches the API server through a proxy.
func (c *cluster) through(config *rest.Config, o controller.Options) (stop func() error, err error) {
	other := *c.Cluster
	other.Config = config
	return other.StartController(o)
}

// The connection to the API server fails in several ways while users change resources and an
// operation ends. Afterwards the result is the same as without the outage.
func TestOutage(t *testing.T) {
	t.Parallel()
	c := alone(t)
	way, config := newProxy(t, c.Config)
	stop, err := c.through(config, options(directory(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Errorf("the controller ended with %v", err)
		}
		c.ShowLog(t)
	}()
	for name, cut := range map[string]func(){"refused": way.refuse, "hanging": way.hang} {
		t.Run(name, func(t *testing.T) {
			d := newDouble(t, name)
			c.install(t, d.provider("*_thing"))
			ns := c.Namespace(t)
			changed, deleted, plain, blank := d.thing(ns, "changed", m{"value": "a"}), d.thing(ns, "deleted", nil),
				d.thing(ns, "plain", nil), d.thing(ns, "blank", nil)
			for _, r := range []*unstructured.Unstructured{changed, deleted, plain, blank} {
				c.MustCreate(t, r)
				c.WaitReady(t, r)
			}
			d.Order(t, "slow", "slow 3s")
			slow := d.thing(ns, "slow", nil)
			c.MustCreate(t, slow)
			eventually(t, "a create is begun", func(context.Context) bool { return d.CarriedOut("slow") })
			cut()
			began := time.Now()
			created, passed := d.thing(ns, "created", nil), d.thing(ns, "passed", nil)
			c.MustCreate(t, created)
			c.MustCreate(t, passed)
			c.MustPatch(t, changed, `{"spec":{"forProvider":{"value":"b"}}}`)
			for _, r := range []client.Object{deleted, passed} {
				if err := c.Delete(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Status().Patch(t.Context(), blank, client.RawPatch("application/merge-patch+json", []byte(`{"status":null}`))); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the create ends", func(context.Context) bool { _, made := d.Object("thing", "slow"); return made })
			time.Sleep(max(0, 8*time.Second-time.Since(began)))
			changes := d.Changes()
			if changes != 5 {
				t.Errorf("%d changes of remote objects, want the 5 creates of before", changes)
			}
			way.mend()
			began = time.Now()
			c.WaitGone(t, deleted)
			c.WaitGone(t, passed)
			c.has(t, d, "thing", "changed", "value", "b")
			for _, r := range []*unstructured.Unstructured{changed, plain, blank, slow, created} {
				c.WaitReady(t, r)
			}
			t.Logf("all was well %s afterwards", time.Since(began))
			// A resource whose deletion is heard of after its creation may be created before it is
			// deleted.
			if n, more := d.Changes()-changes, 2*d.Calls("create thing passed"); n != 3+more || more > 2 {
				t.Errorf("%d changes of remote objects, want an update, a delete and a create, and %d", n, more)
			}
			for _, name := range []string{"slow", "created", "changed"} {
				if n := d.Calls("create thing " + name); n != 1 {
					t.Errorf("%d creates of %s", n, name)
				}
			}
			if n := len(c.stored(t, ns)); n != 5 {
				t.Errorf("%d are stored, of 5", n)
			}
		})
	}
}

// A controller that cannot renew its lease exits during a create and cannot store the result. Its
// successor determines the create's outcome.
func TestOutageLongerThanTheLease(t *testing.T) {
	t.Parallel()
	c := alone(t)
	way, config := newProxy(t, c.Config)
	o := options(directory(t))
	o.LeaderElection, o.GracePeriod = true, 2*time.Second
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	logger, closeLog, err := c.Logger()
	if err != nil {
		t.Fatal(err)
	}
	defer closeLog()
	o.Logger = logger
	ended := make(chan error, 1)
	go func() { ended <- controller.Run(ctx, config, o) }()
	d := newDouble(t, "lease")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	for _, kind := range []string{"Thing", "Place"} {
		r := d.resource(kind, ns, "slow-"+strings.ToLower(kind), nil)
		set(t, r, "Keep", "spec", "lifecycle", "taintPolicy")
		d.Order(t, "slow-"+strings.ToLower(kind), "slow 6s")
		c.MustCreate(t, r)
	}
	r := d.place(ns, "plain", nil)
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	eventually(t, "the creates are begun", func(context.Context) bool { return d.CarriedOut("slow-thing") && d.CarriedOut("slow-place") })
	way.refuse()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended as if all was well")
		}
		t.Logf("it ended with %v", err)
	case <-time.After(limit):
		t.Fatal("it goes on without its lease")
	}
	o.GracePeriod = limit
	c.RunController(t, o) // without the proxy
	place := d.place(ns, "slow-place", nil)
	c.WaitFor(t, place, "found again, as an interrupted create's", func() bool { return text(place, "status", "state") == "Tainted" })
	c.WaitFalse(t, d.thing(ns, "slow-thing", nil), "Synced", "CreateOutcomeUnknown", "spec.import")
	c.WaitReady(t, r)
	for _, name := range []string{"thing slow-thing", "place slow-place", "place plain"} {
		if n := d.Calls("create " + name); n != 1 {
			t.Errorf("%d creates of %s", n, name)
		}
	}
}

// The API server restarts, and then restarts from a backup: the stored state is then older than the
// remote objects. As with all Kubernetes controllers, no controller must keep running across a
// restore: its watches would wait for resource versions that no longer exist.
func TestRestoredBackup(t *testing.T) {
	t.Parallel()
	data := filepath.Join(directory(t), "data")
	server := playgroundtest.New(t, playgroundtest.Options{Dir: data})
	restart := func(meanwhile func()) {
		t.Helper()
		if err := server.Stop(); err != nil {
			t.Fatal(err)
		}
		if meanwhile != nil {
			meanwhile()
		}
		server = playgroundtest.New(t, playgroundtest.Options{Dir: data, Port: port(t, server.Config.Host)})
	}
	c := on(t, server)
	o := options(directory(t))
	stop := c.RunController(t, o)
	d := newDouble(t, "restored")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	updated, deleted, replaced := d.place(ns, "updated", m{"value": "old"}), d.place(ns, "deleted", nil), d.place(ns, "replaced", nil)
	set(t, replaced, "first", "spec", "forProvider", "name")
	all := []*unstructured.Unstructured{updated, deleted, replaced}
	for _, r := range all {
		c.MustCreate(t, r)
		c.WaitReady(t, r)
	}

	backup := filepath.Join(directory(t), "backup")
	restart(func() {
		if err := os.CopyFS(backup, os.DirFS(data)); err != nil {
			t.Fatal(err)
		}
	})
	c.MustPatch(t, updated, `{"spec":{"forProvider":{"value":"new"}}}`)
	c.MustPatch(t, replaced, `{"spec":{"forProvider":{"name":"second"}}}`)
	c.Remove(t, deleted)
	later := d.place(ns, "later", nil)
	c.MustCreate(t, later)
	for _, r := range []*unstructured.Unstructured{updated, replaced, later} {
		c.WaitReady(t, r)
	}
	c.has(t, d, "place", "updated", "value", "new")
	second, _ := d.Object("place", "second")
	if n := d.Changes(); n != 3+1+2+1+1 {
		t.Errorf("%d changes of remote objects before the restore", n)
	}

	stop()
	restart(func() {
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(backup, data); err != nil {
			t.Fatal(err)
		}
	})
	changes := d.Changes()
	c.RunController(t, o)
	// Objects match the restored specs: one is changed back, one is created again, and one is
	// replaced by its former object, which had been deleted, too.
	c.has(t, d, "place", "updated", "value", "old")
	for _, name := range []string{"deleted", "first"} {
		eventually(t, name+" is there", func(context.Context) bool { _, ok := d.Object("place", name); return ok })
	}
	for _, r := range all {
		c.WaitReady(t, r)
	}
	if creates, n := d.Calls("create"), d.Changes()-changes; creates != 3+2+2 || n != 3 {
		t.Errorf("%d creates in all, %d changes since the restore", creates, n)
	}
	// Objects that are not in the backup are not touched.
	if now, ok := d.Object("place", "second"); !ok || now.Attributes["id"] != second.Attributes["id"] {
		t.Error("an object without a resource was changed")
	}
	if _, ok := d.Object("place", "later"); !ok {
		t.Error("an object without a resource was deleted")
	}
	// It is adopted only when a resource asks for it.
	again := d.place(ns, "later", m{"value": "again"})
	c.MustCreate(t, again)
	c.WaitFalse(t, again, "LastAsyncOperation", "AsyncCreateFailure", "spec.import")
	c.MustPatch(t, again, `{"spec":{"import":{"identity":{"name":"later"}}}}`)
	c.WaitReady(t, again)
	c.has(t, d, "place", "later", "value", "again")
	if n := d.Calls("create place later"); n != 1 {
		t.Errorf("%d creates", n)
	}
}

// port returns the port of an address.
func port(t *testing.T, host string) int {
	t.Helper()
	address, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
