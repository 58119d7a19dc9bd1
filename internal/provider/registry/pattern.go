package registry

import (
	"slices"
	"strings"
)

// Address is the address of a provider.
type Address struct {
	Host, Namespace, Type string
	// Implicit is set if the source does not name the host. Then mirrors are searched under the
	// hosts of all default registries.
	Implicit bool
}

// defaults are the hosts of the registries that a source without a host may mean.
var defaults = []string{Default, "registry.terraform.io"}

// Hosts are the hosts of the registries that a source without a host may mean, the one of Registry
// first.
func (c *Client) Hosts() []string { return Address{Implicit: true}.hosts(c.Registry) }

// hosts returns the hosts under which a mirror may have the provider.
func (a Address) hosts(registry string) []string {
	if !a.Implicit {
		return []string{a.Host}
	}
	all := defaults
	if registry != "" {
		all = append([]string{registry}, all...)
	}
	var out []string
	for _, h := range all {
		if !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// pattern is one of include or exclude: HOST/NAMESPACE/TYPE or NAMESPACE/TYPE, with * for any.
type pattern struct{ host, namespace, typ string }

func parsePattern(s string) (pattern, bool) {
	parts := strings.Split(strings.ToLower(s), "/")
	if slices.Contains(parts, "") {
		return pattern{}, false
	}
	for _, part := range parts {
		if part != "*" && strings.Contains(part, "*") {
			return pattern{}, false
		}
	}
	switch len(parts) {
	case 2:
		return pattern{"", parts[0], parts[1]}, true
	case 3:
		return pattern{parts[0], parts[1], parts[2]}, true
	}
	return pattern{}, false
}

// matches reports whether a provider matches. Without a host, a pattern is about the default
// registries.
func (p pattern) matches(a Address, registry string) bool {
	if p.namespace != "*" && p.namespace != a.Namespace || p.typ != "*" && p.typ != a.Type {
		return false
	}
	hosts := a.hosts(registry)
	switch p.host {
	case "*":
		return true
	case "":
		return a.Implicit || a.Host == registry || slices.Contains(defaults, a.Host)
	}
	return slices.Contains(hosts, p.host)
}

// rule is which providers a source is for.
type rule struct{ include, exclude []pattern }

func (r rule) allows(a Address, registry string) bool {
	matches := func(p pattern) bool { return p.matches(a, registry) }
	return (len(r.include) == 0 || slices.ContainsFunc(r.include, matches)) && !slices.ContainsFunc(r.exclude, matches)
}
