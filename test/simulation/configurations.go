package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// With replicas, resources use several provider configurations. All of them give access to the
// cloud, but not all are known to be of one account. So resources have the same names only with
// those of the account that is declared from the beginning.

// defaultConfiguration is the only one without replicas.
const defaultConfiguration = "default"

// declaredAccount is declared from the beginning.
const declaredAccount = "x"

// makeConfigurations makes the provider configurations.
func (u *users) makeConfigurations() {
	for i := range u.w.shards + 1 {
		u.configure(fmt.Sprintf("c%d", i), ownership.Account{Content: u.content()})
	}
	for i := range 2 {
		u.configure(fmt.Sprintf("x%d", i), ownership.Account{Content: u.content(), Declared: declaredAccount})
	}
	if u.w.choices.splits {
		for _, name := range u.configurationNames("") {
			u.split(name, !u.w.choices.one(4))
		}
	}
}

// split has the resources of a configuration divided kind by kind, or not.
func (u *users) split(name string, now bool) {
	u.splits[name] = now
	u.configure(name, u.configurations[name])
}

// content returns what no other configuration has as its content.
func (u *users) content() string {
	u.serial++
	return fmt.Sprintf("content-%d", u.serial)
}

// configure changes a provider configuration.
func (u *users) configure(name string, a ownership.Account) {
	if was, ok := u.configurations[name]; ok && was.Declared != a.Declared {
		u.declared[name] = u.w.now()
	}
	u.configurations[name] = a
	u.w.api.log = append(u.w.api.log, watchEvent{configuration: name, account: a, split: u.splits[name]})
	u.w.note("user makes %s a configuration with %s of the account %q%s", name, a.Content, a.Declared,
		map[bool]string{true: ", divided by kind"}[u.splits[name]])
}

// shares reports whether the resources of a configuration may have names in common.
func shares(configuration string) bool { return strings.HasPrefix(configuration, declaredAccount) }

// configurationNames returns the names of the configurations that a resource may use instead of
// one; all without one.
func (u *users) configurationNames(of string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(u.configurations)), func(name string) bool {
		return of != "" && shares(name) != shares(of)
	})
}

// divide does what has resources move to other shards.
func (u *users) divide(k store.Key, i *incarnation) {
	c := u.w.choices
	if c.splits && c.one(2) {
		if c.one(2) {
			u.takeOver()
		} else {
			name := pick(c, u.configurationNames("")...)
			u.split(name, !u.splits[name])
		}
		return
	}
	switch c.next(4) {
	case 0, 1:
		if !i.gives && !i.takes { // both have to be in one shard
			u.refer(k, i, pick(c, u.configurationNames(i.configuration)...))
		}
	case 2:
		name, of := i.configuration, pick(c, u.configurationNames("")...)
		a := u.configurations[name]
		switch c.next(3) {
		case 0:
			a.Content = u.content()
		case 1:
			a.Content = u.configurations[of].Content
		case 2:
			if !shares(name) {
				a.Content = ""
			}
		}
		u.configure(name, a)
	case 3:
		name, of := i.configuration, pick(c, u.configurationNames("")...)
		a, other := u.configurations[name], u.configurations[of]
		if shares(name) {
			a, other, name, of = other, a, of, name
		}
		if other.Declared == "" {
			other.Declared = "account-" + of
			u.configure(of, other)
		}
		if !shares(name) {
			a.Declared = other.Declared
			u.configure(name, a)
		}
	}
}

// refer gives a resource another configuration.
func (u *users) refer(k store.Key, i *incarnation, configuration string) {
	u.w.note("user gives %s %s the configuration %s", k.Kind, k.Name, configuration)
	i.configuration, i.referred = configuration, u.w.now()
	i.lost = i.lost || i.unsecret // what only a process remembers is lost
	u.edit(k, configuration, "spec", "providerConfigRef", "name")
}

// changing returns the resources whose objects are being changed.
func (u *users) changing() (out []store.Key) {
	for _, k := range u.w.keys {
		r := u.resource(k)
		if r != nil && slices.ContainsFunc(u.w.leaders(), func(p *process) bool {
			known, _ := p.scheduler.Remembered(scheduler.Request{Resource: scheduler.Resource{Key: k, UID: r.GetUID()}})
			return known.Running
		}) {
			out = append(out, k)
		}
	}
	return out
}

// account returns the account of a configuration as a process knows it.
func (p *process) account(configuration string) ownership.Account {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if p.w.choices.accounts {
		return p.accesses[configuration].owner()
	}
	if p.w.shards == 0 {
		return ownership.Account{Content: configuration} // the only configuration is not changed
	}
	return p.accounts[configuration]
}

// configured is called when a process hears of a provider configuration.
func (p *process) configured(name string, a ownership.Account, split bool) {
	p.w.mu.Lock()
	p.accounts[name], p.splits[name] = a, split
	p.w.mu.Unlock()
	p.wakeUsing(name)
}

