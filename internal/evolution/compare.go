package evolution

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Compare returns the changes between two versions of a provider.
func Compare(old, new *model.Provider) (Report, error) {
	a, err := fromModel(old)
	if err != nil {
		return Report{}, err
	}
	b, err := fromModel(new)
	if err != nil {
		return Report{}, err
	}
	out := compareKinds(a, b)
	for i, c := range out.Changes {
		if c.Change == ResourceTypeAdded {
			out.Changes[i].Note = gaveWay(new, c.ResourceType)
		}
	}
	return out, nil
}

// gaveWay tells which names a kind has instead of those that others have; "" if there are none.
func gaveWay(p *model.Provider, resourceType string) string {
	var out []string
	for _, r := range p.Renamed {
		if r.Type == resourceType {
			out = append(out, r.Reason())
		}
	}
	return strings.Join(out, "; ")
}

// compareKinds returns the changes between the kinds of two versions, by resource type.
func compareKinds(old, new map[string]*Kind) Report {
	all := maps.Clone(old)
	maps.Copy(all, new)
	var out Report
	for _, t := range slices.Sorted(maps.Keys(all)) {
		out.Changes = append(out.Changes, CompareKind(old[t], new[t])...)
	}
	return out
}

// CompareKind returns the changes between two versions of a kind, of which one may be nil.
func CompareKind(old, new *Kind) []Change {
	about := new
	if new == nil {
		about = old
	}
	c := &comparer{exact: old != nil && new != nil && old.Exact && new.Exact, old: old, new: new}
	c.about = Change{ResourceType: about.ResourceType, Kind: about.Kind}
	switch {
	case old == nil:
		c.add(Change{Change: ResourceTypeAdded, Verdict: InPlace})
		return c.changes
	case new == nil:
		c.add(Change{Change: ResourceTypeRemoved, Verdict: ByHand, Note: "the provider no longer manages its objects"})
		return c.changes
	}
	c.kind()
	for _, part := range parts {
		c.part = part
		o, n := old.Parts[part], new.Parts[part]
		switch {
		case o != nil && n != nil:
			c.node(nil, o, n)
		case n != nil && part == Identity:
			c.add(Change{Change: IdentityAdded, Path: part, Verdict: InPlace})
		case o != nil && part == Identity:
			c.add(Change{Change: IdentityRemoved, Path: part, Verdict: ByHand, Note: "from now on, only the id identifies an object"})
		}
	}
	return c.changes
}

type comparer struct {
	old, new *Kind
	exact    bool
	about    Change
	part     string
	changes  []Change
	// said are the changes of settable fields, by path below the part. The same changes of observed
	// fields are not reported again.
	said map[string]bool
}

func (c *comparer) add(x Change) {
	x.ResourceType, x.Kind = c.about.ResourceType, c.about.Kind
	c.changes = append(c.changes, x)
}

// kind compares the kind itself.
func (c *comparer) kind() {
	o, n := c.old, c.new
	if a, b := o.Kind+"."+o.Group+" "+o.Plural, n.Kind+"."+n.Group+" "+n.Plural; a != b {
		c.add(Change{
			Change: KindChanged, Old: a, New: b, Verdict: ByHand,
			Note: "this is a different API: create the existing resources again, with spec.import",
		})
	}
	if !c.exact {
		return
	}
	switch {
	case o.SchemaVersion < n.SchemaVersion:
		c.add(Change{Change: SchemaVersionChanged, Old: fmt.Sprint(o.SchemaVersion), New: fmt.Sprint(n.SchemaVersion), Verdict: InPlace,
			Note: "stored states are upgraded the next time they are read; the old version cannot read them afterwards"})
	case o.SchemaVersion > n.SchemaVersion:
		c.add(Change{Change: SchemaVersionChanged, Old: fmt.Sprint(o.SchemaVersion), New: fmt.Sprint(n.SchemaVersion), Verdict: ByHand,
			Note: "the provider cannot read states that its later version stored"})
	}
	if o.IdentityVersion >= 0 && n.IdentityVersion >= 0 && o.IdentityVersion != n.IdentityVersion {
		v := InPlace
		if o.IdentityVersion > n.IdentityVersion {
			v = ByHand
		}
		c.add(Change{Change: IdentityVersionChanged, Old: fmt.Sprint(o.IdentityVersion), New: fmt.Sprint(n.IdentityVersion), Verdict: v})
	}
	if o.IdentityVersion >= 0 && o.IdentityVersion == n.IdentityVersion && !o.IdentityType.Equals(n.IdentityType) {
		c.add(Change{
			Change: IdentitySchemaChanged, Path: Identity, Verdict: ByHand, Old: attributesOf(o.IdentityType),
			New: attributesOf(n.IdentityType),
			Note: fmt.Sprintf("its version is still %d, so stored identities are not upgraded and may not fit: ask "+
				"the provider's developers for a new version of the identity schema", n.IdentityVersion),
		})
	}
	if o.ExternalName != n.ExternalName {
		c.add(Change{Change: ExternalNameChanged, Old: o.ExternalName, New: n.ExternalName, Verdict: NewVersion})
	}
}

