package redact

import (
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"
)

// Concealed replaces secrets in texts.
const Concealed = "(sensitive value)"

// Redactor removes secrets from texts, since providers quote the values that they reject. The
// zero value knows no secrets. It is safe for concurrent use.
//
// A secret is found unchanged, without surrounding white space, line by line, and in the spellings
// that it has in JSON, in Go's quoting, in URLs and in base64, also where a text breaks it over
// lines. Secrets of up to three bytes are only removed where they stand alone: they occur in many
// words and numbers, and removing those would make texts useless. A part of a number is not alone.
type Redactor struct {
	current atomic.Pointer[Replacer] // nil until it is needed after a change of known

	mu    sync.Mutex
	known map[string]struct{}
}

// Add registers secrets.
func (r *Redactor) Add(secrets ...[]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range secrets {
		r.add(string(s))
	}
}

// AddStrings registers secrets.
func (r *Redactor) AddStrings(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range secrets {
		r.add(s)
	}
}

func (r *Redactor) add(secret string) {
	if r.known == nil {
		r.known = map[string]struct{}{}
	}
	for s := range spellings(secret) {
		r.known[s] = struct{}{}
	}
	r.current.Store(nil)
}

// AddValue registers the strings within a sensitive value.
func (r *Redactor) AddValue(v cty.Value) {
	v, _ = v.UnmarkDeep()
	_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
		if x.IsKnown() && !x.IsNull() && x.Type() == cty.String {
			r.AddStrings(x.AsString())
		}
		return true, nil
	})
}

// Replacer returns a replacer for the secrets that are registered now.
func (r *Redactor) Replacer() *Replacer {
	if p := r.current.Load(); p != nil {
		return p
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.current.Load(); p != nil {
		return p
	}
	p := newReplacer(r.known)
	r.current.Store(p)
	return p
}

// Replace returns a text without the secrets.
func (r *Redactor) Replace(text string) string { return r.Replacer().Replace(text) }

// JSON returns a decoded JSON value without the secrets, whether they are strings, names or
// numbers.
func (r *Redactor) JSON(v any) any {
	p := r.Replacer()
	if p.empty() {
		return v
	}
	return p.json(v)
}

func (p *Replacer) json(v any) any {
	switch v := v.(type) {
	case string:
		return p.Replace(v)
	case json.Number:
		if s := p.Replace(v.String()); s != v.String() {
			return s
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = p.json(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[p.Replace(name)] = p.json(x)
		}
		return out
	default:
		return v
	}
}
