package terraformprovider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

// Servers finds the configured servers of an installed provider, by the name of its TerraformProvider.
// ok is false as long as the provider does not run.
func (r *Reconciler) Servers(name string) (_ *providerconfig.Resolver, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range r.providers {
		if run.name == name {
			return run.configs, true
		}
	}
	return nil, false
}

// ProviderOf is the name of the one TerraformProvider that runs the provider of an address.
func (r *Reconciler) ProviderOf(source string) (string, error) {
	address, err := install.ParseAddress(source)
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	r.mu.Lock()
	for _, run := range r.providers {
		if a, err := install.ParseAddress(run.source); err == nil && a.String() == address.String() {
			found[run.name] = true
		}
	}
	r.mu.Unlock()
	names := slices.Sorted(maps.Keys(found))
	switch len(names) {
	case 0:
		return "", fmt.Errorf("no TerraformProvider with the source %s is installed: create one, or name another in spec.providers", source)
	case 1:
		return names[0], nil
	}
	return "", fmt.Errorf("there is more than one TerraformProvider with the source %s: name one of %s in spec.providers", source, strings.Join(names, ", "))
}

func (r *Reconciler) otherUsers(ctx context.Context, name string, ref providerconfig.Reference) []func() {
	if r.OtherUsers == nil {
		return nil
	}
	return r.OtherUsers(ctx, name, ref)
}
