package simulation

import (
	"context"
	"maps"
	"slices"

	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// With replicas and several accounts, two resources may have one object, through configurations of
// different shards. In other schedules none do, and the records of other shards are not asked.

// elsewhere are the records of other shards.
type elsewhere struct {
	p       *process
	records *store.Secrets
}

// elsewhere returns the records of other shards; nil if they are not asked.
func (p *process) elsewhere() scheduler.Elsewhere {
	if p.worker == nil || !p.w.choices.accounts {
		return nil
	}
	return elsewhere{p, &store.Secrets{Client: secretClient{p: p, namespace: systemNamespace}}}
}

// Having implements scheduler.Elsewhere.
func (e elsewhere) Having(resourceType string) (out []runtimeschema.GroupKind) {
	for _, name := range slices.Sorted(maps.Keys(e.p.kinds)) {
		if k := e.p.kinds[name]; k.HasObjectsOfAnyType() || k.Model.Type == resourceType {
			out = append(out, k.Model.GroupVersionKind().GroupKind())
		}
	}
	return out
}

// ObjectsOf implements scheduler.Elsewhere.
func (e elsewhere) ObjectsOf(k store.Key) (*schema.Resource, scheduler.Consists) {
	of := e.p.kinds[k.Kind]
	return of.Model.Schema, of.Consists()
}

// Naming implements scheduler.Elsewhere.
func (e elsewhere) Naming(ctx context.Context, n store.Named, some func([]store.Key)) error {
	return e.records.NamingElsewhere(ctx, e.p.shardOfRecords(), n, some)
}

// Manages implements scheduler.Elsewhere.
func (e elsewhere) Manages(ctx context.Context, k store.Key) (bool, error) {
	return e.p.kinds[k.Kind].Manages(ctx, k)
}

// Load implements scheduler.Elsewhere.
func (e elsewhere) Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	defer e.records.Forget(k)
	return e.records.Load(ctx, k, r)
}

// share creates a resource whose record has the object of another one, as if both had imported it
// before objects were compared. It is being deleted, and changes nothing. share reports false if
// there is no such object.
func (u *users) share(k store.Key) bool {
	c := u.w.choices
	if !c.accounts || !c.shared() || !c.one(2) || u.isPair(k) || u.w.api.secrets[secretKey(k)] != nil {
		return false
	}
	of := u.w.model.Resources[u.types(k)[0]]
	for _, other := range u.w.keys {
		r, i := u.resource(other), u.current[other]
		if other.Kind != k.Kind || r == nil || r.GetDeletionTimestamp() != nil || i.excused() || i.kept || i.meddled || i.shares {
			continue
		}
		in, ok := u.objectOf(other, of.Schema)
		through := slices.DeleteFunc(u.accessNames(), func(name string) bool {
			return name == i.configuration || u.accountOf(name) != u.recordedIn(other)
		})
		if !ok || len(through) == 0 {
			continue
		}
		u.shareWith(k, i, in, pick(c, through...))
		if c.one(2) {
			u.move(other, i) // the object is replaced meanwhile
		}
		return true
	}
	return false
}

// objectOf returns the instance with the current object of a resource, or with a deposed one. ok is
// false without one, or if it cannot be told apart from others.
func (u *users) objectOf(k store.Key, s *schema.Resource) (out instance.Instance, ok bool) {
	raw, err := (&store.Secrets{Client: inspector{a: u.w.api}}).Encoded(context.Background(), k)
	if err != nil || s.Block.Attributes[uid] == nil {
		return out, false
	}
	in, err := instance.Decode(raw, s)
	if err != nil {
		panic(err) // a process has stored it
	}
	if !in.Exists() && len(in.Deposed) > 0 {
		in = in.Deposed[0].Instance()
	}
	in.Operation, in.Deposed = nil, nil
	return in, in.Exists()
}

// shareWith creates a resource that has the object of the resource of an incarnation, through a
// configuration.
func (u *users) shareWith(k store.Key, with *incarnation, in instance.Instance, configuration string) {
	u.createWith(k, nil)
	i := u.current[k]
	u.w.note("%s has the object of %s, and is deleted", i.tag, with.tag)
	i.shares, i.configuration, i.name, i.zone, i.createFirst = true, configuration, with.name, with.zone, false
	i.places = map[string]bool{i.name: true, i.zone: true}
	u.edit(k, []any{"Observe", "Delete"}, "spec", "managementPolicies")
	u.edit(k, i.name, "spec", "forProvider", "name")
	u.edit(k, i.zone, "spec", "forProvider", "zone")
	u.edit(k, configuration, "spec", "providerConfigRef", "name")
	of := u.w.model.Resources[u.types(k)[0]].Schema
	head, parts, err := store.Manifests(k, of, store.Record{
		Owner: types.UID("uid-" + i.tag), Instance: in, Account: u.accesses[configuration].stored(configuration),
		Objects: store.Objects{By: store.ObjectsBy("1.0.0"), Hashes: []string{store.ObjectHash(of.Type, ownership.IdentityKey(of, in))}},
	})
	if err != nil {
		panic(err) // it was stored before
	}
	for _, s := range append(parts, head) {
		s.Namespace, s.UID = systemNamespace, types.UID("secret-"+u.w.api.nextVersion())
		u.w.api.putSecret(s)
	}
	for _, o := range u.w.cloud.objects {
		o.shared = o.shared || names(u.w.api.content(head), o)
	}
	u.w.api.deleteResource(k)
}

// shares checks, when a process destroys an object that two resources have had, that it is not the
// object of the first of them any more.
func (c *check) shares(p *process, o *object) {
	table := c.w.api.placements()
	for _, k := range c.w.keys {
		r, s, i := c.w.api.resources[k], c.w.api.secrets[secretKey(k)], c.w.users.current[k]
		if r == nil || s == nil || i.shares || i.excused() || i.meddled || s.Annotations["landbridge.io/owner-uid"] != string(r.GetUID()) {
			continue
		}
		number, ok := table.Where(configurationOf(r), c.w.users.objectType(k))
		if !ok || number == p.shard || store.ShardOf(s) == p.shardOfRecords() || !names(c.w.api.content(s), o) {
			continue
		}
		c.violated(Destroyed, o.uid+i.tag, "%s destroys %s, which %s %s (%s) of another shard has, too", p, o, k.Kind, k.Name, i.tag)
	}
}
