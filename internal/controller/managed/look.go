package managed

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// look is an observation of the remote object of a resource.
type look struct {
	// of is the resource, version its resource version, and configHash that of its configuration.
	of                  subject
	version, configHash string

	observation *scheduler.Observation
	err         error
}

// look observes the remote object of a resource.
func (k *Kind) look(ctx context.Context, of subject, version string, request scheduler.Request) look {
	o, err := k.Scheduler.Observe(ctx, request)
	if err == nil {
		k.tracked.leaveRest(of, o)
		k.tracked.over(of.name)
	}
	return look{of: of, version: version, configHash: request.ConfigHash, observation: o, err: err}
}

// made reports whether there was a look.
func (l look) made() bool { return l.of != subject{} }

// fits reports whether the look was at a resource as it is, with the configuration that it has.
func (l look) fits(r *CustomResource, configHash string) bool {
	return l.of == subjectOf(r) && l.version == r.read.GetResourceVersion() && l.configHash == configHash
}
