package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/landbridge-io/landbridge/schema"
)

// Merged is the configuration of one resource type, and where its parts come from.
//
// +kubebuilder:object:generate=false
type Merged struct {
	Resource
	sources []source
}

// source is a part of a merged configuration, and its path.
//
// +kubebuilder:object:generate=false
type source struct {
	at       []string
	resource Resource
}

// Merge returns the configuration of each resource type: the overrides that match it, in their
// order, and then its own entry. Later values replace earlier ones. Maps are merged, and so are the
// lists omit and lateInitialize.ignore. Types without a configuration are left out. Merge returns
// an *Error if an override or entry matches no type.
func (p Provider) Merge(types map[string]*schema.Resource) (map[string]Merged, error) {
	out := map[string]Merged{}
	for i, o := range p.Overrides {
		matched, err := o.matching(types)
		at := []string{"overrides", strconv.Itoa(i)}
		if err != nil {
			return nil, At(err, at...)
		}
		for _, t := range matched {
			out[t] = out[t].with(source{at, o.Resource})
		}
	}
	for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
		at := []string{"resources", t}
		if types[t] == nil {
			return nil, At(fmt.Errorf("the provider has no resource type %s", t), at...)
		}
		out[t] = out[t].with(source{at, p.Resources[t]})
	}
	return out, nil
}

// With returns the configuration merged with another one, whose values take precedence.
func (p Provider) With(over Provider) Provider {
	set(&p.Name, over.Name)
	set(&p.Group, over.Group)
	p.ProviderConfig.Fields = join(p.ProviderConfig.Fields, over.ProviderConfig.Fields, mergeField)
	if len(over.ProviderConfig.AccountFrom) > 0 {
		p.ProviderConfig.AccountFrom = over.ProviderConfig.AccountFrom
	}
	p.Overrides = slices.Concat(p.Overrides, over.Overrides)
	p.Names = join(p.Names, over.Names, func(_, b Names) Names { return b })
	p.Resources = join(p.Resources, over.Resources, merge)
	return p
}

func (m Merged) with(s source) Merged {
	return Merged{merge(m.Resource, s.resource), append(slices.Clone(m.sources), s)}
}

// Locate returns an error in the resource's configuration with its path in the provider's
// configuration.
func (m Merged) Locate(err error) error {
	if len(m.sources) == 0 {
		return err
	}
	var inner []string
	if e := (*Error)(nil); errors.As(err, &e) {
		inner = e.Path
	}
	for _, s := range slices.Backward(m.sources) {
		if s.sets(inner) {
			return At(err, s.at...)
		}
	}
	return At(err, m.sources[len(m.sources)-1].at...)
}

// sets reports whether the source sets a value at the path.
func (s source) sets(path []string) bool {
	raw, err := json.Marshal(s.resource)
	var at any
	if err != nil || json.Unmarshal(raw, &at) != nil {
		return false
	}
	for _, step := range path {
		switch x := at.(type) {
		case map[string]any:
			var ok bool
			if at, ok = x[step]; !ok {
				return false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(x) {
				return false
			}
			at = x[i]
		default:
			return false
		}
	}
	return true
}

// matching returns the names of the types that meet all conditions, sorted.
func (o Override) matching(types map[string]*schema.Resource) ([]string, error) {
	if len(o.Match) == 0 && len(o.Having) == 0 && o.Matches == nil {
		return nil, errors.New("match or having must be set; match: [\"*\"] selects every resource type")
	}
	named := map[string]bool{}
	for i, pattern := range o.Match {
		found := false
		for t := range types {
			ok, err := path.Match(pattern, t)
			if err != nil {
				return nil, At(fmt.Errorf("%q is not a pattern", pattern), "match", strconv.Itoa(i))
			}
			if ok {
				named[t], found = true, true
			}
		}
		if !found {
			return nil, At(fmt.Errorf("no resource type matches %q", pattern), "match", strconv.Itoa(i))
		}
	}
	var out []string
	for _, t := range slices.Sorted(maps.Keys(types)) {
		if (len(o.Match) == 0 || named[t]) && has(types[t].Block, o.Having) && (o.Matches == nil || o.Matches(types[t])) {
			out = append(out, t)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(o.Having) > 0:
		return nil, At(errors.New("no matching resource type has all of these attributes and blocks"), "having")
	default:
		return nil, errors.New("the override matches no resource type")
	}
}

// has reports whether a block has all attributes and blocks of these paths.
func has(b *schema.Block, paths []string) bool {
	return !slices.ContainsFunc(paths, func(path string) bool {
		t := b.ImpliedType()
		for name := range strings.SplitSeq(path, ".") {
			for t.IsCollectionType() {
				t = t.ElementType()
			}
			if !t.IsObjectType() || !t.HasAttribute(name) {
				return true
			}
			t = t.AttributeType(name)
		}
		return false
	})
}

// At returns an error with path prepended to its path.
func At(err error, path ...string) *Error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // what wraps an Error would be lost
		return &Error{Path: slices.Concat(path, e.Path), Err: e.Err}
	}
	return &Error{Path: path, Err: err}
}

