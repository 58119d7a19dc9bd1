package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// Version is the default API version of kinds.
const Version = "v1alpha1"

// The kinds of a provider's configuration, which every provider's group has.
const (
	ProviderConfigKind        = "ProviderConfig"
	ClusterProviderConfigKind = "ClusterProviderConfig"
)

// The fields of the spec of a provider configuration that are not the provider's. Only a ClusterProviderConfig has
// allowedNamespaces.
const (
	AllowedNamespaces    = "allowedNamespaces"
	ServiceAccountTokens = "serviceAccountTokens"
)

// Provider is the presentation of one provider in Kubernetes.
type Provider struct {
	// Name is the short name, a DNS label such as random.
	Name           string
	Group, Version string
	// Dropped are the API versions that the kinds of its configuration no longer have.
	Dropped []string
	Schema  *schema.Provider
	// Config is the provider's own configuration, an Object.
	Config *Type
	// Resources holds the resource types by Terraform's name.
	Resources map[string]*Resource
	// Renamed are the names that collided with others, sorted by type.
	Renamed []Renamed
}

// Renamed is a kind or plural that collided with another.
type Renamed struct {
	// Type is Terraform's name of the resource type.
	Type string
	// Wanted is the name that was taken, Got the one the type has instead.
	Wanted, Got string
}

func (r Renamed) String() string {
	return fmt.Sprintf("%s: the name %s is taken, %s is used instead", r.Type, r.Wanted, r.Got)
}

// prefix returns the first word of the resource types' names.
func prefix(s *schema.Provider) string {
	types := slices.Sorted(maps.Keys(s.Resources))
	if len(types) == 0 {
		return "provider"
	}
	first, _, _ := strings.Cut(types[0], "_")
	return first
}

// DefaultGroup returns the API group of a provider's kinds, by the provider's name, such as random.
func DefaultGroup(name string) string { return shortName(name) + ".landbridge.io" }

func shortName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

// NewProvider makes the model. name is the provider's name without namespace, such as random, which
// usually is the prefix of its resource types, and is taken from them if it is empty. Errors in the configuration are
// *config.Errors.
func NewProvider(name string, s *schema.Provider, c config.Provider) (*Provider, error) {
	short := c.Name
	if short == "" {
		short = shortName(cmp.Or(name, prefix(s)))
	}
	if msgs := validation.IsDNS1035Label(short); len(msgs) > 0 {
		return nil, config.At(fmt.Errorf("provider name %q: %s", short, strings.Join(msgs, "; ")), "name")
	}
	p := &Provider{
		Name: short, Group: c.Group, Version: cmp.Or(c.Version, Version), Dropped: c.DroppedVersions, Schema: s,
		Resources: make(map[string]*Resource, len(s.Resources)),
	}
	var err error
	if p.Config, err = configType(s.Config, c.ProviderConfig); err != nil {
		return nil, config.At(err, "providerConfig")
	}
	if p.Group == "" {
		p.Group = DefaultGroup(short)
	}
	if err := checkGroup(p.Group); err != nil {
		return nil, config.At(err, "group")
	}
	if err := checkVersions(p.Version, p.Dropped); err != nil {
		return nil, err
	}
	configured, err := c.Merge(s.Resources)
	if err != nil {
		return nil, err
	}

	functions := newFunctions(s.Signatures)
	names := newNameSpace()
	names.reserve(p.Group, ProviderConfigKind, ClusterProviderConfigKind)
	types := slices.Sorted(maps.Keys(s.Resources))
	// Configured names take precedence over derived ones.
	slices.SortStableFunc(types, func(a, b string) int { return chosen(configured[b].Resource) - chosen(configured[a].Resource) })
	for _, t := range types {
		rc, isConfigured := configured[t]
		r := &Resource{
			Type: t, Schema: s.Resources[t], Group: p.Group, Version: cmp.Or(rc.Version, p.Version),
			ShortNames: slices.Clone(rc.ShortNames), Categories: categories(short),
			Description: rc.Description, Functions: functions, rules: newRules(rc.Resource),
		}
		if rc.Group != "" {
			r.Group = rc.Group
		}
		r.Dropped = dropped(r.Version, p.Dropped, rc.DroppedVersions)
		err := checkNames(rc.Resource)
		if err == nil {
			err = checkVersions(r.Version, rc.DroppedVersions)
		}
		var renamed []Renamed
		if err == nil {
			renamed, err = names.name(r, name, rc.Resource)
		}
		if err == nil && isConfigured {
			err = r.configure(rc.Resource)
		}
		if err == nil {
			err = r.list(rc.Resource, s.ListResources[t])
		}
		if err != nil {
			return nil, rc.Blame(err)
		}
		p.Renamed = append(p.Renamed, renamed...)
		p.Resources[t] = r
	}
	for _, t := range slices.Sorted(maps.Keys(configured)) {
		if err := p.refer(p.Resources[t], configured[t].References); err != nil {
			return nil, configured[t].Blame(err)
		}
	}
	slices.SortStableFunc(p.Renamed, func(a, b Renamed) int { return strings.Compare(a.Type, b.Type) })
	return p, nil
}

// configType returns the type of the provider's own configuration.
func configType(b *schema.Block, c config.ProviderConfig) (*Type, error) {
	r := &rules{fields: c.Fields}
	out := blockType(b, place{input: true, rules: r, reserved: []string{AllowedNamespaces, ServiceAccountTokens}})
	if len(r.wrong) > 0 {
		return nil, r.wrong[0]
	}
	for _, path := range slices.Sorted(maps.Keys(c.Fields)) {
		err := out.checkField(path, c.Fields[path])
		if err == nil && c.Fields[path].Value != "" {
			err = config.At(errors.New("it cannot be set here: set it in each "+ProviderConfigKind), "value")
		}
		if err != nil {
			return nil, config.At(err, "fields", path)
		}
	}
	return out, nil
}

