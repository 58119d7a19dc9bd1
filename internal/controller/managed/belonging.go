package managed

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// leaveAgain is the interval at which a resource with a running operation is tried to be left to
// another shard.
const leaveAgain = 2 * time.Second

// belongs reports whether this controller works on a resource now. If not, it is reconciled again
// after the duration, or when it is woken.
func (k *Kind) belongs(ctx context.Context, cached *unstructured.Unstructured) (_ bool, again time.Duration, _ error) {
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
		return false, leaveAgain, shards.Place(ctx, Accesses(use, handle), use.Types)
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

// Accesses returns how what is used is accessed, by what was resolved of it.
func Accesses(use shard.Use, h providerconfig.Handle[terraform.Executor]) []ownership.Access {
	return accesses(use.Configurations, h.Name, h.Account, h.Parts)
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

// active reports whether the objects are claimed that those of resources with configurations may be
// the same as. Otherwise that begins. Those of a module may be the same as those of any kind. No
// module uses an account that is divided by kind.
func (k *Kind) active(configurations []string) bool {
	modules := !k.HasObjectsOfAnyType()
	with := configurations
	if modules {
		with = slices.DeleteFunc(slices.Clone(with), func(name string) bool { return !k.Options.Shards.Has(name, shard.Any) })
	}
	others := k.Neighbours.Activated(with, modules)
	return k.Activated(configurations) && others
}

// Activated reports whether the objects are claimed of the kind's resources that use
// configurations, or others of their accounts, and belong here. Otherwise that begins.
func (k *Kind) Activated(configurations []string) bool {
	shards := k.Options.Shards
	active, begin := k.activations.all(shards.Company(configurations, k.objectType()))
	for name, of := range begin {
		go k.activate(k.lifetime, name, of, shards.Claiming())
	}
	return active
}

// activate claims the objects of all resources of the kind that use a configuration, and then wakes
// them. A record that another shard has not left yet is waited for.
func (k *Kind) activate(ctx context.Context, name string, of *activation, done func()) {
	defer done()
	c := &connector{kind: k}
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
			if err := c.claim(ctx, &using[i]); err != nil {
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

var errElsewhere = errors.New("another replica works on the resources of the provider configuration")

// Forget has the objects of the resources of some units claimed again before they are used: they
// have moved to or from this shard.
func (k *Kind) Forget(units []shard.Unit) {
	var names []string
	for _, u := range units {
		if u.Type == shard.Any || u.Type == k.objectType() {
			names = append(names, u.Configuration)
		}
	}
	k.activations.drop(names)
}

// Moved wakes the resources of some units, which were moved to another shard. Those that it does
// not reach are reconciled at their poll.
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

// mayUse returns why a provider configuration must not be used here for a resource with a use; nil
// if it may.
func (k *Kind) mayUse(ctx context.Context, use shard.Use, access scheduler.Access) diagnostic.Diagnostics {
	shards := k.Options.Shards
	err := error(nil)
	if shards.Belong(use) != Here {
		err = errElsewhere
	}
	for _, a := range accesses(use.Configurations, access.ProviderConfiguration, access.Account, access.Accesses) {
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
