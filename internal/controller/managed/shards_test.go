package managed_test

import (
	"context"
	"errors"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// elsewhere is a division of the work of which nothing belongs here.
type elsewhere struct{ managed.Shards }

func (elsewhere) Belong(shard.Use) managed.Belonging { return managed.Elsewhere }

// here is a division of the work of which all belongs here.
type here struct{ managed.Shards }

func (here) Has(string, string) bool                   { return true }
func (here) Company(names []string, _ string) []string { return names }
func (here) Claiming() func()                          { return func() {} }
func (here) Belong(shard.Use) managed.Belonging        { return managed.Here }

// naming are ProviderConfigs whose configurations are named as their objects are.
type naming struct{ managed.ProviderConfigs }

func (naming) Names(ref *xpv2.ProviderConfigReference, _ map[string]*xpv2.ProviderConfigReference, _ string) []string {
	return []string{ref.Name}
}

// namingModule are those of the instances of a module.
type namingModule struct{ naming }

func (namingModule) ResolveNamed(
	context.Context, *xpv2.ProviderConfigReference, map[string]*xpv2.ProviderConfigReference, string,
) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Handle[terraform.Executor]{}
}

func (namingModule) Consists(instance.Instance) (held, begun []terraform.Object) { return nil, nil }

func (s served) References() *references.Graph { return &references.Graph{} }

func using(k *managed.Kind, name, configuration string) *unstructured.Unstructured {
	gvk := k.Model.GroupVersionKind()
	return &unstructured.Unstructured{Object: m{
		"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "metadata": m{"name": name, "namespace": "team", "uid": "uid-" + name},
		"spec": m{"providerConfigRef": m{"kind": "ClusterProviderConfig", "name": configuration}},
	}}
}

// waking has no resources of other kinds, and remembers who was woken.
type waking struct {
	alone
	woken *[]string
}

func (w waking) Wake(k store.Key) { *w.woken = append(*w.woken, k.Name) }

// Of a resource that another shard works on, the references are known as they are now: nothing is
// destroyed that it refers to, and what it does not refer to any more is woken.
func TestReferencesOfOtherShards(t *testing.T) {
	k, graph, woken := kind(t), &references.Graph{}, []string(nil)
	k.ProviderConfigs, k.Neighbours, k.Options.Shards = naming{}, waking{alone{graph: graph}, &woken}, elsewhere{}
	c := fake.NewClientBuilder().Build()
	changed := managed.NewReconciler(k, c, c).Changed()
	referring := func(to string) *unstructured.Unstructured {
		u := using(k, "x", "one")
		u.SetAnnotations(map[string]string{"landbridge.io/destroy-before": k.Model.Kind + "/" + to})
		return u
	}
	key := func(name string) store.Key {
		return store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: "team", Name: name}
	}
	changed.Create(event.TypedCreateEvent[*unstructured.Unstructured]{Object: referring("a")})
	changed.Update(event.TypedUpdateEvent[*unstructured.Unstructured]{ObjectOld: referring("a"), ObjectNew: referring("b")})
	got := map[string]int{"a": len(graph.Referrers(key("a"))), "b": len(graph.Referrers(key("b")))}
	if diff := cmp.Diff(map[string]int{"a": 0, "b": 1}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a"}, woken); diff != "" {
		t.Error("woken", diff)
	}
}

