package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/landbridge-io/landbridge/config"
)

// Naming is where the names of a kind come from.
type Naming int

const (
	// NamesAssigned are those of the rule, or those that the kind had before.
	NamesAssigned Naming = iota
	// NamesConfigured are those of the configuration of the resource type: its kind, its plural, or
	// both.
	NamesConfigured
	// NamesHeld are those that the kind has only as long as it has objects.
	NamesHeld
)

// Names returns the names of the kind.
func (r *Resource) Names() config.Names {
	return config.Names{Kind: r.Kind, ListKind: r.ListKind, Plural: r.Plural, Singular: r.Singular}
}

// AssignedNames returns the names of the kinds that the rule would not give if they were alone, by
// Resource.Address. With them, the same provider has the same names elsewhere: every other kind has
// its own names, and there they are free. Names that the configuration of a type decides are left
// out.
func (p *Provider) AssignedNames() map[string]config.Names {
	out := map[string]config.Names{}
	for address, r := range p.All() {
		if r.Naming == NamesAssigned && r.Names() != r.own {
			out[address] = r.Names()
		}
	}
	return out
}

// AllNames returns the names of all kinds, by Resource.Address.
func (p *Provider) AllNames() map[string]config.Names {
	out := make(map[string]config.Names, len(p.Resources)+len(p.DataSources))
	for address, r := range p.All() {
		out[address] = r.Names()
	}
	return out
}

// KeptNames returns what AllNames does without the names that the configuration decides: another
// configuration gives them up.
func (p *Provider) KeptNames() map[string]config.Names {
	out := p.AllNames()
	for address, r := range p.All() {
		if r.Naming == NamesConfigured {
			delete(out, address)
		}
	}
	return out
}

const (
	// maxName is the greatest length of each name of a kind.
	maxName = validation.DNS1035LabelMaxLength
	// hashLength is the length of the hash at the end of a name that was shortened.
	hashLength = 8
)

// fit returns a name that Kubernetes accepts, followed by a suffix: the name itself if it is short
// enough and has ASCII letters and digits only. Otherwise its first letters and digits are followed
// by a hash of the whole name.
func fit(name, suffix string) string {
	kept := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
	if kept == name && len(name)+len(suffix) <= maxName {
		return name + suffix
	}
	sum := sha256.Sum256([]byte(name))
	kept = kept[:min(len(kept), maxName-len(suffix)-hashLength)]
	return kept + hex.EncodeToString(sum[:])[:hashLength] + suffix
}

// listKindOf returns the kind of lists of a kind.
func listKindOf(kind string) string { return fit(kind, "List") }

// pluralOf returns the plural of a singular.
func pluralOf(singular string) string { return fit(plural(singular), "") }

// complete fills in names that follow from others.
func complete(n config.Names) config.Names {
	if n.ListKind == "" {
		n.ListKind = listKindOf(n.Kind)
	}
	if n.Singular == "" {
		n.Singular = strings.ToLower(n.Kind)
	}
	if n.Plural == "" {
		n.Plural = pluralOf(n.Singular)
	}
	return n
}

// ruled are the names of a kind according to the rule: of its type without and with the provider's
// name.
type ruled struct{ short, long string }

func rule(provider, resourceType string) ruled {
	bare := resourceType
	if rest, ok := strings.CutPrefix(resourceType, provider+"_"); ok {
		bare = rest
	} else if _, rest, ok := strings.Cut(resourceType, "_"); ok {
		bare = rest
	}
	return ruled{fit(kindName(bare), ""), fit(kindName(resourceType), "")}
}

// nameSpace holds the names that are taken in each API group. In a group, kinds and list kinds must
// be distinct, and so must plurals, singulars and short names.
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

// request is what the names of one kind are to be.
type request struct {
	resource   *Resource
	configured config.Resource
	rule       ruled
	// required are the names that the configuration has for the type, as they are there.
	required config.Names
	// given are the same, completed, and known those that the kind had before.
	given, known config.Names
	renamed      []Renamed
}

func newRequest(r *Resource, provider string, c config.Resource, given, known config.Names) *request {
	q := &request{resource: r, configured: c, rule: rule(provider, r.Type)}
	r.own = config.Names{Kind: c.Kind, Plural: c.Plural}
	if r.own.Kind == "" {
		r.own.Kind = q.rule.short
	}
	r.own = complete(r.own)
	if c.Kind != "" || c.Plural != "" {
		r.Naming = NamesConfigured
	}
	with := func(n config.Names) config.Names {
		if n == (config.Names{}) || c.Kind != "" && n.Kind != "" && n.Kind != c.Kind {
			return config.Names{} // the configured kind has other names
		}
		if n.Kind == "" {
			n.Kind = r.own.Kind
		}
		if c.Plural != "" {
			n.Plural = c.Plural
		}
		return complete(n)
	}
	if q.given = with(given); q.given != (config.Names{}) {
		q.required = given
	}
	q.known = with(known)
	return q
}

// precedence of requests, the first ones first: what is configured for a type, what is given, what
// the kind had before, and then the rule. Kinds that are added to a provider give way to those that
// it had.
func (q *request) precedence() int {
	none := config.Names{}
	switch {
	case q.configured.Kind != "" && q.configured.Plural != "":
		return 0
	case q.configured.Kind != "" || q.configured.Plural != "":
		return 1
	case q.given != none:
		return 2
	case q.known != none:
		return 3
	default:
		return 4
	}
}

