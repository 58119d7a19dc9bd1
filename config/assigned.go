package config

import "sync"

var assigned sync.Map // provider -> map[string]Names

// Assign tells the program of a repository which names the kinds of a provider have, by resource type. Generated code
// calls it (config/zz_names.go), for kinds that have other names than they would get today.
func Assign(provider string, names map[string]Names) { assigned.Store(provider, names) }

// Assigned returns the names that Assign was called with; nil if it was not.
func Assigned(provider string) map[string]Names {
	names, _ := assigned.Load(provider)
	out, _ := names.(map[string]Names)
	return out
}
