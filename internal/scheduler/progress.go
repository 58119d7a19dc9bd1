package scheduler

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// progressWait is the time for which messages of a provider are collected before the resource is
// woken.
const progressWait = 2 * time.Second

// progress has the provider's messages about one operation. It has its own lock, so that messages
// never block the provider.
type progress struct {
	mu   sync.Mutex
	text string
	// waking is set while a wake is due, and ended when the operation has ended.
	waking, ended bool
}

// set stores a message, and reports whether a wake has to be scheduled.
func (p *progress) set(text string) bool {
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

func (p *progress) get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

func (p *progress) woken() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waking = false
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// report adds the provider's latest message to the observation.
func (v *view) report() {
	if text := v.progress.get(); text != v.observation.Progress {
		o := *v.observation
		o.Progress = text
		v.observation = &o
	}
}

// listen subscribes to the provider's messages about an operation. It does not if the operation may
// generate a secret: the secret is not known yet, so it could not be redacted.
func (s *Scheduler) listen(ctx context.Context, r Request, to *progress, p terraform.Plan) context.Context {
	if makesSecrets(p) {
		return ctx
	}
	return provider.WithProgress(ctx, func(text string) {
		if to.set(text) {
			s.o.Clock.AfterFunc(progressWait, func() {
				to.woken()
				s.o.Wake(r.Key)
			})
		}
	})
}

// makesSecrets reports whether the provider decides on sensitive values of a plan, or may do so.
func makesSecrets(p terraform.Plan) bool {
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