// assign gives each kind its names, in the order of precedence. Among kinds of the same precedence,
// kinds are chosen before list kinds, and plurals of kinds in the singular before those of kinds
// that have the form of a plural: an addition then changes as little as possible. The errors are
// *config.Errors below the resource type; for given names, below the names.
func (n *nameSpace) assign(all []*request) error {
	slices.SortStableFunc(all, func(a, b *request) int { return a.precedence() - b.precedence() })
	for len(all) > 0 {
		same := slices.IndexFunc(all, func(q *request) bool { return q.precedence() != all[0].precedence() })
		if same < 0 {
			same = len(all)
		}
		now := all[:same]
		all = all[same:]
		for _, step := range []func(*request) error{n.kind, n.listKind} {
			for _, q := range now {
				if err := step(q); err != nil {
					return err
				}
			}
		}
		slices.SortStableFunc(now, func(a, b *request) int { return a.pluralForm() - b.pluralForm() })
		for _, q := range now {
			if err := n.resource(q); err != nil {
				return err
			}
		}
	}
	return nil
}

// namingError is why a kind cannot have its names.
type namingError struct {
	address string
	// given is set if the error is about given names, and not about the configuration of the type.
	given bool
	err   *config.Error
}

func (e *namingError) Error() string { return e.err.Error() }

// pluralForm returns 1 for kinds whose natural singular is a plural, such as Settings, and
// otherwise 0.
func (q *request) pluralForm() int {
	if s := strings.ToLower(q.resource.Kind); pluralOf(s) == s {
		return 1
	}
	return 0
}

// wanted returns what the names of a kind are to be before the rule is asked, in the order of
// preference.
func (q *request) wanted(name func(config.Names) string, own string) []string {
	var out []string
	for _, x := range []string{name(q.given), name(q.known), own} {
		if x != "" && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func (n *nameSpace) kind(q *request) error {
	kinds, _ := n.of(q.resource.Group)
	free := func(kind string) bool { return !kinds[kind] }
	wanted := q.wanted(func(n config.Names) string { return n.Kind }, q.resource.own.Kind)
	if q.configured.Kind != "" {
		wanted = []string{q.configured.Kind}
	}
	got, err := q.choose("kind", q.configured.Kind, q.required.Kind, wanted, []string{q.rule.long}, free)
	if err != nil {
		return err
	}
	q.resource.Kind = got
	kinds[got] = true
	return nil
}

func (n *nameSpace) listKind(q *request) error {
	kinds, _ := n.of(q.resource.Group)
	free := func(kind string) bool { return !kinds[kind] }
	kind := q.resource.Kind
	wanted := q.wanted(q.of(func(n config.Names) string { return n.ListKind }), listKindOf(kind))
	got, err := q.choose("listKind", "", q.required.ListKind, wanted, []string{listKindOf(q.rule.long)}, free)
	if err != nil {
		return err
	}
	q.resource.ListKind = got
	kinds[got] = true
	return nil
}

func (n *nameSpace) resource(q *request) error {
	_, resources := n.of(q.resource.Group)
	free := func(name string) bool { return !resources[name] }
	own := strings.ToLower(q.resource.Kind)
	long := strings.ToLower(q.rule.long)
	longest := fit(long, "resource")
	wanted := q.wanted(q.of(func(n config.Names) string { return n.Singular }), own)
	got, err := q.choose("singular", "", q.required.Singular, wanted, []string{long, longest}, free)
	if err != nil {
		return err
	}
	q.resource.Singular = got
	wanted = q.wanted(q.of(func(n config.Names) string { return n.Plural }), pluralOf(got))
	if q.configured.Plural != "" {
		wanted = []string{q.configured.Plural}
	}
	if got, err = q.choose("plural", q.configured.Plural, q.required.Plural, wanted,
		[]string{pluralOf(long), pluralOf(longest)}, free); err != nil {
		return err
	}
	q.resource.Plural = got
	resources[q.resource.Singular], resources[q.resource.Plural] = true, true
	for i, s := range q.configured.ShortNames {
		if resources[s] {
			return &namingError{q.resource.Address(), false, config.At(fmt.Errorf("%s is taken", s), "shortNames", strconv.Itoa(i))}
		}
		resources[s] = true
	}
	return nil
}

// of returns a function of the names that go with the kind that was chosen: others do not count.
func (q *request) of(name func(config.Names) string) func(config.Names) string {
	return func(n config.Names) string {
		if n.Kind != q.resource.Kind {
			return ""
		}
		return name(n)
	}
}

// choose returns the first name that is free: of those that are wanted, of others, and of the last
// of these with a number. It returns an error if the setting has a configured or required name that
// is taken.
func (q *request) choose(setting, configured, required string, wanted, others []string, free func(string) bool) (string, error) {
	switch first := wanted[0]; {
	case free(first):
		return first, nil
	case first == configured || first == required:
		return "", &namingError{q.resource.Address(), first != configured, config.At(fmt.Errorf("%s is taken", first), setting)}
	}
	got := firstFree(slices.Concat(wanted, others), free)
	q.renamed = append(q.renamed, Renamed{Type: q.resource.Address(), Wanted: wanted[0], Got: got})
	return got, nil
}

func firstFree(candidates []string, free func(string) bool) string {
	for _, c := range candidates {
		if free(c) {
			return c
		}
	}
	last := candidates[len(candidates)-1]
	for i := 2; ; i++ {
		if c := fit(last, strconv.Itoa(i)); free(c) {
			return c
		}
	}
}

// kindName returns the name of a kind. Kinds are DNS labels, so a name that begins with a digit
// gets a letter in front.
func kindName(name string) string {
	k := pascalCase(name)
	if k == "" || k[0] < 'A' || k[0] > 'Z' {
		return "X" + k
	}
	return k
}
