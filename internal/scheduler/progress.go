package scheduler

import (
	"context"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// progressWait is how long what a provider says is collected until the last of it is worth a look.
const progressWait = 2 * time.Second

// progress has what the provider says of an operation be part of what is observed. Nobody listens
// where a secret is to be made that nobody knows yet: it could not be kept out of what is shown.
func (s *Scheduler) progress(ctx context.Context, e *entry, r Request, op *instance.Operation, p terraform.Plan) context.Context {
	if makesSecrets(p) {
		return ctx
	}
	waking := false
	return provider.WithProgress(ctx, func(text string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.running != op || e.observation == nil || e.observation.Progress == text {
			return
		}
		o := *e.observation
		o.Progress = text
		e.observation = &o
		if waking {
			return
		}
		waking = true
		s.o.Clock.AfterFunc(progressWait, func() {
			e.mu.Lock()
			waking = false
			e.mu.Unlock()
			s.o.Wake(r.Key)
		})
	})
}

// makesSecrets says whether a plan leaves sensitive values to the provider, or may do so.
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

// sensitive says whether what is at the end of a path is, or something that it is part of.
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
