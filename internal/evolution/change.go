package evolution

import (
	"fmt"
	"io"
	"strings"
)

// Verdict is what a change asks for.
type Verdict string

// From the least to the most.
const (
	// InPlace: manifests and programs made for the old version work with the new one.
	InPlace Verdict = "InPlace"
	// NewVersion: some do not, so that the kind needs another API version. Objects are converted.
	NewVersion Verdict = "NewVersion"
	// ByHand: beyond that, somebody has to do something to objects that use what is changed.
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
	FieldAdded             = "FieldAdded"
	FieldRemoved           = "FieldRemoved"
	FieldRenamed           = "FieldRenamed"
	FieldDeprecated        = "FieldDeprecated"
	TypeChanged            = "TypeChanged"
	BoundsChanged          = "BoundsChanged"
	BecameRequired         = "BecameRequired"
	BecameOptional         = "BecameOptional"
	// BecameReadOnly: it could be set, and is only shown now. BecameSettable is the opposite.
	BecameReadOnly = "BecameReadOnly"
	BecameSettable = "BecameSettable"
	// BecameSensitive: its value is in a Secret now. BecamePlain is the opposite.
	BecameSensitive = "BecameSensitive"
	BecamePlain     = "BecamePlain"
	// VersionDropped: the kind is not served any more in an API version. VersionAdded is the opposite.
	VersionAdded   = "VersionAdded"
	VersionDropped = "VersionDropped"
)

// Change is one difference.
type Change struct {
	// ResourceType is Terraform's name; empty for the provider's configuration. Kind is the new one,
	// or the old one if there is no new one.
	ResourceType string `json:"resourceType,omitempty"`
	Kind         string `json:"kind"`
	Change       string `json:"change"`
	// Path is the field in the spelling of the new version, of the old one if it is gone; [] is any
	// element of a list and [key] of a map.
	Path string `json:"path,omitempty"`
	// Old and New are what is different: types, names, bounds.
	Old     string  `json:"old,omitempty"`
	New     string  `json:"new,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Accepted is why nobody has to be asked about a change that is not InPlace; empty if somebody has.
	Accepted string `json:"accepted,omitempty"`
	// Note is what becomes of existing objects, or what is to be done.
	Note string `json:"note,omitempty"`
}

// sign returns how a change begins in a report, as in plans.
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

// String returns the change in a line, without its kind.
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

// words returns those of a name in PascalCase.
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

// Report is what differs between two versions of a provider, sorted by resource type; JSON of it is
// meant for programs.
type Report struct {
	Changes []Change `json:"changes"`
}

// Verdict returns the weightiest of the changes that are not accepted; InPlace if there are none.
func (r Report) Verdict() Verdict {
	out := InPlace
	for _, c := range r.Changes {
		if c.Accepted == "" && c.Verdict.weight() > out.weight() {
			out = c.Verdict
		}
	}
	return out
}

// Needing returns the changes that need a new version at least, and are not accepted.
func (r Report) Needing() Report {
	var out Report
	for _, c := range r.Changes {
		if c.Verdict != InPlace && c.Accepted == "" {
			out.Changes = append(out.Changes, c)
		}
	}
	return out
}

// Types returns the resource types that something is said of, in the report's order.
func (r Report) Types() []string {
	var out []string
	for i, c := range r.Changes {
		if i == 0 || c.ResourceType != r.Changes[i-1].ResourceType {
			out = append(out, c.ResourceType)
		}
	}
	return out
}

// headings are what the verdicts mean to readers.
var headings = map[Verdict]string{
	InPlace:    "works as it is",
	NewVersion: "needs a new API version",
	ByHand:     "needs a new API version, and somebody to see to objects that use it",
}

// heading returns what a change is told under.
func (c Change) heading() string {
	switch {
	case c.Accepted == "":
		return headings[c.Verdict]
	case c.Verdict == ByHand:
		return c.Accepted + ", but somebody has to see to objects that use it"
	default:
		return c.Accepted
	}
}

// Text writes the report for people: by kind, what weighs most first.
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

// Summary returns a line: how many changes of each verdict there are.
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