func merge(under, over Resource) Resource {
	out := under
	set(&out.Group, over.Group)
	set(&out.Kind, over.Kind)
	set(&out.Plural, over.Plural)
	set(&out.Version, over.Version)
	out.DroppedVersions = union(under.DroppedVersions, over.DroppedVersions)
	set(&out.Description, over.Description)
	if over.ShortNames != nil {
		out.ShortNames = over.ShortNames
	}
	out.Omit = union(under.Omit, over.Omit)
	out.Fields = join(under.Fields, over.Fields, mergeField)
	out.InferImmutable = under.InferImmutable || over.InferImmutable
	out.Add = join(under.Add, over.Add, func(_, b AddedField) AddedField { return b })
	out.ConnectionDetails = join(under.ConnectionDetails, over.ConnectionDetails, func(_, b Template) Template { return b })
	out.References = join(under.References, over.References, func(_, b Reference) Reference { return b })
	out.ExternalName = both(under.ExternalName, over.ExternalName, func(a, b ExternalName) ExternalName {
		set(&a.Attribute, b.Attribute)
		set(&a.Argument, b.Argument)
		set(&a.Default, b.Default)
		set(&a.ImportID, b.ImportID)
		return a
	})
	out.Identity = join(under.Identity, over.Identity, func(_, b IdentityValue) IdentityValue { return b })
	out.CreateToken = both(under.CreateToken, over.CreateToken, func(a, b CreateToken) CreateToken {
		set(&a.Argument, b.Argument)
		set(&a.ValidFor, b.ValidFor)
		return a
	})
	out.ListRecovery = both(under.ListRecovery, over.ListRecovery, func(a, b ListRecovery) ListRecovery {
		a.Arguments = join(a.Arguments, b.Arguments, func(_, b IdentityValue) IdentityValue { return b })
		return a
	})
	out.ListRefresh = both(under.ListRefresh, over.ListRefresh, func(a, b ListRefresh) ListRefresh {
		a.Arguments = join(a.Arguments, b.Arguments, func(_, b IdentityValue) IdentityValue { return b })
		set(&a.ReadEvery, b.ReadEvery)
		return a
	})
	out.DefaultTags = both(under.DefaultTags, over.DefaultTags, func(a, b DefaultTags) DefaultTags {
		set(&a.Attribute, b.Attribute)
		a.Tags = join(a.Tags, b.Tags, func(_, b Template) Template { return b })
		a.OnlyTags = a.OnlyTags || b.OnlyTags
		return a
	})
	out.LateInitialize = both(under.LateInitialize, over.LateInitialize, func(a, b LateInitialize) LateInitialize {
		set(&a.Enabled, b.Enabled)
		a.Ignore = union(a.Ignore, b.Ignore)
		return a
	})
	out.Timeouts = both(under.Timeouts, over.Timeouts, func(a, b Timeouts) Timeouts {
		set(&a.Create, b.Create)
		set(&a.Update, b.Update)
		set(&a.Delete, b.Delete)
		return a
	})
	set(&out.PollInterval, over.PollInterval)
	set(&out.CreationGracePeriod, over.CreationGracePeriod)
	out.Functions = both(under.Functions, over.Functions, func(a, b Functions) Functions {
		if b.Configure != nil {
			a.Configure = b.Configure
		}
		if b.Observe != nil {
			a.Observe = b.Observe
		}
		if b.ExternalName != nil {
			a.ExternalName = b.ExternalName
		}
		if b.ImportID != nil {
			a.ImportID = b.ImportID
		}
		if b.ConnectionDetails != nil {
			a.ConnectionDetails = b.ConnectionDetails
		}
		return a
	})
	return out
}

func set[T comparable](to *T, v T) {
	var zero T
	if v != zero {
		*to = v
	}
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func mergeField(a, b Field) Field {
	set(&a.Name, b.Name)
	set(&a.Description, b.Description)
	set(&a.Type, b.Type)
	set(&a.Value, b.Value)
	a.Sensitive = a.Sensitive || b.Sensitive
	if b.Immutable != nil {
		a.Immutable = b.Immutable
	}
	a.FormerNames = union(a.FormerNames, b.FormerNames)
	return a
}

func join[V any](under, over map[string]V, merge func(a, b V) V) map[string]V {
	if len(over) == 0 {
		return under
	}
	out := maps.Clone(under)
	if out == nil {
		out = make(map[string]V, len(over))
	}
	for k, v := range over {
		if before, ok := out[k]; ok {
			v = merge(before, v)
		}
		out[k] = v
	}
	return out
}

func both[T any](under, over *T, merge func(a, b T) T) *T {
	switch {
	case over == nil:
		return under
	case under == nil:
		return over
	}
	out := merge(*under, *over)
	return &out
}
