package kinds

import (
	"context"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/schema"
)

// manyTypes is the number of types from which a provider's process keeps several megabytes of its
// schema once it was asked for it. Other processes of the provider are not asked.
const manyTypes = 100

// ReadSchema starts a provider and reads its schema. The server is for the first provider
// configuration that needs one.
func (rt *Runtime) ReadSchema(ctx context.Context, launcher provider.Launcher) (*schema.Provider, diagnostic.Diagnostics) {
	server, err := launcher.Launch(ctx)
	if err != nil {
		return nil, diagnostic.Errorf("The provider does not start", "%s.", err)
	}
	s, diags := server.Schema(ctx)
	if diags.HasErrors() || len(s.Resources)+len(s.DataSources) >= manyTypes {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Close(ctx)
		return s, diags
	}
	rt.Pool.Offer(launcher, server)
	return s, diags
}

// MemoryLimit returns the memory limit, in bytes, to set for providers that are written in Go, or 0
// without a limit. It is lower than the limit itself, so that their garbage collector works harder
// before it is reached.
func MemoryLimit(l pool.Limits) int64 { return l.MemoryBytes - l.MemoryBytes/10 }
