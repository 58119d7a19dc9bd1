package memory_test

import (
	"context"
	"os"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	// A tick is accepted when the one before was dealt with. Work is over when there was no more of
	// it between two ticks.
	tick := func() {
		for range 3 {
			ticks <- time.Time{}
		}
	}
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
		t.Errorf("%d garbage collections after work, want 1", now-first)
	}
	cancel()
	<-ended
}

// A heap is released when work is over, and not while the next work needs what is free.
func TestWork(t *testing.T) {
	const live = 16 << 20
	for name, tc := range map[string]struct {
		mib  []uint64 // allocated between ticks
		want []bool
	}{
		"a start":           {[]uint64{200, 2, 0, 0}, []bool{false, true, false, false}},
		"work that goes on": {[]uint64{30, 25, 27, 30, 20}, []bool{false, false, false, false, false}},
		"next to nothing":   {[]uint64{1, 0, 1, 0, 1, 0}, []bool{false, false, false, false, false, false}},
		"waves":             {[]uint64{40, 5, 0, 40, 40, 5}, []bool{false, true, false, false, false, true}},
		"a start, and work": {[]uint64{200, 30, 30, 30}, []bool{false, true, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			var w memory.Work
			var got []bool
			total := uint64(0)
			for _, n := range tc.mib {
				total += n << 20
				got = append(got, w.Over(total, live))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
