package tenancy_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
)

// load are attacks by sizes and numbers.
var load = map[string]attack{
	"a large spec": {
		attacker: attacker, means: "creates a resource with a value of a megabyte", refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.large(t)
			x.owned(t, "Place") // it fails if it is not ready in time
			return false
		},
		// They do reach the provider.
		control: func(t *testing.T, x *world) bool {
			x.large(t)
			o, ok := remote("place", x.name+"-large")
			return ok && len(o["value"]) == size
		},
	},
	"many resources": {
		attacker: attacker, means: "creates 200 resources that cannot be reconciled", refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.flood(t)
			x.owned(t, "Place")
			return false
		},
		control: func(t *testing.T, x *world) bool { return x.flood(t) },
	},
	"a transform without end": {
		attacker: attacker, means: "transforms a value so that it grows twentyfold, eight times", refusal: "the result is too large",
		try: func(t *testing.T, x *world) bool {
			u := x.transforms(t, x.mallory, "self"+strings.Repeat(".replace('x', 'xxxxxxxxxxxxxxxxxxxx')", 8))
			grew := x.either(t, u, func() bool { return text(u, "spec", "forProvider", "value") != "" },
				func() bool { return strings.Contains(message(u), "the result is too large") })
			x.owned(t, "Place")
			return grew
		},
		control: func(t *testing.T, x *world) bool {
			u := x.transforms(t, x.mallory, "self.replace('x', 'xx')")
			return x.either(t, u, func() bool { return text(u, "spec", "forProvider", "value") == "xx" },
				func() bool { return refusedFor(u, "ReconcileError") })
		},
	},
	"many configurations": {
		attacker: "trudy, with the role edit in one namespace,", means: "creates 1,000 ProviderConfigs with " +
			"1,000 resources",
		refusal: "the victim's resources are served, by few processes more",
		try: func(t *testing.T, x *world) bool {
			before := heap()
			x.configureMany(t, x.user(t, "trudy"), 1000)
			// A configuration of the victim's own, which needs a process, too.
			x.token(t)
			x.victim.create(t, resource(apiVersion(guarded), "ProviderConfig", x.victim.namespace, x.name, x.tokenRef()))
			r := x.victim.create(t, x.guardedPlace(x.victim, "ProviderConfig", x.name))
			for range 3 {
				x.WaitReady(t, r)
				x.MustPatch(t, r, fmt.Sprintf(`{"spec":{"forProvider":{"value":%q}}}`, rand.Text()))
			}
			grown, n := heap()-before, processes()
			t.Logf("the heap has grown by %d MiB, and %d processes run", grown>>20, n)
			return n > mostProcesses || grown > 256<<20
		},
		// The resources do get processes, as many as a namespace may have. In this suite they are
		// looked at every second, so none of the processes is idle for long enough to make room for
		// another one.
		control: func(t *testing.T, x *world) bool {
			x.configureMany(t, x.user(t, "trent"), 100)
			eventually(t, "as many are configured as may be", func(context.Context) bool {
				return doubles[guarded].Calls("configure with many-"+x.name) >= 20
			})
			return true
		},
	},
}

// transforms creates a resource whose value is that of another one of the tenant's, x, transformed.
func (x *world) transforms(t *testing.T, by tenant, transform string) *unstructured.Unstructured {
	t.Helper()
	by.create(t, x.place(by, x.name+"-source", m{"value": "x"}))
	u := x.refers(by, x.name+"-transformed", m{"namespace": by.namespace, "name": x.name + "-source", "transform": transform})
	by.create(t, u)
	return u
}

// integer creates a resource of the provider random.
func (x *world) integer(t *testing.T, by tenant, name string, more m) *unstructured.Unstructured {
	t.Helper()
	all := m{"forProvider": m{"min": int64(1), "max": int64(2)}}
	maps.Copy(all, more)
	u := resource(apiVersion("random"), "Integer", by.namespace, name, all)
	eventually(t, "the role includes the kind", func(ctx context.Context) bool { return by.Create(ctx, u.DeepCopy()) == nil })
	return u
}

// mostProcesses is how many processes of the guarded provider may run: 20 for each namespace with
// many configurations, and those of other attacks.
const mostProcesses = 60

// configureMany creates n provider configurations that differ, and a resource of each.
func (x *world) configureMany(t *testing.T, by tenant, n int) {
	t.Helper()
	tokens := map[string]string{}
	for i := range n {
		tokens[fmt.Sprint("token-", i)] = fmt.Sprintf("many-%s-%d", x.name, i)
	}
	by.secret(t, x.name, tokens)
	errs := kinds.Each(slices.Collect(maps.Keys(tokens)), func(key string) error {
		name := x.name + "-" + key
		config := resource(apiVersion(guarded), "ProviderConfig", by.namespace, name, m{"tokenSecretRef": m{"name": x.name, "key": key}})
		r := using(x.place(by, name, nil), "ProviderConfig", name)
		r.SetAPIVersion(apiVersion(guarded))
		return errors.Join(by.Create(t.Context(), config), by.Create(t.Context(), r))
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// processes counts the processes of the guarded provider.
func processes() int {
	n := 0
	for _, pid := range processtest.Children(os.Getpid()) {
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil &&
			strings.Contains(string(line), "terraform-provider-"+guarded) {
			n++
		}
	}
	return n
}

// heap returns what this process has in memory, the controller's objects included.
func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

const size = 1 << 20

// large creates a large resource of mallory's, and waits until it is ready.
func (x *world) large(t *testing.T) {
	t.Helper()
	x.WaitReady(t, x.mallory.create(t, x.place(x.mallory, x.name+"-large", m{"value": strings.Repeat("x", size)})))
}

// flood creates resources with invalid arguments, and reports whether they reach the controller.
func (x *world) flood(t *testing.T) bool {
	t.Helper()
	const n = 200
	last := x.place(x.mallory, x.name+"-last", m{"value": "invalid"})
	for i := range n - 1 {
		x.mallory.create(t, x.place(x.mallory, x.name+"-"+strings.Repeat("i", i%50)+"-"+string(rune('a'+i/50)), m{"value": "invalid"}))
	}
	x.mallory.create(t, last)
	return !x.becomesReady(t, last, "InvalidConfiguration", "ReconcileError")
}
