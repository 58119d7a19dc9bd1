package results

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// resolve sets the referencing fields of an object in memory only.
func (k *Kind) resolve(ctx context.Context, o *object) error {
	return k.Resolve(ctx, &o.Resource, func() providerconfig.Handle[terraform.Executor] { return k.handle(ctx, o) })
}
