package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// before returns why an operation does not begin: because of the brake, or of Hooks.Before. It
// keeps what the operation belongs to. brakes reserves a destroy. It decides before anything else
// that belongs to the change is begun, which counts as the destroy then; otherwise before the
// operation.
func (s *Scheduler) before(ctx context.Context, r *Request, change terraform.Action, brakes func() *Error) (err error) {
	if r.Before != nil && change != "" {
		r.round, err = r.Before(ctx, change, func() error {
			if refused := brakes(); refused != nil {
				return refused
			}
			s.brake.Begin(s.o.Clock.Now(), r.UID)
			return nil
		})
		if err != nil || r.round != "" {
			return err
		}
	}
	if refused := brakes(); refused != nil {
		return refused
	}
	return nil
}
