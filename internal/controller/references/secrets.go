package references

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Secrets sets which Secrets of its namespace a resource reads, and which one it writes; empty if
// it writes none.
func (g *Graph) Secrets(resource store.Key, reads []string, writes string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	named := func(names ...string) (out []store.Key) {
		for _, name := range names {
			if name != "" {
				out = append(out, secretKey(resource.Namespace, name))
			}
		}
		return out
	}
	replace(&g.reads, &g.readers, resource, named(reads...))
	replace(&g.writes, &g.writers, resource, named(writes))
}

// SecretsRead returns the names of the Secrets that the configuration of a resource reads.
func SecretsRead(u *unstructured.Unstructured) (names []string) {
	for _, part := range []string{"forProvider", "initProvider"} {
		fields, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", part)
		for _, ref := range translate.SecretRefs(fields) {
			names = append(names, ref.Name)
		}
	}
	return names
}

// SecretWritten returns the name of the Secret that a resource writes; empty if it writes none.
func SecretWritten(u *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(u.Object, "spec", "writeConnectionSecretToRef", "name")
	return name
}

// Configures sets which Secrets a provider configuration reads; none if it is gone. It reports
// whether they are others than before.
func (g *Graph) Configures(configuration store.Key, reads []types.NamespacedName) (changed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var secrets []store.Key
	for _, x := range reads {
		secret := secretKey(x.Namespace, x.Name)
		secrets, changed = append(secrets, secret), changed || !g.reads[configuration][secret]
	}
	return len(replace(&g.reads, &g.readers, configuration, secrets)) > 0 || changed
}

func secretKey(namespace, name string) store.Key {
	return store.Key{Kind: "Secret", Namespace: namespace, Name: name}
}

// IsConfiguration reports whether a key is that of a provider configuration.
func IsConfiguration(key store.Key) bool {
	return key.Kind == model.ProviderConfigKind || key.Kind == model.ClusterProviderConfigKind
}

// Writers returns the other resources that write the Secrets which a resource or a provider
// configuration reads, sorted.
func (g *Graph) Writers(reader store.Key) []store.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	return across(reader, g.reads, g.writers)
}

// Configurations are the provider configurations that resources use.
type Configurations interface {
	// Of returns those that a resource uses.
	Of(resource store.Key) []store.Key
	// Users returns the resources that use one, and may.
	Users(configuration store.Key) []store.Key
}

// Dependents returns the resources that depend on the object of a resource, sorted: those that
// refer to the resource, and those that read the Secret that it writes. users are those that only
// use a provider configuration which reads that Secret. Both leave out the resources on which the
// resource itself depends, directly or indirectly: in a cycle none could be replaced first.
func (g *Graph) Dependents(key store.Key, c Configurations) (dependents, users []store.Key) {
	g.mu.Lock()
	all := slices.Concat(g.referrers.from(key), across(key, g.writes, g.readers))
	g.mu.Unlock()
	for _, x := range all {
		if IsConfiguration(x) {
			users = append(users, c.Users(x)...) // it reads a cache
		} else {
			dependents = append(dependents, x)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	next := func(x store.Key) []store.Key {
		out := g.referable(x, slices.Concat(g.targets.from(x), across(x, g.reads, g.writers)))
		if len(users) == 0 {
			return out
		}
		for _, configuration := range c.Of(x) {
			out = append(out, across(configuration, g.reads, g.writers)...)
		}
		return out
	}
	dependents = slices.DeleteFunc(dependents, func(x store.Key) bool { return !g.mayRefer(x, key) })
	users = slices.DeleteFunc(users, func(x store.Key) bool { return x == key || slices.Contains(dependents, x) })
	return outsideCycles(key, dependents, next), outsideCycles(key, users, next)
}

// across returns the other resources, and provider configurations, to which edges lead by way of
// Secrets, each once and sorted.
func across(from store.Key, there, back edges) []store.Key {
	var out []store.Key
	for secret := range there[from] {
		out = append(out, back.from(secret)...)
	}
	out = slices.DeleteFunc(out, func(x store.Key) bool { return x == from })
	slices.SortFunc(out, store.Key.Compare)
	return slices.Compact(out)
}

func (e edges) from(key store.Key) []store.Key { return slices.Collect(maps.Keys(e[key])) }
