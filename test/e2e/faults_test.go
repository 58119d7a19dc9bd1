package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// A provider that misbehaves is reported and restarted, and recovers. Resources of another provider
// or another configuration are not affected.
func TestProviderFaults(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(directory(t))
	o.ReconcileTimeout = 20 * time.Second
	o.Pool.AnswerTimeout = 2 * time.Second
	c.RunController(t, o)
	for name, test := range map[string]func(*testing.T, *cluster){
		"hangs": hangs, "hangs in a create": hangsInCreate, "hangs in many configurations": hangsInMany,
		"crashes": crashes, "crashes at one resource": crashesAtOne, "starts slowly": startsSlowly,
		"needs too much memory": needsTooMuchMemory,
		"floods the log":        floodsTheLog, "is throttled": isThrottled, "is not logged in": isNotLoggedIn,
		"is limited": isLimited, "answers wrongly": answersWrongly,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// tenants has two configurations of one provider, one of them misbehaving, each with resources.
type tenants struct {
	*double
	c  *cluster
	ns string
}

func (c *cluster) tenants(t *testing.T, name string, limits m) tenants {
	t.Helper()
	d := newDouble(t, name, "TESTPROVIDER_CONFIGURATION=yes")
	p := d.provider("*_thing")
	if limits != nil {
		p.Object["spec"].(m)["limits"] = limits
	}
	c.install(t, p)
	x := tenants{d, c, c.Namespace(t)}
	for _, config := range []string{"bad", "well"} {
		x.config(t, config, "the token of "+config)
	}
	return x
}

func (x tenants) config(t *testing.T, name, token string) {
	t.Helper()
	x.c.secret(t, x.ns, name, map[string]string{"token": token})
	x.c.MustCreate(t, resource(x.APIVersion(), "ProviderConfig", x.ns, name, m{"tokenSecretRef": m{"name": name, "key": "token"}}))
}

// of returns a resource of a configuration.
func (x tenants) of(config, name string) *unstructured.Unstructured {
	r := x.thing(x.ns, name, nil)
	r.Object["spec"].(m)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": config}
	return r
}

// made creates resources of a configuration and waits until they are ready.
func (x tenants) made(t *testing.T, config string, n int) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for i := range n {
		r := x.of(config, fmt.Sprint(config, i))
		x.c.MustCreate(t, r)
		out = append(out, r)
	}
	for _, r := range out {
		x.c.WaitReady(t, r)
	}
	return out
}

// orderReads sets what reads of objects do, until countermandReads.
func (x tenants) orderReads(t *testing.T, what string, resources ...*unstructured.Unstructured) {
	t.Helper()
	for _, r := range resources {
		x.Order(t, "read."+r.GetName(), "always "+what)
	}
}

func (x tenants) countermandReads(t *testing.T, resources ...*unstructured.Unstructured) {
	t.Helper()
	for _, r := range resources {
		x.Countermand(t, "read."+r.GetName())
	}
}

// unimpeded fails the test unless a change with the other configuration is quick.
func (x tenants) unimpeded(t *testing.T, r *unstructured.Unstructured, value string) {
	t.Helper()
	began := time.Now()
	x.c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"`+value+`"}}}`)
	x.c.has(t, x.double, "thing", r.GetName(), "value", value)
	took := time.Since(began)
	t.Logf("a change with another configuration took %s", took)
	if took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	x.c.WaitReady(t, r)
}

func hangs(t *testing.T, c *cluster) {
	x := c.tenants(t, "hanging", nil)
	bad, well := x.made(t, "bad", 15), x.made(t, "well", 1)
	// A slow operation that must not be interrupted.
	x.Order(t, "long", "slow 30s")
	long := x.of("bad", "long")
	c.MustCreate(t, long)
	eventually(t, "its create is begun", func(context.Context) bool { return x.CarriedOut("long") })
	x.orderReads(t, "hang", bad...)
	reads := x.Calls("read thing bad")
	eventually(t, "several reads hang", func(context.Context) bool { return x.Calls("read thing bad") >= reads+4 })
	x.unimpeded(t, well[0], "while it hangs")
	eventually(t, "it is told", func(ctx context.Context) bool {
		for _, r := range bad {
			if c.Get(ctx, key(r), r) != nil {
				continue
			}
			if status, reason, message := condition(r, "Synced"); status == "False" &&
				(reason == "ReconcileError" || reason == "ProviderUnavailable") &&
				strings.Contains(message, "not answer") {
				return true
			}
		}
		return false
	})
	x.unimpeded(t, well[0], "afterwards")
	if n := x.Calls("configure with the token of well"); n != 1 {
		t.Errorf("the provider of the other configuration was started %d times", n)
	}
	x.countermandReads(t, bad...)
	for _, r := range bad {
		c.WaitReady(t, r)
	}
	c.WaitReady(t, long)
	if n := x.Calls("create thing long"); n != 1 {
		t.Errorf("%d slow creates", n)
	}
}

// Many configurations of another namespace whose calls hang cost nothing.
func hangsInMany(t *testing.T, c *cluster) {
	x := c.tenants(t, "hanging-many", nil)
	well := x.made(t, "well", 1)
	y := tenants{x.double, c, c.Namespace(t)}
	var bad []*unstructured.Unstructured
	for i := range 12 {
		config := fmt.Sprint("hanging", i)
		y.config(t, config, "the token of "+config)
		for j := range 2 {
			r := y.of(config, fmt.Sprint(config, "-", j))
			c.MustCreate(t, r)
			bad = append(bad, r)
		}
	}
	for _, r := range bad {
		c.WaitReady(t, r)
	}
	x.orderReads(t, "hang", bad...)
	reads := x.Calls("read thing hanging")
	eventually(t, "many reads hang", func(context.Context) bool { return x.Calls("read thing hanging") >= reads+10 })
	for i := range 3 {
		x.unimpeded(t, well[0], fmt.Sprint("while they hang ", i))
	}
	x.countermandReads(t, bad...)
	for _, r := range bad {
		c.WaitReady(t, r)
	}
}

// A create that never returns ends at its deadline, and its outcome is determined.
func hangsInCreate(t *testing.T, c *cluster) {
	d := newDouble(t, "stuck")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	thing, place := d.thing(ns, "thing", nil), d.place(ns, "place", nil)
	for _, r := range []*unstructured.Unstructured{thing, place} {
		set(t, r, "3s", "spec", "lifecycle", "timeouts", "create")
		d.Order(t, r.GetName(), "hang")
		c.MustCreate(t, r)
	}
	c.WaitFalse(t, thing, "Synced", "CreateOutcomeUnknown", "spec.import")
	c.WaitReady(t, place) // its identity is known, and no object existed
	if things, places := d.Calls("create thing"), d.Calls("create place"); things != 1 || places != 2 {
		t.Errorf("%d creates of the thing, %d of the place", things, places)
	}
}

func crashes(t *testing.T, c *cluster) {
	x := c.tenants(t, "crashing", nil)
	bad, well := x.made(t, "bad", 5), x.made(t, "well", 1)
	x.orderReads(t, "crash-before", bad...)
	began, starts := time.Now(), x.Calls("configure with the token of bad")
	c.WaitFalse(t, bad[0], "Synced", "ProviderUnavailable", "status 86", "The next attempt is")
	x.unimpeded(t, well[0], "while it crashes")
	// 1, 2, 4, 8 seconds are between the starts, and each resource is tried every second.
	const window = 10 * time.Second
	time.Sleep(window)
	took := time.Since(began)
	if n := x.Calls("configure with the token of bad") - starts; n > 6*int(1+took/window) {
		t.Errorf("it was started %d times in %s", n, took)
	}
	x.countermandReads(t, bad...)
	for _, r := range bad {
		c.WaitReady(t, r)
	}
	if x.Changes() != 6+1 {
		t.Errorf("%d changes of remote objects", x.Changes())
	}
}

// crashesAtOne is a crash at one of the resources of a configuration. The others go on, and it does
// when it is tried again.
func crashesAtOne(t *testing.T, c *cluster) {
	x := c.tenants(t, "crashing-one", nil)
	well := x.made(t, "well", 4)
	bad, others := well[0], well[1:]
	x.orderReads(t, "crash-before", bad)
	c.WaitFalse(t, bad, "Synced", "ProviderCrashes", "works for others")
	c.WaitFor(t, bad, "stalled", func() bool { return isTrue(bad, "Stalled") })
	for i, r := range others {
		x.unimpeded(t, r, fmt.Sprint("beside ", i))
	}
	x.countermandReads(t, bad)
	c.MustPatch(t, bad, `{"metadata":{"annotations":{"landbridge.io/retry":"now"}}}`)
	c.WaitReady(t, bad)
	if x.Changes() != 4+3 {
		t.Errorf("%d changes of remote objects", x.Changes())
	}
}

func startsSlowly(t *testing.T, c *cluster) {
	x := c.tenants(t, "slowstart", nil)
	x.config(t, "slow", "slow token")
	well := x.made(t, "well", 1)
	var slow []*unstructured.Unstructured
	for i := range 15 {
		r := x.of("slow", fmt.Sprint("slow", i))
		c.MustCreate(t, r)
		slow = append(slow, r)
	}
	eventually(t, "the provider is being started", func(context.Context) bool { return x.Calls("configure with slow token") > 0 })
	x.unimpeded(t, well[0], "while it starts")
	if x.Calls("create thing slow") > 0 {
		t.Error("it has started: nothing is proved")
	}
	for _, r := range slow {
		c.WaitReady(t, r)
	}
	if n := x.Calls("configure with slow token"); n != 1 {
		t.Errorf("it was started %d times", n)
	}
}

func needsTooMuchMemory(t *testing.T, c *cluster) {
	x := c.tenants(t, "hungry", m{"memory": "96Mi"})
	bad, well := x.made(t, "bad", 2), x.made(t, "well", 1)
	x.orderReads(t, "grow", bad[0])
	c.WaitFalse(t, bad[0], "Synced", "ReconcileError", "96 MiB is its limit", "Raise the limit")
	x.unimpeded(t, bad[1], "beside it")
	x.unimpeded(t, well[0], "while it grows")
	x.countermandReads(t, bad[0])
	for _, r := range bad {
		c.WaitReady(t, r)
	}
}

var leftOut = regexp.MustCompile(`provider output left out.*"lines":(\d+)`)

func floodsTheLog(t *testing.T, c *cluster) {
	d := newDouble(t, "flooding")
	c.install(t, d.provider("*_thing"))
	r := d.thing(c.Namespace(t), "flood", nil)
	d.Order(t, "flood", "flood")
	begin := len(content(c.Log))
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	var logged, left int
	eventually(t, "what was left out is told", func(context.Context) bool {
		logged, left = 0, 0
		for line := range strings.Lines(content(c.Log)[begin:]) {
			if match := leftOut.FindStringSubmatch(line); match != nil && strings.Contains(line, `"flooding"`) {
				n, _ := strconv.Atoi(match[1])
				left += n
			} else if strings.Contains(line, `"module":"double"`) {
				logged++
			}
		}
		return left > 90_000
	})
	if logged == 0 || logged > 2000 {
		t.Errorf("%d lines are in the log, %d were left out", logged, left)
	}
}

func isThrottled(t *testing.T, c *cluster) {
	x := c.tenants(t, "throttled", nil)
	bad, well := x.made(t, "bad", 5), x.made(t, "well", 1)
	// What happens to one resource only is no verdict about the configuration, which others use.
	for _, r := range bad[:2] {
		x.Order(t, "read."+r.GetName(), "throttle 20")
	}
	// The resource whose answer was the evidence has the cloud's message; the others report why
	// they wait.
	eventually(t, "the cloud's message is reported", func(ctx context.Context) bool {
		return slices.ContainsFunc(bad[:2], func(r *unstructured.Unstructured) bool {
			err := c.Get(ctx, key(r), r)
			_, reason, message := objecttest.Condition(r, "Synced")
			return err == nil && reason == "ProviderThrottled" && clustertest.ContainsAll(message, "429 Too Many Requests", "Retry-After: 20")
		})
	})
	c.WaitFalse(t, bad[2], "Synced", "ProviderThrottled",
		"too many requests are made with this provider configuration", "It goes on, at a lower rate, at 20")
	for _, r := range bad[1:] {
		if c.Get(t.Context(), key(r), r) == nil && !isTrue(r, "Ready") {
			t.Errorf("%s is not ready for it", r.GetName())
		}
	}
	reads := x.Calls("read thing bad")
	x.unimpeded(t, well[0], "while it waits")
	never(t, 3*time.Second, "the cloud was asked again", func() bool { return x.Calls("read thing bad") > reads })
	for _, r := range bad {
		c.WaitReady(t, r)
	}
	if n := x.Calls("configure with the token of bad"); n != 1 {
		t.Errorf("the provider was started %d times", n)
	}
}

func isNotLoggedIn(t *testing.T, c *cluster) {
	x := c.tenants(t, "login", nil)
	bad, well := x.made(t, "bad", 15), x.made(t, "well", 1)
	x.orderReads(t, "login", bad...)
	for i := range 5 { // their creates fail as well
		name := fmt.Sprint("badnew", i)
		x.Order(t, name, "always login")
		r := x.of("bad", name)
		c.MustCreate(t, r)
		bad = append(bad, r)
	}
	eventually(t, "it is told", func(ctx context.Context) bool {
		for _, r := range bad {
			status, reason, message := condition(r, "Synced")
			if c.Get(ctx, key(r), r) == nil && status == "False" && reason == "ProviderUnavailable" &&
				strings.Contains(message, `credentials rejected ("password authentication failed")`) {
				return true
			}
		}
		return false
	})
	calls := func() int { return x.Calls("read thing bad") + x.Calls("create thing bad") }
	x.unimpeded(t, well[0], "while it waits")
	before := calls()
	time.Sleep(15 * time.Second)
	if n := calls() - before; n > 8 {
		t.Errorf("%d calls in 15 seconds", n)
	}
	x.countermandReads(t, bad[:15]...)
	for i := range 5 {
		x.Countermand(t, fmt.Sprint("badnew", i))
	}
	// A new Secret is a new configuration, and is used at once. Here the cloud accepts the old one
	// again.
	eventually(t, "it is tried again", func(context.Context) bool { return calls() > before })
	for _, r := range bad {
		c.WaitReady(t, r)
	}
	if n := x.Calls("configure with the token of bad"); n != 1 {
		t.Errorf("the provider was started %d times", n)
	}
}

func isLimited(t *testing.T, c *cluster) {
	x := c.tenants(t, "limited", m{"callsPerSecond": int64(2), "burst": int64(4)})
	for range 4 {
		x.made(t, "well", 1)
		r := x.of("well", "well0")
		c.Remove(t, r)
	}
	bad := x.made(t, "bad", 4)
	// Each is reconciled every second unless it is delayed.
	reads := x.Calls("read thing bad")
	time.Sleep(10 * time.Second)
	if n := x.Calls("read thing bad") - reads; n > 30 || n < 8 {
		t.Errorf("%d reads in ten seconds, where two a second are allowed", n)
	}
	for _, r := range bad {
		if err := c.Get(t.Context(), key(r), r); err != nil || !isTrue(r, "Ready", "Synced") {
			t.Errorf("%s suffers from it: %v", r.GetName(), err)
		}
	}
}

func answersWrongly(t *testing.T, c *cluster) {
	d := newDouble(t, "wrong")
	c.install(t, d.provider())
	ns := c.Namespace(t)

	t.Run("read", func(t *testing.T) {
		for what, says := range map[string]string{"garbage": "", "another": "Provider produced invalid object"} {
			r := d.thing(ns, "read-"+what, m{"value": "a"})
			c.MustCreate(t, r)
			c.WaitReady(t, r)
			d.Order(t, "read.read-"+what, "always "+what)
			c.WaitFalse(t, r, "Synced", "ReconcileError", says)
			if text(r, "status", "state") != "Full" || text(r, "status", "atProvider", "value") != "a" {
				t.Errorf("%s: state %s, value %s", what, text(r, "status", "state"), text(r, "status", "atProvider", "value"))
			}
			d.Countermand(t, "read.read-"+what)
			c.WaitReady(t, r)
			if n := d.Calls("create thing read-" + what); n != 1 {
				t.Errorf("%s: %d creates", what, n)
			}
		}
	})

	t.Run("create", func(t *testing.T) {
		for _, what := range []string{"garbage", "nothing"} {
			// It is unknown which object was created.
			r := d.thing(ns, "create-"+what, nil)
			d.Order(t, "create-"+what, what)
			c.MustCreate(t, r)
			c.WaitFalse(t, r, "Synced", "CreateOutcomeUnknown", "spec.import")
			o, _ := d.Object("thing", "create-"+what)
			c.MustPatch(t, r, `{"spec":{"import":{"id":"`+o.Attributes["id"]+`"}}}`)
			c.WaitReady(t, r)
			if n := d.Calls("create thing create-" + what); n != 1 {
				t.Errorf("%s: %d creates", what, n)
			}
		}
		// An object that differs from the plan is recorded, and will be replaced.
		r := d.thing(ns, "create-another", m{"value": "a"})
		set(t, r, "Keep", "spec", "lifecycle", "taintPolicy")
		d.Order(t, "create-another", "another")
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "LastAsyncOperation", "AsyncCreateFailure",
			"Provider produced inconsistent result after apply", "spec.forProvider.value")
		c.WaitFor(t, r, "tainted", func() bool { return text(r, "status", "state") == "Tainted" })
		if n := d.Calls("create thing create-another"); n != 1 {
			t.Errorf("%d creates", n)
		}
		c.Remove(t, r)
		if _, ok := d.Object("thing", "create-another"); ok {
			t.Error("the object is left")
		}
	})

	t.Run("update", func(t *testing.T) {
		for _, what := range []string{"garbage", "nothing", "another"} {
			r := d.place(ns, "update-"+what, m{"value": "a"})
			c.MustCreate(t, r)
			c.WaitReady(t, r)
			d.Order(t, "update-"+what, what)
			c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
			c.WaitFalse(t, r, "LastAsyncOperation", "AsyncUpdateFailure")
			c.WaitReady(t, r)
			c.has(t, d, "place", "update-"+what, "value", "b")
			if n := d.Calls("create place update-" + what); n != 1 {
				t.Errorf("%s: %d creates", what, n)
			}
			if text(r, "status", "identity", "name") != "update-"+what {
				t.Errorf("%s: the identity is lost", what)
			}
		}
	})
}

// TestInterruptedByStop checks that a provider receives a stop request and that its response is
// recorded within the grace period, also for a create that is just being sent.
func TestInterruptedByStop(t *testing.T) {
	t.Parallel()
	c := alone(t)
	d := newDouble(t, "interrupted")
	o := options(directory(t))
	o.GracePeriod = 30 * time.Second
	end, err := c.StartController(o)
	if err != nil {
		t.Fatal(err)
	}
	c.install(t, d.provider())
	ns := c.Namespace(t)
	var all []*unstructured.Unstructured
	for i := range 10 {
		name := fmt.Sprint("thing", i)
		d.Order(t, name, "polite 10m")
		r := d.thing(ns, name, nil)
		set(t, r, "Keep", "spec", "lifecycle", "taintPolicy")
		all = append(all, r)
	}
	for _, r := range all {
		c.MustCreate(t, r)
	}
	eventually(t, "a create is begun", func(context.Context) bool { return d.Calls("create thing") > 0 })
	began := time.Now()
	if err := end(); err != nil {
		t.Errorf("the controller ended with %v", err)
	}
	t.Logf("it stopped after %s, with %d creates begun", time.Since(began), d.Calls("create thing"))
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("it took %s to stop, so that not all creates were told", took)
	}
	objects, err := filepath.Glob(filepath.Join(d.Dir, "objects", "*"))
	if err != nil || len(objects) != d.Calls("create thing") {
		t.Errorf("%d objects of %d creates (%v)", len(objects), d.Calls("create thing"), err)
	}
	for _, path := range objects {
		name := strings.TrimPrefix(filepath.Base(path), "thing.")
		object, _ := d.Object("thing", name)
		recorded := false
		for _, s := range c.stored(t, ns) {
			if s.Annotations["landbridge.io/owner"] == ns+"/"+name {
				recorded = strings.Contains(string(s.Data["instance.json"]), object.Attributes["id"])
			}
		}
		if !recorded {
			t.Errorf("the answer about %s was not recorded", name)
		}
	}

	for _, r := range all {
		if err := os.Remove(filepath.Join(d.Dir, "orders", r.GetName())); client.IgnoreNotFound(err) != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	made := d.Calls("create thing")
	c.RunController(t, o)
	for _, r := range all {
		c.WaitFor(t, r, "Tainted or Full", func() bool {
			state := text(r, "status", "state")
			return state == "Tainted" || state == "Full"
		})
	}
	if n := d.Calls("create thing"); n != 10 {
		t.Errorf("%d creates, of which %d before the stop, of 10 objects", n, made)
	}
}
