package ownership

import (
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// Handles are the handles that the configuration of a kind adds, and what objects have shown about
// them. There is one for each kind.
type Handles struct {
	// Identity returns the attributes of the identity that the configuration maps, of an object or
	// a planned one. Nil if it maps none.
	Identity func(object cty.Value) map[string]cty.Value

	mapping, importID evidence
}

// evidence is what objects have shown about a setting of the configuration.
type evidence struct {
	mu        sync.Mutex
	confirmed bool
	// refuted is how an object contradicts it; empty if none does. told is set when there was an
	// event about it.
	refuted string
	told    bool
	// tryAt is the time before which it is not checked by a call again.
	tryAt time.Time
}

// confirm notes that an object agrees.
func (b *evidence) confirm() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.confirmed = b.refuted == ""
}

// refute notes that an object contradicts.
func (b *evidence) refute(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.confirmed = false
	if b.refuted == "" {
		b.refuted = why
	}
}

// tell reports whether there was no event about the contradiction yet.
func (b *evidence) tell() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !b.told
	b.told = true
	return first
}

// state returns whether objects agree, and how one contradicts.
func (b *evidence) state() (confirmed bool, refuted string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.confirmed, b.refuted
}

// refutesMapping reports whether an object contradicts the mapping.
func (h *Handles) refutesMapping() bool {
	if h == nil {
		return false
	}
	_, why := h.mapping.state()
	return why != ""
}

// Maps reports whether the configuration maps an identity, which is not refuted.
func (h *Handles) Maps() bool { return h != nil && h.Identity != nil && !h.refutesMapping() }

// Named returns an import id that is known beforehand; empty if that is refuted.
func (h *Handles) Named(id string) string {
	if id == "" || h == nil {
		return ""
	}
	if _, refuted := h.importID.state(); refuted != "" {
		return ""
	}
	return id
}

// refuted returns how objects contradict the handles of the configuration.
func (h *Handles) refuted() []string {
	var out []string
	if h == nil {
		return nil
	}
	for _, b := range []*evidence{&h.mapping, &h.importID} {
		if _, why := b.state(); why != "" {
			out = append(out, why)
		}
	}
	return out
}

// NotUsed returns why handles of the configuration are not used.
func (h *Handles) NotUsed() diagnostic.Diagnostics {
	var out diagnostic.Diagnostics
	for _, why := range h.refuted() {
		out = append(
			out, diagnostic.Errorf("Configuration not used", "Objects are not looked for by the provider's "+
				"configuration, since an object contradicts it: %s. %s", why, mendConfiguration)...,
		)
	}
	return out
}

// mendConfiguration is what to do about a refuted handle.
const mendConfiguration = "Correct identity or externalName of the resource type in the provider's configuration; " +
	"landbridge provider identity suggests a mapping from the objects that exist."