// attributesOf describes the attributes of an identity.
func attributesOf(identity cty.Type) string {
	types := identity.AttributeTypes()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(types)) {
		out = append(out, name+" "+types[name].FriendlyName())
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// field reports a change of a field, unless the same was reported for the settable field.
func (c *comparer) field(path []string, x Change) {
	rel := strings.Join(path, "\x00")
	if isStatus(c.part) {
		other := ForProvider
		if c.part == Identity {
			other = ImportIdentity
		}
		if c.said[other+rel] {
			return
		}
	} else {
		if c.said == nil {
			c.said = map[string]bool{}
		}
		if x.Change != BoundsChanged && x.Change != BecameOptional && x.Change != BecameRequired {
			c.said[c.part+rel] = true
			if x.Change == BecamePlain {
				c.said[c.part+strings.TrimSuffix(rel, secretSuffix)] = true
			}
		}
	}
	x.Path = c.part
	for _, step := range path {
		if !strings.HasPrefix(step, "[") {
			x.Path += "."
		}
		x.Path += step
	}
	c.add(x)
}

func (c *comparer) node(path []string, old, new *Node) {
	switch {
	case old.Form == Object && new.Form == Object:
		c.fields(path, old, new)
		return
	case old.Form == Map && new.Form == Map:
		c.node(with(path, "[key]"), old.Element, new.Element)
		return
	case old.list() && new.list():
		if old.Form != new.Form {
			v := InPlace
			note := "the order of elements is significant from now on"
			if new.Form == Set {
				v, note = NewVersion, "duplicate elements are removed"
			}
			c.field(path, Change{Change: TypeChanged, Old: string(old.Form), New: string(new.Form), Verdict: v, Note: note})
		}
		c.bounds(path, old, new)
		c.node(with(path, "[]"), old.Element, new.Element)
		return
	case old.Form == new.Form:
		return
	}
	c.typeChanged(path, old, new)
	// If a value is only wrapped or unwrapped, there may be changes in it.
	switch {
	case old.list() && new.Form == Object && old.Element.Form == Object:
		c.node(path, old.Element, new)
	case new.list() && old.Form == Object && new.Element.Form == Object:
		c.node(with(path, "[]"), old, new.Element)
	}
}

func (c *comparer) typeChanged(path []string, old, new *Node) {
	x := Change{Change: TypeChanged, Old: old.String(), New: new.String()}
	switch {
	case new.Form == Hidden:
		x.Change, x.Verdict, x.Note = BecameSensitive, NewVersion, "it is only in connection Secrets"
	case old.Form == Hidden:
		x.Change, x.Verdict = BecamePlain, InPlace
	default:
		note, ok := conversion(old, new)
		x.Verdict, x.Note = NewVersion, note
		switch {
		case !ok:
			x.Verdict, x.Note = ByHand, "there is no conversion: set the values again"
		case new.Form == Any && !isStatus(c.part):
			x.Verdict = InPlace
		}
	}
	c.field(path, x)
}

func (c *comparer) bounds(path []string, old, new *Node) {
	if old.MinItems == new.MinItems && old.MaxItems == new.MaxItems {
		return
	}
	x := Change{Change: BoundsChanged, Old: bounds(old), New: bounds(new), Verdict: InPlace}
	if new.MinItems > old.MinItems || new.MaxItems > 0 && (old.MaxItems == 0 || new.MaxItems < old.MaxItems) {
		x.Verdict, x.Note = ByHand, "change lists of any other length"
	}
	c.field(path, x)
}

func bounds(n *Node) string {
	most := "any number"
	if n.MaxItems > 0 {
		most = fmt.Sprint(n.MaxItems)
	}
	return fmt.Sprintf("%d to %s", n.MinItems, most)
}

func (c *comparer) fields(path []string, old, new *Node) {
	renamed := renames(old, new)
	for _, name := range slices.Sorted(maps.Keys(old.Fields)) {
		o := old.Fields[name]
		to := name
		if r, ok := renamed[name]; ok {
			to = r
			c.field(with(path, to), Change{Change: FieldRenamed, Old: name, New: to, Verdict: NewVersion, Note: "values are kept"})
		}
		n, ok := new.Fields[to]
		if !ok {
			c.removed(path, name, o, old, new)
			continue
		}
		at := with(path, to)
		c.node(at, o.Node, n.Node)
		c.flags(at, o, n)
	}
	former := map[string]bool{}
	for _, to := range renamed {
		former[to] = true
	}
	for _, name := range slices.Sorted(maps.Keys(new.Fields)) {
		if _, ok := old.Fields[name]; !ok && !former[name] {
			c.added(path, name, new.Fields[name], old, new)
		}
	}
}

// renames returns the fields that were renamed, by their old names. It never guesses.
func renames(old, new *Node) map[string]string {
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(new.Fields)) {
		if _, ok := old.Fields[name]; ok {
			continue
		}
		for _, former := range new.Fields[name].Former {
			_, stays := new.Fields[former]
			if _, was := old.Fields[former]; was && !stays && out[former] == "" {
				out[former] = name
				break
			}
		}
	}
	// Also for fields whose configured name was removed.
	for _, name := range slices.Sorted(maps.Keys(old.Fields)) {
		_, stays := new.Fields[name]
		if stays || out[name] != "" {
			continue
		}
		for _, later := range old.Fields[name].Former {
			_, was := old.Fields[later]
			if _, is := new.Fields[later]; is && !was && !slices.Contains(slices.Collect(maps.Values(out)), later) {
				out[name] = later
				break
			}
		}
	}
	return out
}

