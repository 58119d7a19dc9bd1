package results

import (
	"context"
	"fmt"
	"strings"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// waiting precedes the references that cannot be resolved yet.
const waiting = "waiting for other resources: "

// resolve sets the referencing fields of an object in memory only. Values of the user stay. So the
// object follows its references.
func (k *Kind) resolve(ctx context.Context, o *object) error {
	resolver := references.Resolver{Reader: k.reader, Served: k.Neighbours.Served, Lacks: k.Neighbours.Lacks, Call: references.Caller(k.Model, func(ctx context.Context) (terraform.Executor, func(), error) {
		ex, release, diags := k.handle(ctx, o).Acquire(ctx)
		return ex, release, diags.Err()
	})}
	found, err := resolver.ResolveAll(ctx, &o.Unstructured, k.Model)
	if err == nil && len(found.Missing) > 0 {
		err = fmt.Errorf(waiting+"%s", strings.Join(found.Missing, "; "))
	}
	return err
}
