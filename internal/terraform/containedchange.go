package terraform

import (
	"encoding/json"
	"strings"

	"github.com/landbridge-io/landbridge/internal/translate"
)

// Contained is the planned change of one of the resources that the object consists of.
type Contained struct {
	// Address is the Terraform address within the object, such as aws_subnet.private[0].
	Address string
	Action  Action
	Reason  Reason
	// Changes are what an update or a replacement changes; nil for other actions.
	Changes []ContainedChange
	// Prior and Planned identify the values before and after the change, by argument. Planned has
	// those that are known beforehand.
	Prior, Planned map[string]string
}

// ContainedChange is the change of a part of a contained resource. What is in a list or set is no
// part of its own.
type ContainedChange struct {
	// Path is that of the part, in Terraform's spelling, such as tags["a"].
	Path string
	// Before and After are its values as JSON. After is nil if it is not known beforehand.
	Before, After json.RawMessage
	// Sensitive is set when they must not be shown.
	Sensitive bool
	// Replaces is set when the change replaces the object.
	Replaces bool
}

// Destroys returns the addresses of the contained resources that the plan destroys or replaces.
func (p Plan) Destroys() []string {
	var out []string
	for _, c := range p.Contained {
		if c.Action == Delete || c.Action.IsReplace() {
			out = append(out, c.Address)
		}
	}
	return out
}

// Replaces reports whether the plan replaces the object, or objects within it, or destroys some of
// these.
func (p Plan) Replaces() bool { return p.Action.IsReplace() || len(p.Destroys()) > 0 }

// Tainted returns the addresses of the contained resources that the plan replaces because their
// creates have failed.
func (p Plan) Tainted() []string {
	var out []string
	for _, c := range p.Contained {
		if c.Action.IsReplace() && c.Reason == ReplaceBecauseTainted {
			out = append(out, c.Address)
		}
	}
	return out
}

// maxValueText bounds the text of a value.
const maxValueText = 60

// BeforeText and AfterText return the values for a message, shortened and without what is
// sensitive.
func (c ContainedChange) BeforeText() string { return c.text(c.Before) }

// AfterText is BeforeText of After.
func (c ContainedChange) AfterText() string { return c.text(c.After) }

func (c ContainedChange) text(v json.RawMessage) string {
	switch r := []rune(string(v)); {
	case c.Sensitive:
		return translate.SensitiveValue
	case v == nil:
		return translate.KnownAfterApply
	case len(r) > maxValueText:
		return string(r[:maxValueText]) + "…"
	default:
		return string(v)
	}
}

// Argument returns the argument of the resource that the part belongs to.
func (c ContainedChange) Argument() string {
	return c.Path[:len(c.Path)-len(strings.TrimLeftFunc(c.Path, func(r rune) bool { return r != '.' && r != '[' }))]
}

// Block returns the address of the block that declares the contained resource: without the keys of
// instances.
func (c Contained) Block() string {
	at, _, _ := strings.Cut(c.Address, " (deposed ")
	return WithoutKeys(at)
}

// WithoutKeys returns an address without the keys of instances.
func WithoutKeys(address string) string {
	var out strings.Builder
	key, quoted, escaped := false, false, false
	for _, r := range address {
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case key && r == '"':
			quoted = !quoted
		case key && !quoted && r == ']':
			key = false
		case !key && r == '[':
			key = true
		case !key:
			out.WriteRune(r)
		}
	}
	return out.String()
}