func (c *comparer) flags(path []string, old, new *Field) {
	if c.exact && new.Deprecated && !old.Deprecated {
		c.field(path, Change{Change: FieldDeprecated, Verdict: InPlace})
	}
	switch {
	case isStatus(c.part) || old.Required == new.Required:
	case new.Required:
		c.field(path, Change{Change: BecameRequired, Verdict: ByHand, Note: "set it in objects that lack it"})
	default:
		c.field(path, Change{Change: BecameOptional, Verdict: InPlace})
	}
}

func (c *comparer) removed(path []string, name string, old *Field, from, new *Node) {
	at := with(path, name)
	if plain := strings.TrimSuffix(name, secretSuffix); becameSensitive(new, from, plain) {
		c.field(at, Change{Change: BecamePlain, New: plain, Verdict: ByHand, Note: "give the value itself instead of a reference"})
		return
	}
	if becameSensitive(from, new, name) {
		c.field(at, Change{Change: BecameSensitive, New: name + secretSuffix, Verdict: ByHand, Note: "move the value to a Secret"})
		return
	}
	x := Change{Change: FieldRemoved, Old: old.String(), Verdict: NewVersion}
	switch {
	case isStatus(c.part):
	case c.part == ForProvider && has(c.new.Parts[AtProvider].at(path), name):
		x.Change = BecameReadOnly
	default:
		x.Note = "it no longer has an effect"
	}
	c.field(at, x)
}

func (c *comparer) added(path []string, name string, new *Field, old, to *Node) {
	at := with(path, name)
	if becameSensitive(old, to, strings.TrimSuffix(name, secretSuffix)) || becameSensitive(to, old, name) {
		if new.Required {
			c.field(at, Change{Change: BecameRequired, Verdict: ByHand, Note: "set it in objects that lack it"})
		}
		return // it is reported as removed
	}
	x := Change{Change: FieldAdded, New: new.String(), Verdict: InPlace}
	if c.part == ForProvider && has(c.old.Parts[AtProvider].at(path), name) {
		x.Change = BecameSettable
	}
	if new.Required && !isStatus(c.part) {
		x.Verdict, x.Note = ByHand, "it is required: set it in objects that lack it"
	}
	c.field(at, x)
}

// secretSuffix is the suffix of a field whose value is in a Secret.
const secretSuffix = "SecretRef"

// becameSensitive reports whether a field has become a reference to a Secret.
func becameSensitive(old, new *Node, name string) bool {
	ref := name + secretSuffix
	return has(old, name) && !has(old, ref) && !has(new, name) && has(new, ref) &&
		old.Fields[name].Form != SecretRef && new.Fields[ref].Form == SecretRef
}

func has(n *Node, name string) bool {
	if n == nil || n.Form != Object {
		return false
	}
	_, ok := n.Fields[name]
	return ok
}

// at returns the node at a path of names, [] and [key], or nil.
func (n *Node) at(path []string) *Node {
	for _, step := range path {
		switch {
		case n == nil:
			return nil
		case strings.HasPrefix(step, "["):
			n = n.Element
		case n.Form == Object && n.Fields[step] != nil:
			n = n.Fields[step].Node
		default:
			return nil
		}
	}
	return n
}

func with(path []string, step string) []string { return append(slices.Clip(path), step) }
