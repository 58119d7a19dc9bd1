package plugin_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/internal/servertest"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

func TestMain(m *testing.M) {
	testprovider.Main() // the test binary is also the test providers
	os.Exit(m.Run())
}

// launcher returns a launcher for a provider of testprovider, and the file with its records.
func launcher(t testing.TB, mode string) (*plugin.Launcher, string) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "record")
	return &plugin.Launcher{Path: path, Env: testprovider.Env(mode, record)}, record
}

// launch starts a provider and closes it at the end of the test.
func launch(t testing.TB, l *plugin.Launcher) provider.Server {
	t.Helper()
	s, err := l.Launch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Close(ctx)
		select {
		case <-s.Done():
		case <-time.After(time.Second):
			t.Error("the provider is not done after Close")
		}
	})
	return s
}

// TestEveryCall checks that every call and every field of every message is passed on over the wire.
func TestEveryCall(t *testing.T) {
	for name, mode := range map[string]string{"protocol 5": testprovider.Walk5, "protocol 6": testprovider.Walk} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, record := launcher(t, mode)
			servertest.Walk(t, launch(t, l), record)
		})
	}
}

// TestBareProvider checks that calls that the provider does not implement return an error.
func TestBareProvider(t *testing.T) {
	for name, mode := range map[string]string{"protocol 5": testprovider.Bare5, "protocol 6": testprovider.Bare} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := launcher(t, mode)
			servertest.Bare(t, launch(t, l))
		})
	}
}