// wakeUsing has the resources that use a configuration reconciled.
func (p *process) wakeUsing(name string) {
	p.w.mu.Lock()
	var using []store.Key
	for _, k := range p.w.keys {
		if u := p.cache[k]; u != nil && configurationOf(u) == name {
			using = append(using, k)
		}
	}
	p.w.mu.Unlock()
	for _, k := range using {
		p.enqueue(k, 0)
	}
}

// divide has the configurations of the shard divided as they ask for, as the controller of provider
// configurations does.
func (p *process) divide() {
	if p.worker == nil || !p.active() {
		return
	}
	table := p.replica.placement.Now()
	for _, name := range slices.Sorted(maps.Keys(p.splits)) {
		placed, ok := table.Of(name)
		if split := p.splits[name]; ok && placed.Shard == p.shard && placed.Split != split && !p.dividing[name] {
			p.dividing[name] = true
			go func() {
				defer delete(p.dividing, name)
				ctx := context.WithValue(p.reconciling, actorKey{}, "divide "+name)
				p.w.note("%s has divided %s: %t, %s", p, name, split, errorText(divided{p.worker, p}.Divide(ctx, name, split)))
			}()
			synctest.Wait()
		}
	}
}

func configurationOf(u *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(u.Object, "spec", "providerConfigRef", "name")
	return name
}

// hasRecord reports whether the record of a resource belongs to the shard of a process, as far as
// it knows.
func (p *process) hasRecord(k store.Key) bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.records[k]
}

// recorded is called when a process hears of a stored instance.
func (p *process) recorded(k store.Key, by store.Shard) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	if by == p.shardOfRecords() {
		p.records[k] = true
	} else {
		delete(p.records, k)
	}
}

// shardOfRecords is the shard whose records a process has.
func (p *process) shardOfRecords() store.Shard {
	if p.replica == nil {
		return store.Shard{}
	}
	return store.Shard{Number: p.shard, Count: p.w.shards}
}

// objectType is the resource type of the objects of a resource; shard.Any if they are of several.
func (u *users) objectType(k store.Key) string {
	if u.isPair(k) {
		return shard.Any
	}
	return u.types(k)[0]
}

// placements is the latest table.
func (a *api) placements() (out shard.Table) {
	if err := json.Unmarshal(a.table().Data["table.json"], &out); err != nil {
		panic(err) // replicas have stored it
	}
	return out
}

// whole checks, while the object of a module is changed, that all objects of its configuration are
// of one shard.
func (c *check) whole(s *server) {
	if s.p.replica != nil && s.module && c.w.api.placements().Configurations[s.configuration].ByType {
		c.violated(DoubleWork, s.configuration, "%s changes the object of a module with %s, whose resource types "+
			"have shards of their own", s.p, s.configuration)
	}
}

// keeper is the process that would store a deleted record of a resource again; nil if there is
// none.
func (w *world) keeper(k store.Key) *process {
	if w.shards == 0 {
		return w.leader()
	}
	s, u := w.api.secrets[secretKey(k)], w.api.resources[k]
	if s == nil || u == nil {
		return nil
	}
	by := store.ShardOf(s)
	if by.Count == 0 {
		return nil
	}
	p := w.leases[by.Number].holder
	if p == nil || p.dead.Load() || p.leaving {
		return nil
	}
	table := w.api.placements()
	if number, ok := table.Where(configurationOf(u), w.users.objectType(k)); !ok || number != p.shard {
		return nil // it moves
	}
	return p
}

// alone checks, while a process changes an object, that no other shard changes one of the resource,
// and that its record is of the shard that does. It returns what is called afterwards. An object
// that two resources have had has the tag of only one of them.
func (c *check) alone(p *process, o *object, tag string) (done func()) {
	i := c.w.users.byTag[tag]
	if p.replica == nil || i == nil || i.meddled || i.gives || o != nil && o.shared {
		return func() {}
	}
	for other := range c.changing[tag] {
		if other.shard != p.shard && other.leads() {
			c.violated(DoubleWork, tag, "%s and %s change objects of %s %s (%s) at once", p, other, i.key.Kind, i.key.Name, tag)
		}
	}
	if c.changing[tag] == nil {
		c.changing[tag] = map[*process]int{}
	}
	c.changing[tag][p]++
	c.recordOf(p, i)
	return func() {
		if c.changing[tag][p]--; c.changing[tag][p] == 0 {
			delete(c.changing[tag], p)
		}
	}
}

// recordOf checks that the record of a resource is of the shard whose process changes its object.
func (c *check) recordOf(p *process, i *incarnation) {
	if c.w.users.current[i.key] != i {
		return
	}
	if s := c.w.api.secrets[secretKey(i.key)]; s != nil && store.ShardOf(s) != p.shardOfRecords() {
		c.violated(DoubleWork, i.tag+"record", "%s changes an object of %s %s (%s), though its record is of shard %s",
			p, i.key.Kind, i.key.Name, i.tag, s.Annotations["landbridge.io/shard"])
	}
}
