package cli

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

var (
	_ terraform.Lister      = (*Executor)(nil)
	_ terraform.StateLister = (*Executor)(nil)
)

// List implements terraform.Lister. The provider is asked directly: the program's own lists need a
// query file, and add nothing to the answers.
func (e *Executor) List(
	ctx context.Context, r terraform.ResourceType, arguments map[string]cty.Value, limit int,
) ([]cty.Value, bool, diagnostic.Diagnostics) {
	return engine.New(e.server).List(ctx, r, arguments, limit)
}

// ListStates implements terraform.StateLister, as List does.
func (e *Executor) ListStates(
	ctx context.Context, r terraform.ResourceType, arguments map[string]cty.Value, limit int,
	each func(identity, state cty.Value),
) (bool, diagnostic.Diagnostics) {
	return engine.New(e.server).ListStates(ctx, r, arguments, limit, each)
}
