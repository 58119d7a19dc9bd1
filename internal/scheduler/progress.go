package scheduler

import (
	"context"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// progressWait is the time for which messages of a provider are collected before the resource is
// woken.
const progressWait = 2 * time.Second

// report adds the provider's latest message to the observation.
func (v *view) report() {
	if text := v.progress.Get(); text != v.observation.Progress {
		o := *v.observation
		o.Progress = text
		v.observation = &o
	}
}

// listen subscribes to the provider's messages about an operation. It does not if the operation may
// generate a secret: the secret is not known yet, so it could not be redacted.
func (s *Scheduler) listen(ctx context.Context, r Request, to *journal.Progress, p terraform.Plan) context.Context {
	if journal.MakesSecrets(p) {
		return ctx
	}
	return provider.WithProgress(ctx, func(text string) {
		if to.Set(text) {
			s.o.Clock.AfterFunc(progressWait, func() {
				to.Woken()
				s.o.Wake(r.Key)
			})
		}
	})
}
