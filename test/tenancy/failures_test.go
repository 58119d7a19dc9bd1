package tenancy_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// frail is a provider that fails in the attacks here, and in no others. Its processes may have 96
// MiB.
const frail = "frail"

// frailConfig creates a configuration of the frail provider: one that all share if no tenant is
// given.
func (x *world) frailConfig(t *testing.T, by *tenant, name string) {
	t.Helper()
	u, namespace := resource(apiVersion(frail), "ClusterProviderConfig", "", name, nil), x.victim.namespace
	if by != nil {
		u, namespace = resource(apiVersion(frail), "ProviderConfig", by.namespace, name, nil), by.namespace
	}
	owner := tenant{Client: x.Client, namespace: namespace}
	owner.secret(t, name, map[string]string{"token": "token-of-" + name})
	reference := m{"name": name, "key": "token"}
	if by == nil {
		reference["namespace"] = namespace
	}
	u.Object["spec"] = m{"tokenSecretRef": reference}
	x.MustCreate(t, u)
}

func (x *world) frailPlace(t *testing.T, by tenant, name, kind, config string) *unstructured.Unstructured {
	t.Helper()
	u := using(x.place(by, name, nil), kind, config)
	u.SetAPIVersion(apiVersion(frail))
	return by.create(t, u)
}

// fails has all reads of resources fail from now on, until the test ends.
func (x *world) fails(t *testing.T, order string, all []*unstructured.Unstructured) {
	t.Helper()
	for _, u := range all {
		x.WaitReady(t, u)
		name := "read." + u.GetName()
		doubles[frail].Order(t, name, "always "+order)
		t.Cleanup(func() { doubles[frail].Countermand(t, name) })
	}
}

// served changes a resource of the victim's several times. The test fails unless each change
// arrives.
func (x *world) served(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	for range 3 {
		value := rand.Text()
		x.victim.patch(t, u, fmt.Sprintf(`{"spec":{"forProvider":{"value":%q}}}`, value))
		eventually(t, "the change arrives", func(context.Context) bool {
			o, _ := doubles[frail].Object("place", u.GetName())
			return o.Attributes["value"] == value
		})
	}
}

// failing is an attack by objects at which the provider, or its cloud, fails. The victim has an
// object of the same ClusterProviderConfig. said is what mallory's resources report of it, one of
// them.
func failing(means, order string, said ...string) attack {
	const n = 4
	begin := func(t *testing.T, x *world) {
		t.Helper()
		var all []*unstructured.Unstructured
		for i := range n {
			all = append(all, x.frailPlace(t, x.mallory, fmt.Sprint(x.name, "-", i), "ClusterProviderConfig", x.name))
		}
		x.fails(t, order, all)
		eventually(t, "a failure is reported", func(ctx context.Context) bool {
			for _, u := range all {
				err := x.Get(ctx, client.ObjectKeyFromObject(u), u)
				status, _, message := objecttest.Condition(u, "Synced")
				if err == nil && status == "False" && slices.ContainsFunc(said, func(part string) bool { return strings.Contains(message, part) }) {
					return true
				}
			}
			return false
		})
	}
	return attack{
		attacker: attacker, means: means, refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.frailConfig(t, nil, x.name)
			u := x.frailPlace(t, x.victim, x.name, "ClusterProviderConfig", x.name)
			x.WaitReady(t, u)
			begin(t, x)
			x.served(t, u)
			return false
		},
		control: func(t *testing.T, x *world) bool {
			x.frailConfig(t, nil, x.name)
			begin(t, x)
			return true
		},
	}
}