// A resource that takes over the object of another one uses what that one uses, and the instance of
// a module any type.
func TestUse(t *testing.T) {
	k := kind(t)
	like := func(name string) *managed.Kind {
		return &managed.Kind{
			Model: &model.Resource{
				Type: "test_" + name, Group: k.Model.Group, Version: k.Model.Version, Kind: name,
				ListKind: name + "List",
			},
		}
	}
	other, module := like("Other"), like("Module")
	k.ProviderConfigs, other.ProviderConfigs, module.ProviderConfigs = naming{}, naming{}, namingModule{}
	k.Neighbours = served{kinds: map[string]*managed.Kind{
		k.Model.Kind + "." + k.Model.Group: k, "Other." + k.Model.Group: other, "Module." + k.Model.Group: module,
	}}
	module.Neighbours = k.Neighbours
	c := fake.NewClientBuilder().WithObjects(using(k, "same", "one"), using(other, "near", "one"),
		using(other, "far", "two"), using(module, "stack", "one")).Build()
	for _, of := range []*managed.Kind{k, other, module} {
		managed.Readers(of, c, c)
	}
	for name, test := range map[string]struct {
		of   *managed.Kind
		from string
		want shard.Use
	}{
		"nothing else":         {k, "", shard.Use{Configurations: []string{"one"}, Types: []string{"test_thing"}}},
		"of its type":          {k, k.Model.Kind + "/same", shard.Use{Configurations: []string{"one"}, Types: []string{"test_thing"}}},
		"of another type":      {k, "Other/near", shard.Use{Configurations: []string{"one"}, Types: []string{"test_thing", "test_Other"}}},
		"of another account":   {k, "Other/far", shard.Use{Configurations: []string{"one", "two"}, Types: []string{"test_thing", "test_Other"}}},
		"of what is not there": {k, "Other/gone", shard.Use{Configurations: []string{"one"}, Types: []string{"test_thing"}}},
		"of no kind":           {k, "Unknown/x", shard.Use{Configurations: []string{"one"}, Types: []string{"test_thing"}}},
		"of a module":          {k, "Module/stack", shard.Use{Configurations: []string{"one"}, Types: []string{"test_thing"}}},
		"a module":             {module, "", shard.Use{Configurations: []string{"one"}, Types: []string{shard.Any}}},
	} {
		t.Run(name, func(t *testing.T) {
			u := using(test.of, "new", "one")
			u.SetAnnotations(map[string]string{"landbridge.io/move-from": test.from})
			if diff := cmp.Diff(test.want, managed.Use(test.of, u)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// all are neighbours of which all kinds are asked.
type all struct {
	managed.Neighbours
	kinds []*managed.Kind
}

func (a all) Activated(configurations []string, modules bool) bool {
	out := true
	for _, k := range a.kinds {
		if !modules || k.HasObjectsOfAnyType() {
			out = k.Activated(configurations) && out
		}
	}
	return out
}

func (all) Kind(kschema.GroupKind) *managed.Kind { return nil }

// held is a reader that answers when it is told to.
type held struct {
	client.Client
	answers chan struct{}
}

func (h held) List(ctx context.Context, list client.ObjectList, o ...client.ListOption) error {
	select {
	case <-h.answers:
		return h.Client.List(ctx, list, o...)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Before the instance of a module is worked on, the objects of all kinds are claimed. Other
// resources wait for those of modules, unless none uses their account.
func TestModuleAwaitsAllKinds(t *testing.T) {
	for name, test := range map[string]struct {
		slowModule bool // else the other kind is
		shards     managed.Shards
		waits      bool
	}{
		"a module":                        {shards: here{}, waits: true},
		"another kind":                    {slowModule: true, shards: here{}, waits: true},
		"another kind, a divided account": {slowModule: true, shards: dividedHere{}},
	} {
		t.Run(name, func(t *testing.T) {
			k, module := kind(t), kind(t)
			k.ProviderConfigs, module.ProviderConfigs = naming{}, namingModule{}
			k.Options.Shards, module.Options.Shards = test.shards, test.shards
			neighbours := all{kinds: []*managed.Kind{k, module}}
			k.Neighbours, module.Neighbours = neighbours, neighbours
			c := fake.NewClientBuilder().Build()
			slow := held{c, make(chan struct{})}
			waiting, awaited := module, k
			if test.slowModule {
				waiting, awaited = k, module
			}
			managed.NewReconciler(waiting, c, c)
			managed.NewReconciler(awaited, slow, c)
			one := []string{"one"}
			eventually := func(what string, is func() bool) {
				t.Helper()
				err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, time.Minute, true,
					func(context.Context) (bool, error) { return is(), nil })
				if err != nil {
					t.Fatal(what)
				}
			}
			eventually("the objects of the kind itself are never claimed", func() bool { return waiting.Activated(one) })
			if managed.Active(waiting, one) == test.waits {
				t.Errorf("it waits: %t", !test.waits)
			}
			close(slow.answers)
			eventually("it is never active", func() bool { return managed.Active(waiting, one) })
		})
	}
}

// dividedHere are shards of which this one has the resources of all types, while no module uses
// their accounts.
type dividedHere struct{ here }

func (dividedHere) Has(_, resourceType string) bool { return resourceType != shard.Any }

// keeping is a scheduler that knows of no operation, and of an object.
type keeping struct {
	scheduler.Interface
	object instance.Instance
}

func (k keeping) ObjectOf(store.Key) (instance.Instance, bool) { return k.object, true }

// A resource without an object waits for the operation that changes the object to which it refers:
// that may replace it without asking, since it began before. Then it waits until the status shows
// what the operation has left. The record tells of an object of another shard.
func TestNewDependents(t *testing.T) {
	t.Parallel()
	object := func(id string) instance.Instance {
		return instance.Instance{
			Status: instance.Full,
			State:  cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id), "parent": cty.NullVal(cty.String)}),
		}
	}
	exists, replaced := object("i-1"), object("i-1")
	replaced.Operation = &instance.Operation{ID: "1", Kind: instance.Delete}
	for name, test := range map[string]struct {
		shards managed.Shards
		// known is what the scheduler knows, and stored is the record.
		known, stored instance.Instance
		err           error
		external      string
		// waits is set if the resource waits, and unknown if it is not known whether it has to.
		waits, unknown bool
	}{
		"no operation":                            {shards: elsewhere{}, stored: exists},
		"an operation":                            {shards: elsewhere{}, stored: replaced, waits: true},
		"an operation that has ended":             {shards: elsewhere{}, stored: object("i-2"), waits: true},
		"no object":                               {shards: elsewhere{}, waits: true},
		"no record":                               {shards: elsewhere{}, err: store.ErrNotFound, waits: true},
		"the record cannot be read":               {shards: elsewhere{}, err: errors.New("timeout"), unknown: true},
		"an operation of this shard":              {shards: here{}, stored: replaced}, // the scheduler knows better
		"an object of this shard":                 {shards: here{}, known: exists, stored: replaced},
		"an operation of this shard, which ended": {shards: here{}, known: object("i-2"), waits: true},
		"an operation, and there is no shard":     {stored: replaced},
		"one has ended, and there is no shard":    {known: object("i-2"), waits: true},
		"the resource has an object":              {shards: elsewhere{}, stored: replaced, external: "i-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
				"test_thing": {Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
					"id": {Type: cty.String, Computed: true}, "parent": {Type: cty.String, Optional: true},
				}}},
			}}, config.Provider{})
			if err != nil {
				t.Fatal(err)
			}
			k := &managed.Kind{Model: p.Resources["test_thing"], ProviderConfigs: naming{}, Scheduler: keeping{object: test.known}}
			k.Options.Shards = test.shards
			k.Neighbours = served{kinds: map[string]*managed.Kind{k.Model.Kind + "." + k.Model.Group: k}}
			k.Options.Stored = func(context.Context, store.Key, *schema.Resource) (store.Record, error) {
				return store.Record{Instance: test.stored}, test.err
			}
			of := using(k, "target", "one")
			of.Object["status"] = m{"atProvider": m{"id": "i-1"}}
			c := fake.NewClientBuilder().WithObjects(of).Build()
			managed.Readers(k, c, c)
			u := using(k, "new", "two")
			u.Object["spec"].(m)["references"] = []any{m{
				"to":   "forProvider.parent",
				"from": m{"kind": k.Model.Kind, "name": "target", "fieldPath": "status.atProvider.id"},
			}}
			if test.external != "" {
				u.SetAnnotations(map[string]string{"crossplane.io/external-name": test.external})
			}
			target := store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: "team", Name: "target"}
			got, err := managed.Changing(t.Context(), k, u, target)
			if waits := len(got) > 0; waits != test.waits || (err != nil) != test.unknown {
				t.Errorf("waits %t, error %v", waits, err)
			}
		})
	}
}
