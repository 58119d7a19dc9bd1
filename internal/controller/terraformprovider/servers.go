package terraformprovider

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

// Servers returns the resolver of an installed provider's configurations, by the name of its
// TerraformProvider. ok reports whether the provider runs.
func (r *Reconciler) Servers(name string) (_ *providerconfig.Resolver, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range r.providers {
		if run.Name == name {
			return run.Configs, true
		}
	}
	return nil, false
}

// ProviderOf returns the name of the TerraformProvider that runs the provider with an address. It
// is an error if there is none, or more than one.
func (r *Reconciler) ProviderOf(source string) (string, error) {
	address, err := install.ParseAddress(source)
	if err != nil {
		return "", err
	}
	found := map[string]bool{}
	r.mu.Lock()
	for _, run := range r.providers {
		if a, err := install.ParseAddress(run.source); err == nil && a.String() == address.String() {
			found[run.Name] = true
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
	return "", fmt.Errorf("there is more than one TerraformProvider with the source %s: name one of %s "+
		"in spec.providers", source, strings.Join(names, ", "))
}
