package config

// assigned has the names by provider and resource type.
var assigned = map[string]map[string]Names{}

// Assign tells the program of a repository which names the kinds of a provider have, by resource
// type. Generated code calls it when the program starts (config/zz_names.go), for kinds that have
// other names than they would get today. It is not safe for concurrent use.
func Assign(provider string, names map[string]Names) { assigned[provider] = names }

// Assigned returns the names that Assign was called with; nil if it was not.
func Assigned(provider string) map[string]Names { return assigned[provider] }
