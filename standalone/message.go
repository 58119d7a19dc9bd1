package standalone

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/diagnostic"
)

// Message is a diagnostic as the user is to read it.
type Message struct {
	Severity diagnostic.Severity `json:"severity"`
	Summary  string              `json:"summary"`
	Detail   string              `json:"detail,omitempty"`
	// Source is the file, and the place in it.
	Source string `json:"source,omitempty"`
	// Address is that of the resource, such as random_password.db.
	Address string `json:"address,omitempty"`
	// Path is the attribute, in the manifest's spelling.
	Path string `json:"path,omitempty"`
}

// Messages are in the order in which they came up.
type Messages []Message

// HasErrors says whether any message is an error.
func (m Messages) HasErrors() bool {
	return slices.ContainsFunc(m, func(x Message) bool { return x.Severity == diagnostic.Error })
}

// String is the messages, one a line.
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

// translated are diagnostics with their paths spelled.
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

// concealed stands for secrets in messages.
const concealed = "(sensitive value)"

// redactor takes secrets out of messages: providers quote what they do not like.
type redactor struct {
	mu    sync.Mutex
	known map[string]bool
}

// add makes the redactor know secrets. Those of up to three characters would be found in
// everything.
func (r *redactor) add(secrets ...[]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]bool{}
	}
	for _, s := range secrets {
		forms := [][]byte{s, bytes.TrimSpace(s)}
		if quoted, err := json.Marshal(string(s)); err == nil {
			forms = append(forms, quoted[1:len(quoted)-1])
		}
		for _, line := range bytes.Split(s, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) >= 8 {
				forms = append(forms, line)
			}
		}
		for _, f := range forms {
			if len(f) > 3 {
				r.known[string(f)] = true
			}
		}
	}
}

// addValue adds the texts and numbers in a sensitive value.
func (r *redactor) addValue(v cty.Value) {
	v, _ = v.UnmarkDeep()
	_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
		if x.IsKnown() && !x.IsNull() && x.Type() == cty.String {
			r.add([]byte(x.AsString()))
		}
		return true, nil
	})
}

func (r *redactor) messages(in Messages) Messages {
	r.mu.Lock()
	pairs := make([]string, 0, 2*len(r.known))
	all := make([]string, 0, len(r.known))
	for s := range r.known {
		all = append(all, s)
	}
	r.mu.Unlock()
	// The longest first: a secret may be part of another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	for _, s := range all {
		pairs = append(pairs, s, concealed)
	}
	replacer := strings.NewReplacer(pairs...)
	out := make(Messages, len(in))
	for i, m := range in {
		m.Summary, m.Detail, m.Path = replacer.Replace(m.Summary), replacer.Replace(m.Detail), replacer.Replace(m.Path)
		out[i] = m
	}
	return out
}
