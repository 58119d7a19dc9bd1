package memory_test

import (
	"context"
	"os"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/memory"
)

// The program must go on as if nothing had happened.
func TestReleaseProgram(t *testing.T) {
	ballast := make([]byte, 64<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	held := os.Getpid() + len(ballast)
	ballast = nil
	for range 3 {
		if err := memory.ReleaseProgram(); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Repeat("x", 3); got != "xxx" || held == 0 || ballast != nil {
		t.Errorf("got %q", got)
	}
}

func TestKeepSmall(t *testing.T) {
	forced := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	ctx, cancel := context.WithCancel(t.Context())
	ticks, ended := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(ended)
		memory.KeepSmall(ctx, ticks, func(err error) { t.Error(err) })
	}()
	// A tick is accepted when the one before was dealt with.
	tick := func() { ticks <- time.Time{}; ticks <- time.Time{} }
	before := forced()
	sink = make([]byte, 64<<20)
	tick()
	first := forced()
	if first == before {
		t.Error("nothing was released")
	}
	for range 10 {
		tick()
	}
	if now := forced(); now != first {
		t.Errorf("%d garbage collections without allocations", now-first)
	}
	sink = make([]byte, 64<<20)
	tick()
	if now := forced(); now != first+1 {
		t.Errorf("%d garbage collections after allocations, want 1", now-first)
	}
	cancel()
	<-ended
}
