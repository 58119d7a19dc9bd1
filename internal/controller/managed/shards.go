package managed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Belonging is where the resources of provider configurations belong.
type Belonging int

const (
	// Elsewhere means that another shard has them, or will have.
	Elsewhere Belonging = iota
	// Here means that this shard has them.
	Here
	// Unplaced means that this shard has to decide where they belong.
	Unplaced
)

// Shards decides which resources this controller works on, where the work is divided by provider configurations, and by the
// resource types of some.
type Shards interface {
	// Belong returns where resources belong that use the same.
	Belong(use shard.Use) Belonging
	// Has reports whether the resources of a type that use a configuration belong here. The type may be shard.Any.
	Has(configuration, resourceType string) bool
	// Place decides where configurations belong that resources of some types use together.
	Place(ctx context.Context, together []ownership.Access, types []string) error
	// Divide has the resource types of a configuration placed one by one, or not.
	Divide(ctx context.Context, configuration string, split bool) error
	// Confirm returns an error unless the resources of a type that use a configuration belong here, as the account that it has
	// now.
	Confirm(ctx context.Context, a ownership.Access, resourceType string) error
	// Company returns the configurations whose resources of a type belong here, and that are of the accounts of those with
	// names, which are among them. Before one of them is used, the objects of all are claimed.
	Company(names []string, resourceType string) []string
	// Stored reports whether the record of a resource belongs to this shard.
	Stored(k store.Key) bool
	// Claiming is called when objects of configurations that are new here begin to be claimed. It returns what is called
	// when they are. Settled reports whether none are being claimed.
	Claiming() (done func())
	Settled() bool
}

// NamingConfigs is implemented by ProviderConfigs that can tell the names of configurations without resolving them. Names are
// those of providerconfig.Handle.
type NamingConfigs interface {
	Names(ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference, namespace string) []string
}

// configurationNames returns the names of the configurations that a resource uses.
func (k *Kind) configurationNames(u *unstructured.Unstructured) []string {
	r := CustomResource{Unstructured: *u}
	return k.namesOf(r.GetProviderConfigReference(), r.providerConfigReferences(), u.GetNamespace())
}

func (k *Kind) namesOf(ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference, namespace string) []string {
	if n, ok := k.ProviderConfigs.(NamingConfigs); ok {
		return n.Names(ref, named, namespace)
	}
	return nil
}

// objectType is the resource type of the kind's objects; shard.Any if they may be of any.
func (k *Kind) objectType() string {
	if _, ok := k.ProviderConfigs.(NamedProviderConfigs); ok {
		return shard.Any
	}
	return k.Model.Type
}

// HasObjectsOfAnyType reports whether the kind is that of a module.
func (k *Kind) HasObjectsOfAnyType() bool { return k.objectType() == shard.Any }

// use returns what a resource uses. If it takes over the object of another one, that is what this one uses, too: both records are
// written by one process.
func (k *Kind) use(u *unstructured.Unstructured) shard.Use {
	out := shard.Use{Configurations: k.configurationNames(u), Types: []string{k.objectType()}}
	from, ok := moveSource(u, k.key(u))
	if !ok || out.Types[0] == shard.Any {
		return out
	}
	of := k.Neighbours.Kind(schema.GroupKind{Group: from.Group, Kind: from.Kind})
	if of == nil || of.objectType() == shard.Any {
		return out // nothing is taken over then
	}
	source, err := of.get(context.Background(), of.reader, types.NamespacedName{Namespace: from.Namespace, Name: from.Name})
	if err != nil {
		return out // it is not there, or not known yet
	}
	if t := of.objectType(); t != out.Types[0] {
		out.Types = append(out.Types, t)
	}
	for _, name := range of.configurationNames(source) {
		if !slices.Contains(out.Configurations, name) {
			out.Configurations = append(slices.Clone(out.Configurations), name)
		}
	}
	return out
}

// sourceMayUse reports whether the resource whose object a resource takes over, if any, may use its provider configurations. Only
// then are they put together with those of this one.
func (k *Kind) sourceMayUse(ctx context.Context, u *unstructured.Unstructured) bool {
	from, ok := moveSource(u, k.key(u))
	if !ok {
		return true
	}
	of := k.Neighbours.Kind(schema.GroupKind{Group: from.Group, Kind: from.Kind})
	if of == nil {
		return true
	}
	found, err := of.get(ctx, of.reader, types.NamespacedName{Namespace: from.Namespace, Name: from.Name})
	if err != nil {
		return true // it is no part of the use
	}
	source := &CustomResource{}
	source.assign(found)
	handle := of.resolve(ctx, source)
	return !handle.Denied && !handle.Missing
}

