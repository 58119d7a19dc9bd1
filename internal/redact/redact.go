package redact

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// Concealed stands for secrets in texts.
const Concealed = "(sensitive value)"

// Redactor takes secrets out of texts: providers quote what they do not like. The zero value
// knows none. It may be used concurrently.
type Redactor struct {
	mu    sync.Mutex
	known map[string]bool
}

// Add makes the redactor know secrets. Those of up to three characters would be found in
// everything.
func (r *Redactor) Add(secrets ...[]byte) {
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

// AddValue adds the texts in a sensitive value.
func (r *Redactor) AddValue(v cty.Value) {
	v, _ = v.UnmarkDeep()
	_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
		if x.IsKnown() && !x.IsNull() && x.Type() == cty.String {
			r.Add([]byte(x.AsString()))
		}
		return true, nil
	})
}

// Replacer takes out of texts what is known now.
func (r *Redactor) Replacer() *strings.Replacer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return NewReplacer(maps.Keys(r.known))
}

// NewReplacer takes secrets out of texts.
func NewReplacer(secrets iter.Seq[string]) *strings.Replacer {
	var pairs []string
	// The longest first: a secret may be part of another.
	for _, s := range slices.SortedFunc(secrets, func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, s, Concealed)
	}
	return strings.NewReplacer(pairs...)
}
