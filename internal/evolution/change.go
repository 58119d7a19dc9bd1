package evolution

import (
	"fmt"
	"io"
	"strings"
)

// Verdict classifies a change by what it requires.
type Verdict string

// The verdicts, in ascending order.
const (
	// InPlace: manifests and programs made for the old version work with the new one.
	InPlace Verdict = "InPlace"
	// NewVersion: some do not work, so the kind needs another API version. Objects are converted.
	NewVersion Verdict = "NewVersion"
	// ByHand: also, objects that use the changed part must be edited.
	ByHand Verdict = "ByHand"
)

func (v Verdict) weight() int {
	switch v {
	case ByHand:
		return 2
	case NewVersion:
		return 1
	default:
		return 0
	}
}

// The kinds of changes.
const (
	ResourceTypeAdded      = "ResourceTypeAdded"
	ResourceTypeRemoved    = "ResourceTypeRemoved"
	KindChanged            = "KindChanged"
	ExternalNameChanged    = "ExternalNameChanged"
	SchemaVersionChanged   = "SchemaVersionChanged"
	IdentityAdded          = "IdentityAdded"
	IdentityRemoved        = "IdentityRemoved"
	IdentityVersionChanged = "IdentityVersionChanged"
	// IdentitySchemaChanged: the identity schema changed, but not its version.
	IdentitySchemaChanged = "IdentitySchemaChanged"
	FieldAdded            = "FieldAdded"
	FieldRemoved          = "FieldRemoved"
	FieldRenamed          = "FieldRenamed"
	FieldDeprecated       = "FieldDeprecated"
	TypeChanged           = "TypeChanged"
	BoundsChanged         = "BoundsChanged"
	BecameRequired        = "BecameRequired"
	BecameOptional        = "BecameOptional"
	// BecameReadOnly: a settable field is only observed now. BecameSettable is the opposite.
	BecameReadOnly = "BecameReadOnly"
	BecameSettable = "BecameSettable"
	// BecameSensitive: the value is in a Secret now. BecamePlain is the opposite.
	BecameSensitive = "BecameSensitive"
	BecamePlain     = "BecamePlain"
	// VersionAdded: the kind is served in another API version. VersionDropped is the opposite.
	VersionAdded   = "VersionAdded"
	VersionDropped = "VersionDropped"
)

// Change is one difference.
type Change struct {
	// ResourceType is Terraform's name; empty for the provider's configuration. Kind is the new
	// one, or the old one if there is no new one.
	ResourceType string `json:"resourceType,omitempty"`
	Kind         string `json:"kind"`
	Change       string `json:"change"`
	// Path is the field in the new version, or in the old one if it was removed. [] is any element
	// of a list, [key] any element of a map.
	Path string `json:"path,omitempty"`
	// Old and New are the values that differ: types, names, limits.
	Old     string  `json:"old,omitempty"`
	New     string  `json:"new,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Accepted is the reason why a change that is not InPlace needs no confirmation; empty if it
	// does.
	Accepted string `json:"accepted,omitempty"`
	// Note describes the effect on existing objects, or what users must do.
	Note string `json:"note,omitempty"`
}

// sign returns the first character of a change in a report, as in plans.
func (c Change) sign() string {
	switch c.Change {
	case ResourceTypeAdded, FieldAdded, IdentityAdded, VersionAdded:
		return "+"
	case ResourceTypeRemoved, FieldRemoved, IdentityRemoved, VersionDropped:
		return "-"
	default:
		return "~"
	}
}

// String returns the change as a line, without its kind.
func (c Change) String() string {
	var b strings.Builder
	b.WriteString(c.sign() + " ")
	if c.Path != "" {
		b.WriteString(c.Path + ": ")
	}
	b.WriteString(words(c.Change))
	switch {
	case c.Old != "" && c.New != "":
		fmt.Fprintf(&b, ", %s -> %s", c.Old, c.New)
	case c.Old+c.New != "":
		fmt.Fprintf(&b, ", %s", c.Old+c.New)
	}
	if c.Note != "" {
		fmt.Fprintf(&b, " (%s)", c.Note)
	}
	return b.String()
}

// words returns the words of a name in PascalCase.
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// Report has the changes between two versions of a provider, sorted by resource type. Its JSON is
// for programs.
type Report struct {
	Changes []Change `json:"changes"`
}

// Verdict returns the highest verdict of the changes that are not accepted; InPlace if there are
// none.
func (r Report) Verdict() Verdict {
	out := InPlace
	for _, c := range r.Changes {
		if c.Accepted == "" && c.Verdict.weight() > out.weight() {
			out = c.Verdict
		}
	}
	return out
}

// Needing returns the changes that are not accepted and are not InPlace.
func (r Report) Needing() Report {
	var out Report
	for _, c := range r.Changes {
		if c.Verdict != InPlace && c.Accepted == "" {
			out.Changes = append(out.Changes, c)
		}
	}
	return out
}

// Types returns the resource types that have changes, in the report's order.
func (r Report) Types() []string {
	var out []string
	for i, c := range r.Changes {
		if i == 0 || c.ResourceType != r.Changes[i-1].ResourceType {
			out = append(out, c.ResourceType)
		}
	}
	return out
}

// headings are the headings of the verdicts in reports.
var headings = map[Verdict]string{
	InPlace:    "works as it is",
	NewVersion: "needs a new API version",
	ByHand:     "needs a new API version, and manual changes of objects that use it",
}

// heading returns the heading of a change.
func (c Change) heading() string {
	switch {
	case c.Accepted == "":
		return headings[c.Verdict]
	case c.Verdict == ByHand:
		return c.Accepted + ", but objects that use it have to be changed by hand"
	default:
		return c.Accepted
	}
}

// Text writes the report as text, by kind, the highest verdicts first.
func (r Report) Text(w io.Writer) error {
	var b strings.Builder
	for start := 0; start < len(r.Changes); {
		end := start
		for end < len(r.Changes) && r.Changes[end].ResourceType == r.Changes[start].ResourceType {
			end++
		}
		about := r.Changes[start].ResourceType
		if about == "" {
			about = "provider configuration"
		}
		fmt.Fprintf(&b, "%s (%s)\n", about, r.Changes[start].Kind)
		said := ""
		for _, v := range []Verdict{ByHand, NewVersion, InPlace} {
			for _, accepted := range []bool{false, true} {
				for _, c := range r.Changes[start:end] {
					if c.Verdict != v || (c.Accepted != "") != accepted {
						continue
					}
					if heading := c.heading(); heading != said {
						fmt.Fprintf(&b, "  %s:\n", heading)
						said = heading
					}
					b.WriteString("    " + c.String() + "\n")
				}
			}
		}
		start = end
	}
	b.WriteString(r.Summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary returns the numbers of changes by verdict, as a line.
func (r Report) Summary() string {
	n := map[Verdict]int{}
	accepted := 0
	for _, c := range r.Changes {
		if c.Accepted != "" {
			accepted++
			continue
		}
		n[c.Verdict]++
	}
	if len(r.Changes) == 0 {
		return "Nothing changed."
	}
	out := fmt.Sprintf("In place: %d. New API version: %d. By hand: %d.", n[InPlace], n[NewVersion], n[ByHand])
	if accepted > 0 {
		out += fmt.Sprintf(" As configured: %d.", accepted)
	}
	return out
}
