package memory_test

import (
	"os"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/memory"
)

// The program must go on as if nothing had happened.
func TestRelease(t *testing.T) {
	ballast := make([]byte, 64<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	held := os.Getpid() + len(ballast)
	ballast = nil
	for range 3 {
		if err := memory.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Repeat("x", 3); got != "xxx" || held == 0 || ballast != nil {
		t.Errorf("got %q", got)
	}
}
