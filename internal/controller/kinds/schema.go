package kinds

import (
	"context"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/schema"
)

// ReadSchema starts a provider, reads its schema and stops it.
func ReadSchema(ctx context.Context, launcher provider.Launcher) (*schema.Provider, diagnostic.Diagnostics) {
	server, err := launcher.Launch(ctx)
	if err != nil {
		return nil, diagnostic.Errorf("The provider does not start", "%s.", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Close(ctx)
	}()
	return server.Schema(ctx)
}

// MemoryLimit returns the memory limit, in bytes, to set for providers that are written in Go, or 0 without a
// limit. It is lower than the limit itself, so that their garbage collector works harder before it is reached.
func MemoryLimit(l pool.Limits) int64 { return l.MemoryBytes - l.MemoryBytes/10 }
