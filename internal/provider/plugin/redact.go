package plugin

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/landbridge-io/landbridge/internal/redact"
)

// redactor takes secrets out of text. Its zero value knows none.
type redactor struct {
	replacer atomic.Pointer[strings.Replacer]

	mu    sync.Mutex
	known map[string]struct{}
}

// add makes the redactor know more secrets, with the spellings they have in JSON and in
// URLs, and each longer line of those that have several.
func (r *redactor) add(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]struct{}{}
	}
	for _, secret := range secrets {
		spellings := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
		if quoted, err := json.Marshal(secret); err == nil {
			spellings = append(spellings, string(quoted[1:len(quoted)-1]))
		}
		if lines := strings.Split(secret, "\n"); len(lines) > 1 {
			for _, line := range lines {
				if line = strings.TrimSpace(line); len(line) >= 8 {
					spellings = append(spellings, line)
				}
			}
		}
		for _, s := range spellings {
			if s != "" {
				r.known[s] = struct{}{}
			}
		}
	}
	if len(r.known) == 0 {
		return
	}
	r.replacer.Store(redact.NewReplacer(maps.Keys(r.known)))
}

func (r *redactor) string(s string) string {
	if replacer := r.replacer.Load(); replacer != nil {
		return replacer.Replace(s)
	}
	return s
}

// any redacts a decoded JSON value.
func (r *redactor) any(v any) any {
	if r.replacer.Load() == nil {
		return v
	}
	switch v := v.(type) {
	case string:
		return r.string(v)
	case json.Number:
		if s := r.string(v.String()); s != v.String() {
			return s
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = r.any(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[r.string(name)] = r.any(x)
		}
		return out
	default:
		return v
	}
}
