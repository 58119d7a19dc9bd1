package repository

import "strings"

// hosts are the domains under which the users of a code host have domains of their own.
var hosts = map[string]string{"github.com": "github.io", "gitlab.com": "gitlab.io", "codeberg.org": "codeberg.page"}

// NoAuthor is the domain of groups of repositories whose author is unknown.
const NoAuthor = "landbridge.io"

// defaultGroup returns the API group of the kinds of a provider in a Go module: a domain of whoever
// owns the module's path. In example.org/provider-random it is random.example.org, in
// github.com/acme/provider-random random.acme.github.io.
func defaultGroup(provider, module string) string {
	parts := strings.Split(strings.ToLower(module), "/")
	domain := NoAuthor
	switch pages := hosts[parts[0]]; {
	case len(parts) < 2 || !strings.Contains(parts[0], "."):
	case pages == "":
		domain = parts[0]
	case len(parts) > 2:
		domain = parts[1] + "." + pages
	}
	return provider + "." + domain
}

// registry returns where the release workflow pushes packages: GitHub's registry, under the name of
// the repository.
func registry(module string) string {
	path, ok := strings.CutPrefix(strings.ToLower(module), "github.com/")
	if !ok {
		return "ghcr.io/OWNER/" + module[strings.LastIndex(module, "/")+1:]
	}
	return "ghcr.io/" + path
}