// failures are attacks by what makes a provider fail, and by many calls that take long.
var failures = map[string]attack{
	"crashes": failing("has objects of a shared configuration at which the provider crashes",
		"crash-before", "crashed", "status 86"),
	"hangs": failing("has objects of a shared configuration at which the provider hangs", "hang", "not answer"),
	"memory": failing("has objects of a shared configuration that take more memory than the "+
		"provider may have", "grow", "96 MiB"),
	"throttling": failing("has objects of a shared configuration for which the cloud asks to "+
		"wait for 15 minutes", "throttle 900", "429 Too Many Requests"),
	"rejected credentials": failing("has objects of a shared configuration for which the cloud reports "+
		"wrong credentials", "login", "password authentication failed"),
	"many configurations that hang": {
		attacker: attacker, means: "creates 20 ProviderConfigs, all calls of which hang", refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.frailConfig(t, &x.victim, x.name)
			u := x.frailPlace(t, x.victim, x.name, "ProviderConfig", x.name)
			x.WaitReady(t, u)
			x.hangsInMany(t)
			x.served(t, u)
			return false
		},
		control: func(t *testing.T, x *world) bool { return x.hangsInMany(t) },
	},
	"imports that hang": {
		attacker: attacker, means: "imports 20 objects of a shared configuration, all of which hang",
		refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.frailConfig(t, nil, x.name)
			u := x.frailPlace(t, x.victim, x.name, "ClusterProviderConfig", x.name)
			x.WaitReady(t, u)
			x.importsThatHang(t)
			x.served(t, u)
			return false
		},
		control: func(t *testing.T, x *world) bool {
			x.frailConfig(t, nil, x.name)
			return x.importsThatHang(t)
		},
	},
	"plans that hang": {
		attacker: attacker, means: "has 20 changes planned at once at admission, all of which hang", refusal: "the victim's change is planned",
		try: func(t *testing.T, x *world) bool {
			defer x.plansThatHang(t)()
			by, told := x.victim.warned(t)
			r := x.place(by, x.name, nil)
			if err := by.Create(t.Context(), r, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			return !strings.Contains(told.said(), "+ create")
		},
		control: func(t *testing.T, x *world) bool {
			x.plansThatHang(t)()
			return true
		},
	},
}

// hanging is how many calls hang in an attack.
const hanging = 20

// importsThatHang has a user import objects, and reports whether several imports hang at once.
func (x *world) importsThatHang(t *testing.T) bool {
	t.Helper()
	by := x.user(t, x.name)
	for i := range hanging {
		id := fmt.Sprint(x.name, "-", i)
		order := "import." + id
		doubles[frail].Order(t, order, "always hang")
		t.Cleanup(func() { doubles[frail].Countermand(t, order) })
		u := using(x.place(by, id, nil), "ClusterProviderConfig", x.name)
		u.SetAPIVersion(apiVersion(frail))
		spec(u)["import"] = m{"id": id}
		by.create(t, u)
	}
	eventually(t, "several of them hang", func(context.Context) bool { return doubles[frail].Calls("import place "+x.name+"-") >= 4 })
	return true
}

// plansThatHang has a user apply resources whose plans hang, as dry runs, until stop is called.
func (x *world) plansThatHang(t *testing.T) (stop func()) {
	t.Helper()
	by := x.user(t, x.name)
	x.webhookPath(t, x)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range hanging {
		name := fmt.Sprint(x.name, "-", i)
		order := "plan." + name
		doubles[open].Order(t, order, "always slow 30s")
		t.Cleanup(func() { doubles[open].Countermand(t, order) })
		all.Go(func() {
			for ctx.Err() == nil {
				_ = by.Create(ctx, x.place(by, name, nil), client.DryRunAll)
			}
		})
	}
	by, told := by.warned(t)
	eventually(t, "plans hang", func(ctx context.Context) bool {
		_ = by.Create(ctx, x.place(by, fmt.Sprint(x.name, "-", 0), nil), client.DryRunAll)
		return strings.Contains(told.said(), "cannot be planned")
	})
	return func() { cancel(); all.Wait() }
}

// hangsInMany creates configurations with a resource each whose reads hang, and reports whether
// several hang at once.
func (x *world) hangsInMany(t *testing.T) bool {
	t.Helper()
	const n = 20
	by := x.user(t, x.name)
	var all []*unstructured.Unstructured
	for i := range n {
		name := fmt.Sprint(x.name, "-", i)
		x.frailConfig(t, &by, name)
		all = append(all, x.frailPlace(t, tenant{Client: x.Client, namespace: by.namespace}, name, "ProviderConfig", name))
	}
	x.fails(t, "hang", all)
	reads := doubles[frail].Calls("read place " + x.name + "-")
	eventually(t, "several of them hang", func(context.Context) bool { return doubles[frail].Calls("read place "+x.name+"-") >= reads+4 })
	return true
}
