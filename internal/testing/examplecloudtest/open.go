package examplecloudtest

import (
	"context"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Open starts the provider in a form and configures it for the cloud. env holds environment
// variables of its process.
func Open(tb testing.TB, form string, cloud *Cloud, env map[string]string) (*model.Provider, provider.Server) {
	tb.Helper()
	return OpenLauncher(tb, &plugin.Launcher{Path: Provider(tb, form), Env: env}, cloud)
}

// OpenLauncher is Open with a launcher.
func OpenLauncher(tb testing.TB, launcher provider.Launcher, cloud *Cloud) (*model.Provider, provider.Server) {
	tb.Helper()
	p, c := Configuration(tb, launcher, cloud)
	lease, diags := Pool(tb).Acquire(tb.Context(), pool.Prepare(c))
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	tb.Cleanup(lease.Release)
	return p, lease.Server()
}

// Pool returns a pool that is closed with the test.
func Pool(tb testing.TB) *pool.Pool {
	servers := pool.New(pool.Options{})
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := servers.Close(ctx); err != nil {
			tb.Error(err)
		}
	})
	return servers
}

// Configuration returns the configuration of a provider for the cloud.
func Configuration(tb testing.TB, launcher provider.Launcher, cloud *Cloud) (*model.Provider, pool.Configuration) {
	tb.Helper()
	server, err := launcher.Launch(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	s, diags := server.Schema(tb.Context())
	if err := server.Close(tb.Context()); err != nil || diags.HasErrors() {
		tb.Fatal(err, diags)
	}
	p, err := model.NewProvider("examplecloud", s, config.Provider{})
	if err != nil {
		tb.Fatal(err)
	}
	c, diags := translate.ProviderConfig(p, map[string]any{"endpoint": cloud.URL}, nil)
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return p, pool.Configuration{Launcher: launcher, Config: c}
}
