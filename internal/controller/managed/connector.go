package managed

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// connector returns the external client for one reconcile of one resource.
type connector struct {
	kind   *Kind
	client client.Client
}

type external struct {
	*connector
	request scheduler.Request
	spec    desired.Spec
	// warnings are about the configuration.
	warnings diagnostic.Diagnostics
}
