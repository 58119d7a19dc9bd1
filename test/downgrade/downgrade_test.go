package downgrade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// estate has the resources that all releases work on.
type estate struct {
	*cluster
	// round counts the releases that have operated.
	round int
	// fresh are the resources that the last release has created, which the next one deletes.
	fresh []*slot
	// updated and replaced are the resources that each release updates and replaces.
	updated, replaced []*slot
	// deposed has its object replaced while the former one cannot be destroyed, and tainted is
	// tainted and kept.
	deposed, tainted *slot
	unsettled        *slot
	handle           *slot
}

// Each release works on what the other has stored, and finishes what the other had begun.
func TestDowngrade(t *testing.T) {
	former, this := formerRelease(t), thisRelease(t)
	e := &estate{cluster: newCluster(t)}

	e.install(t, former)
	e.start(t, former)
	e.furnish(t)
	e.populate(t)
	e.rest(t, former.name+", created")
	e.operate(t, former)
	e.leave(t)

	e.install(t, this)
	results.upgrades++
	e.takeOver(t, this)
	e.agree(t, "after the upgrade", former, this)
	e.nameKinds(t)
	e.neverSettle(t)
	e.operate(t, this)
	e.agree(t, "operated by "+this.name, former, this)
	e.leave(t)

	// First the program alone, as with a former image, and then with its manifests.
	results.downgrades++
	e.takeOver(t, former)
	e.agree(t, "after the downgrade", former, this)
	e.operate(t, former)
	e.leave(t)
	e.install(t, former)
	results.downgrades++
	e.takeOver(t, former)
	e.operate(t, former)
	e.agree(t, "operated by "+former.name, former, this)
	e.leave(t)

	e.install(t, this)
	results.upgrades++
	e.takeOver(t, this)
	e.nameKindsAgain(t)
	e.waitUnsettled(t)
	e.operate(t, this)
	e.agree(t, "in the end", former, this)

	e.clear(t)
	e.kill(t)
}

// populate creates the resources.
func (e *estate) populate(t *testing.T) {
	t.Helper()
	for _, k := range []*kind{thing, datastore, ticket, alias, credential, note} {
		e.updated = append(e.updated, e.add(k, framework, "f6-"+plain(k), nil))
	}
	for _, k := range []*kind{thing, datastore, note} {
		e.updated = append(e.updated, e.add(k, sdk, "s2-"+plain(k), nil))
	}
	e.updated = append(e.updated, e.add(depot, modules, "depot-0", nil))
	e.add(content, random, "content-0", nil)

	base := e.add(thing, framework, "base-0", nil)
	dependent := e.add(datastore, framework, "dependent-0", m{
		"references": []any{m{"to": "forProvider.hciClusterUuid", "from": m{"kind": "Thing", "name": base.name}}},
	})
	delete(dependent.spec, "hciClusterUuid")
	e.updated = append(e.updated, base, dependent)

	for _, name := range []string{"imported-0", "observed-0"} {
		made := e.cloud.Make(t, thing.collection, m{"name": name, "region": "us-east-1", "size": 1})
		s := e.add(thing, framework, name, m{"import": m{"id": made["id"]}})
		if s.observed = name == "observed-0"; s.observed {
			s.spec, s.others["managementPolicies"] = m{}, []any{"Observe"}
		} else {
			e.updated = append(e.updated, s)
		}
	}
	e.seen = len(e.cloud.Changes(t))

	e.replaced = append(e.replaced,
		e.add(thing, framework, "replaced-thing", nil), e.add(ticket, framework, "replaced-ticket", nil),
		e.add(datastore, sdk, "replaced-datastore", nil))
	// Its value stays when the other object is replaced. An upgrade does not have it follow.
	copied := e.add(alias, framework, "copied-0", m{
		"references": []any{m{"to": "forProvider.target", "from": m{"kind": "Thing", "name": e.replaced[0].name}}},
	})
	delete(copied.spec, "target")
	e.deposed = e.add(thing, framework, "deposed-0", nil)
	e.deposed.createsFirst = true
	e.tainted = e.add(thing, framework, "tainted-0", m{"lifecycle": m{"taintPolicy": "Keep"}})
	for _, s := range e.slots {
		s.create(t)
	}
}

func plain(k *kind) string { return strings.ToLower(k.name) }

// rest waits until all resources are as they are declared, and judges what has happened.
func (e *estate) rest(t *testing.T, when string) {
	t.Helper()
	for _, s := range e.slots {
		if !s.deleted || s.underway {
			s.settle(t)
		}
	}
	e.judge(t, when)
}

// operate creates, updates, replaces and deletes.
func (e *estate) operate(t *testing.T, r *release) {
	t.Helper()
	e.round++
	if e.tainted.tainted {
		e.tainted.annotate(t, "landbridge.io/untaint", fmt.Sprint(e.round))
		e.tainted.tainted = false
	}
	for _, s := range e.updated {
		s.update(t)
	}
	for _, s := range e.replaced {
		s.replace(t)
	}
	for _, s := range e.fresh {
		s.remove(t)
		s.underway = true
	}
	e.fresh = nil
	for _, k := range []*kind{thing, datastore, alias, credential} {
		e.fresh = append(e.fresh, e.add(k, framework, fmt.Sprintf("fresh-%s-%d", plain(k), e.round), nil).create(t))
	}
	e.rest(t, r.name+", operating")
}

