package upgradepreview

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Configured returns a version whose servers have the provider configurations that configs finds.
// Each resource uses its own, if its namespace may. The values of the Secrets that configurations
// refer to are added to secrets.
func Configured(configs *providerconfig.Resolver, secrets *redact.Redactor) Version {
	engines := new(engine.Factory)
	acquire := func(ctx context.Context, u *unstructured.Unstructured) (ex terraform.Executor, release func(), diags diagnostic.Diagnostics) {
		of := managed.CustomResource{Unstructured: *u}
		h := configs.Resolve(ctx, of.GetProviderConfigReference(), u.GetNamespace())
		secrets.AddStrings(h.Secrets...)
		visit := &providerconfig.Visit{}
		ctx = providerconfig.WithVisit(provider.WithUser(ctx, userOf(u)), visit)
		patiently(ctx, func() *pool.Failure {
			var server provider.Server
			if server, release, diags = h.Acquire(ctx); !diags.HasErrors() {
				ex = engines.Engine(server)
			}
			return visit.Refused()
		})
		return ex, release, diags
	}
	return Version{Provider: configs.Provider, Acquire: acquire}
}