func checkGroup(group string) error {
	if msgs := validation.IsDNS1123Subdomain(group); len(msgs) > 0 || !strings.Contains(group, ".") {
		return fmt.Errorf("%q: it must be a domain name with a dot, such as cloud.landbridge.io", group)
	}
	return nil
}

// checkNames finds names that Kubernetes does not accept.
func checkNames(c config.Resource) error {
	if c.Group != "" {
		if err := checkGroup(c.Group); err != nil {
			return config.At(err, "group")
		}
	}
	if c.Kind != "" && (len(validation.IsDNS1035Label(strings.ToLower(c.Kind))) > 0 || strings.Contains(c.Kind, "-") || c.Kind[0] < 'A' || c.Kind[0] > 'Z') {
		return config.At(fmt.Errorf("%q: it must be in PascalCase", c.Kind), "kind")
	}
	if c.Plural != "" {
		if msgs := validation.IsDNS1035Label(c.Plural); len(msgs) > 0 {
			return config.At(fmt.Errorf("%q: %s", c.Plural, strings.Join(msgs, "; ")), "plural")
		}
	}
	for i, n := range c.ShortNames {
		if msgs := validation.IsDNS1035Label(n); len(msgs) > 0 {
			return config.At(fmt.Errorf("%q: %s", n, strings.Join(msgs, "; ")), "shortNames", strconv.Itoa(i))
		}
	}
	return nil
}

func chosen(c config.Resource) int {
	n := 0
	if c.Kind != "" {
		n++
	}
	if c.Plural != "" {
		n++
	}
	return n
}

// nameSpace holds the names that are taken in each API group. In a group, kinds and list kinds must be
// distinct, and so must plurals, singulars and short names.
type nameSpace struct{ kinds, resources map[string]map[string]bool }

func newNameSpace() *nameSpace {
	return &nameSpace{kinds: map[string]map[string]bool{}, resources: map[string]map[string]bool{}}
}

func (n *nameSpace) of(group string) (kinds, resources map[string]bool) {
	if n.kinds[group] == nil {
		n.kinds[group], n.resources[group] = map[string]bool{}, map[string]bool{}
	}
	return n.kinds[group], n.resources[group]
}

func (n *nameSpace) reserve(group string, kinds ...string) {
	k, r := n.of(group)
	for _, kind := range kinds {
		k[kind], k[kind+"List"] = true, true
		r[strings.ToLower(kind)], r[plural(kind)] = true, true
	}
}

func (n *nameSpace) name(r *Resource, provider string, c config.Resource) (renamed []Renamed, err error) {
	kinds, resources := n.of(r.Group)
	bare := r.Type
	if rest, ok := strings.CutPrefix(r.Type, provider+"_"); ok {
		bare = rest
	} else if _, rest, ok := strings.Cut(r.Type, "_"); ok {
		bare = rest
	}
	candidates := []string{kindName(bare), kindName(r.Type)}
	if c.Kind != "" {
		candidates = []string{c.Kind}
	}
	free := func(kind string) bool { return !kinds[kind] && !kinds[kind+"List"] }
	r.Kind = firstFree(candidates, free)
	if c.Kind != "" && r.Kind != c.Kind {
		return nil, config.At(fmt.Errorf("%s is taken", c.Kind), "kind")
	}
	if r.Kind != candidates[0] {
		renamed = append(renamed, Renamed{Type: r.Type, Wanted: candidates[0], Got: r.Kind})
	}
	r.ListKind = r.Kind + "List"
	kinds[r.Kind], kinds[r.ListKind] = true, true

	// A singular may be another type's plural (setting, settings), so both move together.
	freeResource := func(singular string) bool {
		return !resources[singular] && !resources[plural(singular)]
	}
	singulars := []string{strings.ToLower(r.Kind), strings.ToLower(kindName(r.Type)), strings.ToLower(kindName(r.Type)) + "resource"}
	if c.Plural != "" {
		freeResource = func(singular string) bool { return !resources[singular] }
	}
	r.Singular = firstFree(singulars, freeResource)
	r.Plural = plural(r.Singular)
	if c.Plural != "" {
		if resources[c.Plural] {
			return nil, config.At(fmt.Errorf("%s is taken", c.Plural), "plural")
		}
		r.Plural = c.Plural
	}
	if r.Singular != singulars[0] {
		renamed = append(renamed, Renamed{Type: r.Type, Wanted: plural(singulars[0]), Got: r.Plural})
	}
	resources[r.Plural], resources[r.Singular] = true, true
	for i, s := range c.ShortNames {
		if resources[s] {
			return nil, config.At(fmt.Errorf("%s is taken", s), "shortNames", strconv.Itoa(i))
		}
		resources[s] = true
	}
	return renamed, nil
}

func firstFree(candidates []string, free func(string) bool) string {
	for _, c := range candidates {
		if free(c) {
			return c
		}
	}
	last := candidates[len(candidates)-1]
	for i := 2; ; i++ {
		if c := fmt.Sprintf("%s%d", last, i); free(c) {
			return c
		}
	}
}

// kindName returns the name of a kind. Kinds are DNS labels, so a name that begins with a digit gets a
// letter in front.
func kindName(name string) string {
	k := pascalCase(name)
	if k == "" || k[0] < 'A' || k[0] > 'Z' {
		return "X" + k
	}
	return k
}
