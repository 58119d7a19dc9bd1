package local

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/redact"
)

// Message is a diagnostic for the user.
type Message struct {
	Severity diagnostic.Severity `json:"severity"`
	Summary  string              `json:"summary"`
	Detail   string              `json:"detail,omitempty"`
	// Source is the file and the document in it.
	Source string `json:"source,omitempty"`
	// Address is that of the resource, such as random_password.db.
	Address string `json:"address,omitempty"`
	// Path is the path of the field in the manifest.
	Path string `json:"path,omitempty"`
}

// Messages are in the order in which they occurred.
type Messages []Message

// HasErrors reports whether any message is an error.
func (m Messages) HasErrors() bool {
	return slices.ContainsFunc(m, func(x Message) bool { return x.Severity == diagnostic.Error })
}

// String returns the messages, one per line.
func (m Messages) String() string {
	lines := make([]string, 0, len(m))
	for _, x := range m {
		var parts []string
		for _, p := range []string{x.Source, x.Address, x.Path, x.Summary, x.Detail} {
			if p != "" {
				parts = append(parts, p)
			}
		}
		lines = append(lines, strings.Join(parts, ": "))
	}
	return strings.Join(lines, "\n")
}

func errorf(source, summary, detail string, args ...any) Message {
	return Message{Severity: diagnostic.Error, Source: source, Summary: summary, Detail: fmt.Sprintf(detail, args...)}
}

// translated returns diagnostics as messages. spell formats their paths.
func translated(source, address string, diags diagnostic.Diagnostics, spell func(cty.Path) string) Messages {
	var out Messages
	for _, d := range diags {
		m := Message{Severity: d.Severity, Summary: d.Summary, Detail: d.Detail, Source: source, Address: address}
		if len(d.Attribute) > 0 {
			m.Path = spell(d.Attribute)
		}
		out = append(out, m)
	}
	return out
}

// conceal redacts messages.
func conceal(r *redact.Redactor, in Messages) Messages {
	replacer := r.Replacer()
	out := make(Messages, len(in))
	for i, m := range in {
		m.Summary, m.Detail, m.Path = replacer.Replace(m.Summary), replacer.Replace(m.Detail), replacer.Replace(m.Path)
		out[i] = m
	}
	return out
}
