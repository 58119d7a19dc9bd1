package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// checkpointType is the type of the Secrets with the marks of resources at rest.
const checkpointType = "landbridge.io/checkpoint"

// checkpoint returns the resource versions of the Secrets with marks, and the number of marks.
func (c *cluster) checkpoint(t *testing.T) (versions []string, marks int) {
	t.Helper()
	secrets := &corev1.SecretList{}
	if err := c.List(t.Context(), secrets); err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets.Items {
		if s.Type == checkpointType {
			versions, marks = append(versions, s.ResourceVersion), marks+len(s.Data["marks"])/16
		}
	}
	return versions, marks
}

// versions returns the objects, and the resource versions of all Secrets.
func (c *cluster) versions(t *testing.T, objects ...*unstructured.Unstructured) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, u := range objects {
		if err := c.Get(t.Context(), key(u), u); err != nil {
			t.Fatal(err)
		}
		content, err := json.MarshalIndent(u.Object, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out[u.GetKind()+" "+u.GetName()] = string(content)
	}
	secrets := &corev1.SecretList{}
	if err := c.List(t.Context(), secrets); err != nil {
		t.Fatal(err)
	}
	for _, s := range secrets.Items {
		if s.Type != checkpointType { // it says which resources were found unchanged
			out["Secret "+s.Name] = s.ResourceVersion
		}
	}
	return out
}

func same(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for name := range maps.Keys(before) {
		if after[name] != before[name] {
			t.Errorf("%s: %s changed: %s", what, name, cmp.Diff(before[name], after[name]))
		}
	}
	if len(before) != len(after) {
		t.Errorf("%s: %d objects became %d", what, len(before), len(after))
	}
}

