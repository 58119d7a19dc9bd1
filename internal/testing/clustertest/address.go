package clustertest

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/nettest"
)

// FreeAddress returns a local address that no process listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	return must(t, nettest.FreeAddress)
}

// FreePort returns a local port that no process listens on.
func FreePort(t testing.TB) int {
	t.Helper()
	return must(t, nettest.FreePort)
}

func must[T any](t testing.TB, f func() (T, error)) T {
	t.Helper()
	v, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
