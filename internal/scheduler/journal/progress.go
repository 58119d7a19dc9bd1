package journal

import (
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Progress has the provider's messages about one operation. It has its own lock, so that messages
// never block the provider.
type Progress struct {
	mu   sync.Mutex
	text string
	// waking is set while a wake is due, and ended when the operation has ended.
	waking, ended bool
}

// Set stores a message, and reports whether a wake has to be scheduled.
func (p *Progress) Set(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.text == text {
		return false
	}
	p.text = text
	wake := !p.waking
	p.waking = true
	return wake
}

// Get returns the latest message.
func (p *Progress) Get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// Woken notes that the resource was woken.
func (p *Progress) Woken() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waking = false
}

// End ends the wakes, since the operation has ended.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// MakesSecrets reports whether the provider decides on sensitive values of a plan, or may do so.
func MakesSecrets(p terraform.Plan) bool {
	if p.Action == terraform.Delete || p.State == cty.NilVal {
		return false
	}
	block := p.Resource.Schema.Block
	some := someSensitive(block.Attributes, block.Blocks)
	found := false
	_ = cty.Walk(p.State, func(path cty.Path, v cty.Value) (bool, error) {
		// What is unknown as a whole may have sensitive parts.
		found = found || !v.IsKnown() && (some && !v.Type().IsPrimitiveType() || sensitive(p, path))
		return !found, nil
	})
	return found
}

// sensitive reports whether a path, or a part of it, is sensitive.
func sensitive(p terraform.Plan, path cty.Path) bool {
	for i := range path {
		part := path[:i+1]
		if a := p.Resource.Schema.Block.AttributeByPath(part); a != nil && (a.Sensitive || a.WriteOnly) {
			return true
		}
		if slices.ContainsFunc(p.SensitivePaths, part.Equals) {
			return true
		}
	}
	return false
}

func someSensitive(attributes map[string]*schema.Attribute, blocks map[string]*schema.NestedBlock) bool {
	for _, a := range attributes {
		if a.Sensitive || a.WriteOnly || a.Nested != nil && someSensitive(a.Nested.Attributes, nil) {
			return true
		}
	}
	for _, b := range blocks {
		if someSensitive(b.Attributes, b.Blocks) {
			return true
		}
	}
	return false
}
