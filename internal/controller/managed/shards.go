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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// Shards decides which resources this controller works on, where the work is divided by provider configurations.
type Shards interface {
	// Belong returns where resources that use all of some configurations belong.
	Belong(configurations []string) Belonging
	// Place decides where configurations belong that resources use together.
	Place(ctx context.Context, together []ownership.Access) error
	// Confirm returns an error unless a configuration belongs here as the account that it has now.
	Confirm(ctx context.Context, a ownership.Access) error
	// Company returns the configurations that belong here, and are of the accounts of those with names, which are among them.
	// Before one of them is used, the objects of all are claimed.
	Company(names []string) []string
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
	n, ok := k.ProviderConfigs.(NamingConfigs)
	if !ok {
		return nil
	}
	r := CustomResource{Unstructured: *u}
	return n.Names(r.GetProviderConfigReference(), r.providerConfigReferences(), u.GetNamespace())
}

// activations has the configurations whose resources of one kind are claimed, and may be worked on.
type activations struct {
	mu sync.Mutex
	of map[string]*activation
}

// activation is one time for which a configuration belongs here. active is set when the objects are claimed.
type activation struct{ active bool }

// peek reports whether all configurations are active.
func (a *activations) peek(names []string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !slices.ContainsFunc(names, func(name string) bool { return a.of[name] == nil || !a.of[name].active })
}

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
	names := k.configurationNames(cached)
	switch shards.Belong(names) {
	case Here:
		active, begin := k.activations.all(shards.Company(names))
		for name, of := range begin {
			go r.activate(k.lifetime, name, of, shards.Claiming())
		}
		return active, leaveAgain, nil
	case Unplaced:
		resource := &CustomResource{}
		resource.assign(cached)
		handle := k.resolve(ctx, resource)
		return false, leaveAgain, shards.Place(ctx, accesses(names, handle.Name, handle.Account, handle.Parts))
	}
	key := k.key(cached)
	left, err := k.Scheduler.Leave(ctx, key, shards.Stored(key))
	if err != nil {
		k.Options.Logger.V(1).Info("A resource is not left to another replica yet", "resource", key, "reason", err.Error())
		return false, leaveAgain, nil
	}
	if left {
		k.usesSecrets(key, nil)
		k.forget(types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	}
	return false, k.Options.Poll, nil
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
	here := func() bool { return k.Options.Shards.Belong([]string{name}) == Here }
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

// Forget has the objects of the resources that use configurations claimed again before they are used: they have moved to or from
// this shard.
func (k *Kind) Forget(configurations []string) { k.activations.drop(configurations) }

// Moved wakes the resources that use configurations, which were moved to another shard. Those that it does not reach are
// reconciled at their poll.
func (k *Kind) Moved(ctx context.Context, configurations []string) {
	using, err := k.users(ctx, k.reader, func(u *unstructured.Unstructured) bool {
		return slices.ContainsFunc(k.configurationNames(u), func(name string) bool { return slices.Contains(configurations, name) })
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
	gvk := k.Model.GroupVersionKind()
	gvk.Kind = k.Model.ListKind
	list.SetGroupVersionKind(gvk)
	if err := reader.List(ctx, list, append(o, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool { return !uses(&u) }), nil
}

// stillHere returns an error unless a resource, as the API server has it, belongs to this shard, and is not being deleted
// unless that is known. The cache may not have it yet that the resource has moved, and that another shard has released it.
func (k *Kind) stillHere(ctx context.Context, key store.Key, uid types.UID, deleted bool) error {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(k.Model.GroupVersionKind())
	err := k.live.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, u)
	switch {
	case kerrors.IsNotFound(err), err == nil && u.GetUID() != uid:
		return errors.New("the resource is gone")
	case err != nil:
		return fmt.Errorf("cannot tell whether this resource still exists: %w", err)
	case !deleted && u.GetDeletionTimestamp() != nil:
		return errors.New("the resource is being deleted")
	case k.Options.Shards.Belong(k.configurationNames(u)) != Here:
		return errElsewhere
	}
	return nil
}

// mayUse returns why a request must not be carried out here; nil if it may.
func (k *Kind) mayUse(ctx context.Context, u *unstructured.Unstructured, req scheduler.Request) diagnostic.Diagnostics {
	shards := k.Options.Shards
	if shards == nil {
		return nil
	}
	names := k.configurationNames(u)
	err := error(nil)
	if shards.Belong(names) != Here {
		err = errElsewhere
	}
	for _, a := range accesses(names, req.ProviderConfiguration, req.Account, req.Accesses) {
		if err == nil {
			err = shards.Confirm(ctx, a)
		}
	}
	if err == nil && !k.activations.peek(shards.Company(names)) {
		err = errors.New("the objects of other resources with the provider configuration are not known yet")
	}
	if err != nil {
		return diagnostic.Errorf("Provider configuration not used here", "%s.", err)
	}
	return nil
}