// Uses returns what the kind's resources use, each use once.
func (k *Kind) Uses(ctx context.Context) (out []shard.Use, _ error) {
	seen := map[string]bool{}
	_, err := k.users(ctx, k.reader, func(u *unstructured.Unstructured) bool {
		use := k.use(u)
		if id := fmt.Sprintf("%q", use); !seen[id] {
			seen[id] = true
			out = append(out, use)
		}
		return false
	})
	return out, err
}

// activations has the configurations whose resources of one kind are claimed, and may be worked on.
type activations struct {
	mu sync.Mutex
	of map[string]*activation
}

// activation is one time for which a configuration belongs here. active is set when the objects are claimed.
type activation struct{ active bool }

// all reports whether all configurations are active, and returns those whose activation has to begin now.
func (a *activations) all(names []string) (active bool, begin map[string]*activation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[string]*activation{}
	}
	active, begin = true, map[string]*activation{}
	for _, name := range names {
		if a.of[name] == nil {
			a.of[name] = &activation{}
			begin[name] = a.of[name]
		}
		active = active && a.of[name].active
	}
	return active, begin
}

// end ends an activation, unless the configuration has moved meanwhile.
func (a *activations) end(name string, of *activation, claimed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.of[name] != of:
	case claimed:
		of.active = true
	default:
		delete(a.of, name)
	}
}

// drop forgets configurations, which have moved.
func (a *activations) drop(names []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range names {
		delete(a.of, name)
	}
}

// leaveAgain is the interval at which a resource with a running operation is tried to be left to another shard.
const leaveAgain = 2 * time.Second

// belongs reports whether this controller works on a resource now. If not, it is reconciled again after the duration, or when
// it is woken.
func (r *Reconciler) belongs(ctx context.Context, cached *unstructured.Unstructured) (_ bool, again time.Duration, _ error) {
	k := r.kind
	shards := k.Options.Shards
	if shards == nil || cached == nil {
		return true, 0, nil
	}
	use := k.use(cached)
	switch shards.Belong(use) {
	case Here:
		return k.active(use.Configurations), leaveAgain, nil
	case Unplaced:
		resource := &CustomResource{}
		resource.assign(cached)
		handle := k.resolve(ctx, resource)
		if handle.Denied || handle.Missing || !k.sourceMayUse(ctx, cached) {
			// It has no place, and nothing is done for it. This shard tells it why.
			return true, 0, nil
		}
		return false, leaveAgain, shards.Place(ctx, accesses(use.Configurations, handle.Name, handle.Account, handle.Parts), use.Types)
	}
	key := k.key(cached)
	left, err := k.Scheduler.Leave(ctx, key, shards.Stored(key))
	if err != nil {
		k.Options.Logger.V(1).Info("A resource is not left to another replica yet", "resource", key, "reason", err.Error())
		return false, leaveAgain, nil
	}
	if left {
		k.usesSecrets(key, nil)
		k.tracked.forget(types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	}
	return false, k.Options.Poll, nil
}

// active reports whether the objects are claimed that those of resources with configurations may be the same as. Otherwise that
// begins. Those of a module may be the same as those of any kind. No module uses an account that is divided by kind.
func (k *Kind) active(configurations []string) bool {
	modules := !k.HasObjectsOfAnyType()
	with := configurations
	if modules {
		with = slices.DeleteFunc(slices.Clone(with), func(name string) bool { return !k.Options.Shards.Has(name, shard.Any) })
	}
	others := k.Neighbours.Activated(with, modules)
	return k.Activated(configurations) && others
}

// Activated reports whether the objects are claimed of the kind's resources that use configurations, or others of their accounts,
// and belong here. Otherwise that begins.
func (k *Kind) Activated(configurations []string) bool {
	shards := k.Options.Shards
	active, begin := k.activations.all(shards.Company(configurations, k.objectType()))
	for name, of := range begin {
		go k.reconciler.activate(k.lifetime, name, of, shards.Claiming())
	}
	return active
}

// accesses returns how the configurations with names are used, by what was resolved of them.
func accesses(names []string, configuration string, account ownership.Account, parts map[string]ownership.Access) (out []ownership.Access) {
	of := map[string]ownership.Account{configuration: account}
	for _, p := range parts {
		of[p.Configuration] = p.Account
	}
	for _, name := range names {
		out = append(out, ownership.Access{Configuration: name, Account: of[name]})
	}
	return out
}

// activate claims the objects of all resources of the kind that use a configuration, and then wakes them. A record that another
// shard has not left yet is waited for.
func (r *Reconciler) activate(ctx context.Context, name string, of *activation, done func()) {
	defer done()
	k := r.kind
	here := func() bool { return k.Options.Shards.Has(name, k.objectType()) }
	var using []unstructured.Unstructured
	backoff := wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Steps: 6, Cap: 2 * time.Second}
	err := backoff.DelayFunc().Until(ctx, true, false, func(ctx context.Context) (bool, error) {
		if !here() {
			return false, errElsewhere
		}
		all, err := k.users(ctx, k.reader, func(u *unstructured.Unstructured) bool { return slices.Contains(k.configurationNames(u), name) })
		if err != nil {
			return false, nil
		}
		using = all
		for i := range using {
			if err := r.Claim(ctx, &using[i]); err != nil {
				k.Options.Logger.V(1).Info("A resource is awaited of another replica", "resource", k.key(&using[i]), "reason", err.Error())
				return false, nil
			}
		}
		return true, nil
	})
	k.activations.end(name, of, err == nil)
	for i := range using {
		k.Wake(k.key(&using[i]))
	}
}