// Nothing is written while nothing changes. A restart of the controller changes
// nothing either, even if the stored state is lost.
func TestNothingChanges(t *testing.T) {
	t.Parallel()
	c := alone(t)
	mirror := providertest.Mirror(t, "random", "local")
	stop := c.RunController(t, options(mirror))
	d := newDouble(t, "quiet", "TESTPROVIDER_CONFIGURATION=yes")
	providers := []*unstructured.Unstructured{d.provider(), terraformProvider("random", "hashicorp/random"), realProvider("local")}
	for _, p := range providers {
		c.install(t, p)
	}
	ns := c.Namespace(t)
	c.secret(t, ns, "token", map[string]string{"token": "the token", "password": "the password"})
	config := resource(d.APIVersion(), "ClusterProviderConfig", "", "default", m{
		"tokenSecretRef": m{"name": "token", "namespace": ns, "key": "token"},
	})
	resources := []*unstructured.Unstructured{
		d.thing(ns, "thing", m{
			"value": "a", "passwordSecretRef": m{"name": "token", "key": "password"}, "rule": []any{
				m{"portRange": "1"}, m{"portRange": "2"},
			},
		}),
		d.place(ns, "place", nil),
		resource(random, "Password", ns, "password", m{
			"forProvider": m{"length": int64(16)}, "writeConnectionSecretToRef": m{"name": "details"},
		}),
		resource(random, "Pet", ns, "pet", m{"forProvider": m{}}),
		resource(local, "File", ns, "file", m{"forProvider": m{"filename": filepath.Join(d.Dir, "file"), "content": "text"}}),
	}
	broken := d.thing(ns, "broken", m{"displayName": "invalid"})
	for _, r := range append(resources, broken) {
		c.MustCreate(t, r)
	}
	c.MustCreate(t, config) // created now, because its users are counted at once and only rarely afterwards
	for _, r := range resources {
		c.WaitReady(t, r)
	}
	c.WaitFalse(t, broken, "Synced", "InvalidConfiguration")
	all := slices.Concat(providers, resources, []*unstructured.Unstructured{config, broken})
	polls := func(n int) {
		t.Helper()
		reads := d.Calls("read thing thing")
		eventually(t, fmt.Sprint(n, " polls"), func(context.Context) bool { return d.Calls("read thing thing") >= reads+n })
	}
	writes := func() (n int) {
		for _, kind := range []struct{ group, plural string }{
			{"quiet.landbridge.io", "things"}, {"quiet.landbridge.io", "places"}, {"quiet.landbridge.io", "clusterproviderconfigs"},
			{"random.landbridge.io", "passwords"}, {"random.landbridge.io", "pets"}, {"local.landbridge.io", "files"},
			{"landbridge.io", "terraformproviders"}, {"", "secrets"}, {"apiextensions.k8s.io", "customresourcedefinitions"},
		} {
			n += c.writes(t, kind.group, kind.plural)
		}
		return n
	}
	c.WaitFor(t, config, "counted", func() bool { return text(config, "status", "users") == "3" })

	polls(2)
	saved, _ := c.checkpoint(t)
	versions, before, changes := c.versions(t, all...), writes(), d.Changes()
	if before < len(resources) {
		t.Fatalf("the API server counts %d writes", before)
	}
	polls(4)
	most := 0
	if now, _ := c.checkpoint(t); !slices.Equal(saved, now) {
		most = 1 // the marks of resources that came to rest before
	}
	if n := writes() - before; n > most {
		t.Errorf("%d writes while nothing changes", n)
	}
	same(t, "while nothing changes", versions, c.versions(t, all...))

	stop()
	stop = c.RunController(t, options(mirror))
	polls(4)
	same(t, "after a new start", versions, c.versions(t, all...))
	if n := d.Changes() - changes; n != 0 {
		t.Errorf("%d changes of remote objects", n)
	}

	// Without stored state, objects are found by the ids recorded on the resources.
	stop()
	for _, name := range []string{"thing", "place"} {
		for _, s := range c.stored(t, ns) {
			if s.Annotations["landbridge.io/owner"] == ns+"/"+name {
				if err := c.Delete(t.Context(), &s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	c.RunController(t, options(mirror))
	eventually(t, "all resources are stored again", func(context.Context) bool { return len(c.stored(t, ns)) == len(resources) })
	polls(2)
	for _, r := range resources[:2] {
		c.WaitReady(t, r)
	}
	if n := d.Changes() - changes; n != 0 {
		t.Errorf("%d changes of remote objects after the stored state was lost", n)
	}
	for _, r := range resources {
		c.Remove(t, r)
	}
	c.Remove(t, broken)
	if stored := c.stored(t, ns); len(stored) != 0 {
		t.Errorf("%d are stored at the end", len(stored))
	}
}

// A controller that is started again reads all resources, and plans those that were at rest, and
// are, with the next look only.
func TestRestartPlansLater(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(directory(t))
	stop := c.RunController(t, o)
	d := newDouble(t, "resting")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	var resources []*unstructured.Unstructured
	for i := range 5 {
		r := d.thing(ns, fmt.Sprint("thing-", i), m{"value": "a"})
		c.MustCreate(t, r)
		resources = append(resources, r)
	}
	looks := func(n int) {
		t.Helper()
		reads := map[int]int{}
		for i := range resources {
			reads[i] = d.Calls(fmt.Sprint("read thing thing-", i))
		}
		eventually(t, fmt.Sprint(n, " looks at each"), func(context.Context) bool {
			for i := range resources {
				if d.Calls(fmt.Sprint("read thing thing-", i)) < reads[i]+n {
					return false
				}
			}
			return true
		})
	}
	for _, r := range resources {
		c.WaitReady(t, r)
	}
	looks(4) // after a create: the first plan, the status, and what is found unchanged
	stop()
	if _, marks := c.checkpoint(t); marks != len(resources) {
		t.Fatalf("%d marks are left", marks)
	}
	// One is changed while no controller runs.
	c.MustPatch(t, resources[0], `{"spec":{"forProvider":{"value":"b"}}}`)
	rare := o
	rare.Poll = time.Hour
	plans := planCalls(t, d.Name)
	stop = c.RunController(t, rare)
	looks(1)
	c.has(t, d, "thing", "thing-0", "value", "b")
	c.WaitReady(t, resources[0])
	if n := planCalls(t, d.Name) - plans; n < 1 || n > 3 { // before and after the update, and once more if it is looked at again
		t.Errorf("%d plans after the new start", n)
	}
	stop()
	plans = planCalls(t, d.Name)
	c.RunController(t, o)
	looks(2)
	eventually(t, "all are planned", func(context.Context) bool { return planCalls(t, d.Name)-plans >= len(resources) })
	looks(2)
	if n := d.Changes(); n != len(resources)+1 {
		t.Errorf("%d changes of remote objects", n)
	}
}

// planCalls counts the plans that a provider was asked for.
func planCalls(t *testing.T, provider string) (n int) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "landbridge_provider_call_duration_seconds" {
			continue
		}
		for _, one := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range one.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if strings.HasPrefix(labels["configuration"], provider+".") && labels["method"] == "PlanResourceChange" {
				n += int(one.GetHistogram().GetSampleCount())
			}
		}
	}
	return n
}

// A slow create does not block the only worker, survives a stop of the
// controller, and is not repeated by the next one.
func TestSlowCreate(t *testing.T) {
	t.Parallel()
	c := alone(t)
	d := newDouble(t, "slow")
	o := options(directory(t))
	o.Workers = 1
	stop := c.RunController(t, o)
	c.install(t, d.provider())
	ns := c.Namespace(t)
	quick := d.thing(ns, "quick", m{"value": "a"})
	c.MustCreate(t, quick)
	c.WaitReady(t, quick)

	d.Order(t, "slow", "slow 6s")
	slow := d.thing(ns, "slow", nil)
	c.MustCreate(t, slow)
	c.WaitFor(t, slow, "being created", func() bool { return text(slow, "status", "operation", "kind") == "Create" })
	if _, reason, _ := condition(slow, "Ready"); reason != "Creating" {
		t.Errorf("Ready is %s", reason)
	}
	c.MustPatch(t, quick, `{"spec":{"forProvider":{"value":"b"}}}`)
	c.has(t, d, "thing", "quick", "value", "b")
	c.WaitReady(t, quick)
	// A change during the create waits, and is applied afterwards.
	c.MustPatch(t, slow, `{"spec":{"forProvider":{"value":"meanwhile"}}}`)
	if _, made := d.Object("thing", "slow"); made {
		t.Error("the create ended too early for this test")
	}
	c.has(t, d, "thing", "slow", "value", "meanwhile")
	c.WaitReady(t, slow)

	// A controller that is stopped waits for the result.
	d.Order(t, "stopped", "slow 3s")
	stopped := d.thing(ns, "stopped", nil)
	c.MustCreate(t, stopped)
	eventually(t, "its create is begun", func(context.Context) bool { return d.CarriedOut("stopped") })
	stop()
	object, made := d.Object("thing", "stopped")
	if !made {
		t.Fatal("the controller did not wait for the create")
	}
	for _, s := range c.stored(t, ns) {
		if s.Annotations["landbridge.io/owner"] == ns+"/stopped" && !strings.Contains(string(s.Data["instance.json"]), object.Attributes["id"]) {
			t.Error("the result was not stored")
		}
	}

	// A create that takes longer has an unknown outcome, and is not repeated.
	o.GracePeriod = time.Second
	end, err := c.StartController(o)
	if err != nil {
		t.Fatal(err)
	}
	c.WaitReady(t, stopped)
	d.Order(t, "lost", "slow 30s")
	lost := d.thing(ns, "lost", nil)
	c.MustCreate(t, lost)
	eventually(t, "its create is begun", func(context.Context) bool { return d.CarriedOut("lost") })
	if err := end(); err == nil {
		t.Error("the controller did not wait, but returned no error")
	}
	c.RunController(t, o)
	c.WaitFalse(t, lost, "Synced", "CreateOutcomeUnknown")
	for _, name := range []string{"stopped", "lost", "slow"} {
		if n := d.Calls("create thing " + name); n != 1 {
			t.Errorf("%d creates of %s", n, name)
		}
	}
}

// Of two controllers one works; the other takes over when the first one ends.
func TestLeaderElection(t *testing.T) {
	t.Parallel()
	first := alone(t)
	second := first.beside(t)
	o := options(directory(t))
	o.LeaderElection = true
	d := newDouble(t, "elected")
	stop := first.RunController(t, o)
	first.install(t, d.provider())
	ns := first.Namespace(t)
	r := d.thing(ns, "a", nil)
	first.MustCreate(t, r)
	first.WaitReady(t, r)

	second.RunController(t, o)
	holder := func() string {
		lease := resource("coordination.k8s.io/v1", "Lease", system, "landbridge.landbridge.io", nil)
		if err := first.Get(t.Context(), key(lease), lease); err != nil {
			return ""
		}
		return text(lease, "spec", "holderIdentity")
	}
	leader := holder()
	works := func(c *cluster) bool { return strings.Contains(content(c.Log), "Starting workers") }
	eventually(t, "the second waits for the lease", func(context.Context) bool {
		return strings.Contains(content(second.Log), "leader lease")
	})
	reads := d.Calls("read")
	eventually(t, "the first goes on", func(context.Context) bool { return d.Calls("read") > reads+2 })
	if leader == "" || holder() != leader || !works(first) || works(second) {
		t.Errorf("the leader is %q, then %q; the first works: %v, the second: %v", leader, holder(), works(first), works(second))
	}

	changes := d.Changes()
	stop()
	eventually(t, "the second takes over", func(context.Context) bool { return holder() != leader && works(second) })
	second.MustPatch(t, r, `{"spec":{"forProvider":{"value":"of the second"}}}`)
	second.has(t, d, "thing", "a", "value", "of the second")
	second.WaitReady(t, r)
	if n := d.Changes() - changes; n != 1 {
		t.Errorf("%d changes", n)
	}
}
