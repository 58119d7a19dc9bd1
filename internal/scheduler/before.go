package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// before asks Hooks.Before about an operation, and keeps what it belongs to.
func (r *Request) before(ctx context.Context, change terraform.Action) (err error) {
	if r.Before == nil {
		return nil
	}
	r.round, err = r.Before(ctx, change)
	return err
}