// Forget has the objects of the resources of some units claimed again before they are used: they have moved to or from this shard.
func (k *Kind) Forget(units []shard.Unit) {
	var names []string
	for _, u := range units {
		if u.Type == shard.Any || u.Type == k.objectType() {
			names = append(names, u.Configuration)
		}
	}
	k.activations.drop(names)
}

// Moved wakes the resources of some units, which were moved to another shard. Those that it does not reach are reconciled at
// their poll.
func (k *Kind) Moved(ctx context.Context, units []shard.Unit) {
	using, err := k.users(ctx, k.reader, func(u *unstructured.Unstructured) bool {
		use := k.use(u)
		return slices.ContainsFunc(units, func(unit shard.Unit) bool {
			return slices.Contains(use.Configurations, unit.Configuration) && (unit.Type == shard.Any || slices.Contains(use.Types, unit.Type))
		})
	})
	if err != nil {
		k.Options.Logger.Error(err, "Cannot list the resources that move to another replica", "kind", k.Model.Kind)
	}
	for i := range using {
		k.Wake(k.key(&using[i]))
	}
}

var errElsewhere = errors.New("another replica works on the resources of the provider configuration")

// users returns the resources of the kind for which a function returns true. They must not be changed.
func (k *Kind) users(ctx context.Context, reader client.Reader, uses func(*unstructured.Unstructured) bool, o ...client.ListOption) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.Model.ListGroupVersionKind())
	if err := reader.List(ctx, list, append(o, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool { return !uses(&u) }), nil
}

// stillHere returns an error unless a resource, as the API server has it, belongs to this shard, and is not being deleted
// unless that is known. The cache may not have it yet that the resource has moved, and that another shard has released it.
func (k *Kind) stillHere(ctx context.Context, key store.Key, uid types.UID, deleted bool) error {
	u, err := k.get(ctx, k.live, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	switch {
	case kerrors.IsNotFound(err), err == nil && u.GetUID() != uid:
		return errors.New("the resource is gone")
	case err != nil:
		return fmt.Errorf("cannot tell whether this resource still exists: %w", err)
	case !deleted && u.GetDeletionTimestamp() != nil:
		return errors.New("the resource is being deleted")
	case k.Options.Shards.Belong(k.use(u)) != Here:
		return errElsewhere
	}
	return nil
}

// mayUse returns why a request of a resource with a use must not be carried out here; nil if it may.
func (k *Kind) mayUse(ctx context.Context, use shard.Use, req scheduler.Request) diagnostic.Diagnostics {
	shards := k.Options.Shards
	err := error(nil)
	if shards.Belong(use) != Here {
		err = errElsewhere
	}
	for _, a := range accesses(use.Configurations, req.ProviderConfiguration, req.Account, req.Accesses) {
		if err == nil {
			err = shards.Confirm(ctx, a, k.objectType())
		}
	}
	if err == nil && !k.active(use.Configurations) {
		err = errors.New("the objects of other resources with the provider configuration are not known yet")
	}
	if err != nil {
		return diagnostic.Errorf("Provider configuration not used here", "%s.", err)
	}
	return nil
}
