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

// The fields of the spec of a provider configuration that are not the provider's. Only a
// ClusterProviderConfig has allowedNamespaces.
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
	// AccountFrom are the arguments and blocks of the configuration that name the account, by
	// Terraform's names.
	AccountFrom []string
	// Resources holds the resource types by Terraform's name.
	Resources map[string]*Resource
	// DataSources holds the data sources by Terraform's name.
	DataSources map[string]*Resource
	// EphemeralResources holds the ephemeral resources by Terraform's name.
	EphemeralResources map[string]*Resource
	// Actions holds the actions by Terraform's name.
	Actions map[string]*Resource
	// Renamed are the names of resource types that collided with others, sorted by type.
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
	return r.Type + ": " + r.Reason()
}

// Reason is String without the type.
func (r Renamed) Reason() string {
	return fmt.Sprintf("the name %s is taken, %s is used instead", r.Wanted, r.Got)
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
// usually is the prefix of its resource types, and is taken from them if it is empty. Errors in the
// configuration are *config.Errors.
func NewProvider(name string, s *schema.Provider, c config.Provider) (*Provider, error) {
	return KeepNames(name, s, c, nil)
}

// KeepNames is NewProvider for kinds that had names before, by Resource.Address. Unless the
// configuration says otherwise, they keep them, and kinds that are new give way.
func KeepNames(name string, s *schema.Provider, c config.Provider, known map[string]config.Names) (*Provider, error) {
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
	if p.AccountFrom, err = accountFrom(s.Config, c.ProviderConfig); err != nil {
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
	var requests []*request
	types := slices.Sorted(maps.Keys(s.Resources))
	for _, t := range types {
		rc := configured[t]
		r := &Resource{
			Type: t, Schema: s.Resources[t], Group: p.Group, Version: cmp.Or(rc.Version, p.Version),
			ShortNames: slices.Clone(rc.ShortNames), Categories: categories(short),
			Description: rc.Description, Functions: functions, Triggers: len(s.Actions) > 0, rules: newRules(rc.Resource),
		}
		if rc.Group != "" {
			r.Group = rc.Group
		}
		r.Dropped = dropped(r.Version, p.Dropped, rc.DroppedVersions)
		err := checkNames(rc.Resource)
		if err == nil {
			err = checkVersions(r.Version, rc.DroppedVersions)
		}
		if err != nil {
			return nil, rc.Locate(err)
		}
		given := c.Names[t]
		if err := checkGiven(given); err != nil {
			return nil, config.At(err, "names", t)
		}
		requests = append(requests, newRequest(r, name, rc.Resource, given, known[t]))
		p.Resources[t] = r
	}
	of, err := p.addUnmanaged(name, c.Names, known)
	if err != nil {
		return nil, err
	}
	requests = append(requests, of...)
	names := newNameSpace()
	names.reserve(p.Group, ProviderConfigKind, ClusterProviderConfigKind)
	if err := names.assign(requests); err != nil {
		e := (*namingError)(nil)
		if !errors.As(err, &e) {
			return nil, err
		}
		if e.given {
			return nil, config.At(e.err, "names", e.address)
		}
		return nil, configured[e.address].Locate(e.err)
	}
	for _, q := range requests {
		if q.resource.Mode == Managed { // most data sources have a sibling that returns several
			p.Renamed = append(p.Renamed, q.renamed...)
		}
	}
	for _, t := range types {
		r := p.Resources[t]
		rc, isConfigured := configured[t]
		var err error
		if isConfigured {
			err = r.configure(rc.Resource)
		}
		if err == nil {
			err = r.list(rc.Resource, s.ListResources[t])
		}
		if err != nil {
			return nil, rc.Locate(err)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(configured)) {
		if err := p.refer(p.Resources[t], configured[t].References); err != nil {
			return nil, configured[t].Locate(err)
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

// accountFrom returns the arguments that name the account.
func accountFrom(b *schema.Block, c config.ProviderConfig) ([]string, error) {
	for i, name := range c.AccountFrom {
		a, block := b.Attributes[name], b.Blocks[name]
		switch {
		case a == nil && block == nil:
			return nil, config.At(fmt.Errorf("the provider has no argument %s", name), "accountFrom", strconv.Itoa(i))
		case a != nil && (a.Sensitive || a.WriteOnly) || c.Fields[name].Sensitive:
			return nil, config.At(fmt.Errorf("the argument %s is sensitive", name), "accountFrom", strconv.Itoa(i))
		}
	}
	return c.AccountFrom, nil
}

// maxGroup is the greatest length of a group: the name of a CRD is that of the plural and the
// group, with a dot.
const maxGroup = validation.DNS1123SubdomainMaxLength - maxName - 1

func checkGroup(group string) error {
	if msgs := validation.IsDNS1123Subdomain(group); len(msgs) > 0 || !strings.Contains(group, ".") {
		return fmt.Errorf("%q: it must be a domain name with a dot, such as cloud.landbridge.io", group)
	}
	if len(group) > maxGroup {
		return fmt.Errorf("%q: it must have %d characters at most, since the names of CRDs contain it", group, maxGroup)
	}
	return nil
}

func checkKind(kind, setting string) error {
	if kind != "" && (len(validation.IsDNS1035Label(strings.ToLower(kind))) > 0 || strings.Contains(kind, "-") ||
		kind[0] < 'A' || kind[0] > 'Z') {
		return config.At(fmt.Errorf("%q: it must be in PascalCase, with %d characters at most", kind, maxName), setting)
	}
	return nil
}

func checkResource(name string, setting ...string) error {
	if msgs := validation.IsDNS1035Label(name); name != "" && len(msgs) > 0 {
		return config.At(fmt.Errorf("%q: %s", name, strings.Join(msgs, "; ")), setting...)
	}
	return nil
}

// checkGiven finds given names that Kubernetes does not accept.
func checkGiven(n config.Names) error {
	return cmp.Or(checkKind(n.Kind, "kind"), checkKind(n.ListKind, "listKind"), checkResource(n.Plural, "plural"),
		checkResource(n.Singular, "singular"))
}

// checkNames finds names that Kubernetes does not accept.
func checkNames(c config.Resource) error {
	if c.Group != "" {
		if err := checkGroup(c.Group); err != nil {
			return config.At(err, "group")
		}
	}
	if err := cmp.Or(checkKind(c.Kind, "kind"), checkResource(c.Plural, "plural")); err != nil {
		return err
	}
	for i, n := range c.ShortNames {
		if msgs := validation.IsDNS1035Label(n); len(msgs) > 0 {
			return config.At(fmt.Errorf("%q: %s", n, strings.Join(msgs, "; ")), "shortNames", strconv.Itoa(i))
		}
	}
	return nil
}
