package repository

import "strings"

// Replacements returns the replacements of a go.mod as old and new module, with their versions.
func Replacements(goMod, checkout string) ([][2]string, error) {
	all, err := replacements(goMod, checkout)
	var out [][2]string
	for _, r := range all {
		out = append(out, [2]string{r.Old.String(), r.New.String()})
	}
	return out, err
}

// DefaultGroup returns the API group of the kinds of a provider in a Go module.
var DefaultGroup = defaultGroup

// Files returns the files that belong to the author, of a repository that replaces Landbridge with
// the checkout in replace and has the provider from a checkout, if any.
func Files(module, replace, checkout string, inProcess, legacy bool) (map[string][]byte, error) {
	f := facts{
		Name: module[strings.LastIndex(module, "/")+1:], Module: module, Provider: "cloud",
		Group: defaultGroup("cloud", module), Version: "1.0.0",
		Package: "example.org/terraform-provider-cloud", Checkout: checkout, Landbridge: "v0.0.0", Replace: replace, Resources: 2,
		InProcess: inProcess, Legacy: legacy, Protocol: 6, Server: module + "/" + serverDir,
		ProviderModule: "example.org/terraform-provider-cloud", Registry: registry(module),
	}
	return f.render()
}

// Examples returns the configurations of examples that a provider accepts.
var Examples = examples