// leave ends the controller in the middle of operations.
func (e *estate) leave(t *testing.T) {
	t.Helper()
	e.tainted.annotate(t, "landbridge.io/taint", fmt.Sprint(e.round))
	e.tainted.tainted = true
	e.tainted.settle(t)

	e.deposed.fault(t, "delete", m{"status": 503})
	e.deposed.replace(t)
	u := e.deposed.resource()
	e.WaitFor(t, u, "replaced, with the former object", func() bool { return text(u, "status", "deposed") != "" })

	// Nothing is known of the thing before its create. The datastore is found by its identity: it
	// may be incomplete, so it is replaced. The ticket's create is repeated with its token.
	made := map[string]int{"things": 1, "datastores": 2, "tickets": 1}
	var slow []*slot
	for _, k := range []*kind{thing, datastore, ticket} {
		s := e.add(k, framework, fmt.Sprintf("slow-%s-%d", plain(k), e.round), nil)
		s.fault(t, "create", m{"task_outcome": "hang", "count": 1})
		s.create(t)
		if made[k.collection] > 1 {
			s.expect(s, "creates", 1)
			s.expect(s, "deletes", 1)
		}
		slow, e.updated = append(slow, s), append(e.updated, s)
	}
	updating, deleting := e.updated[0], e.fresh[0]
	updating.fault(t, "update", m{"delay": "60s", "count": 1})
	updating.update(t)
	deleting.fault(t, "delete", m{"delay": "60s", "count": 1})
	deleting.remove(t)
	e.fresh = e.fresh[1:]
	for _, s := range slow {
		s.underway = true
		s.happens(t, "create_requests")
	}
	updating.begins(t, "update")
	deleting.begins(t, "delete")
	e.kill(t)
	for _, s := range slow {
		e.cloud.EndTaskOf(t, s.kind.collection, s.kind.titled(), s.name, "succeed")
		s.happens(t, "creates")
	}
	e.cloud.RemoveFaults(t, e.deposed.name)
}

// takeOver has a release go on with what the last one had begun.
func (e *estate) takeOver(t *testing.T, r *release) {
	t.Helper()
	e.start(t, r)
	e.rest(t, r.name+", taking over")
}

// nameKinds installs a provider whose kind has a name by spec.names, which the former release does
// not have.
func (e *estate) nameKinds(t *testing.T) {
	t.Helper()
	f6 := object(landbridge, "TerraformProvider", "", framework, nil)
	e.MustGet(t, f6)
	e.provide(t, named, text(f6, "spec", "source"), m{"names": names})
	e.handle = e.add(handle, named, "handle-0", nil)
	e.handle.create(t)
	e.updated = append(e.updated, e.handle)
	e.rest(t, "named")
}

var names = m{"examplecloud_alias": m{
	"kind": handle.name, "listKind": handle.name + "List", "plural": "handles", "singular": "handle",
}}

// nameKindsAgain declares the names again, which the former release has dropped.
func (e *estate) nameKindsAgain(t *testing.T) {
	t.Helper()
	p := object(landbridge, "TerraformProvider", "", named, nil)
	merge, err := json.Marshal(m{"spec": m{"names": names}})
	if err != nil {
		t.Fatal(err)
	}
	e.MustPatch(t, p, string(merge))
	e.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
}

// neverSettle creates a resource whose value the cloud writes otherwise.
func (e *estate) neverSettle(t *testing.T) {
	t.Helper()
	s := e.add(record, sdk, "unsettled-0", nil)
	s.unsettled = true
	s.fault(t, "", m{"normalise": "case", "fields": []any{"value"}})
	s.create(t)
	e.unsettled = s
	e.waitUnsettled(t)
}

// waitUnsettled waits until the release knows that the resource never settles.
func (e *estate) waitUnsettled(t *testing.T) {
	t.Helper()
	u := e.unsettled.resource()
	e.WaitFor(t, u, "known to never settle", func() bool { return objecttest.IsTrue(u, "NeverSettles") })
}

// clear deletes all resources, all at once, and looks for what is left.
func (e *estate) clear(t *testing.T) {
	t.Helper()
	for _, s := range e.slots {
		if !s.deleted {
			s.remove(t)
			s.underway = true
		}
	}
	e.rest(t, "all deleted")
	for _, s := range e.slots {
		if !s.observed {
			continue
		}
		for _, o := range s.objects(t) {
			e.cloud.Remove(t, s.kind.collection, fmt.Sprint(o["id"]))
		}
	}
	if live := e.cloud.Audit(t).Live; live > 0 {
		found(t, &results.lost, "%d objects are left in the cloud", live)
	}
	waittest.Eventually(t, "nothing is stored", func(context.Context) bool {
		heads, parts := e.stored(t)
		return heads+parts == 0
	})
}
