package memory_test

import (
	"context"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/memory"
)

var sink []byte

func TestPace(t *testing.T) {
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	eventually := func(what string, want uint64, work func()) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); percent() != want; work() {
			if time.Now().After(deadline) {
				t.Fatalf("%s: GOGC is %d, want %d", what, percent(), want)
			}
		}
	}
	before := percent()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		memory.Pace(ctx, memory.Garbage{Bytes: 1 << 40, Least: 20, Most: 41}, memory.Garbage{Bytes: 1 << 40, Least: 20, Most: 301})
	}()
	eventually("at first", 41, func() { time.Sleep(time.Millisecond) })
	eventually("working hard", 301, func() { sink = make([]byte, 1<<20); time.Sleep(time.Millisecond) })
	eventually("done", 41, func() { time.Sleep(10 * time.Millisecond) })
	cancel()
	<-ended
	if percent() != before {
		t.Errorf("GOGC is left at %d, was %d", percent(), before)
	}
}

// A large heap has a bounded amount of garbage.
func TestGarbage(t *testing.T) {
	g := memory.Garbage{Heap: 120 << 20, Bytes: 20 << 20, Least: 10, Most: 60}
	for live, want := range map[uint64]int{0: 60, 1 << 20: 60, 75 << 20: 60, 80 << 20: 50, 100 << 20: 20, 160 << 20: 12, 1 << 30: 10} {
		if got := memory.Percent(g, live); got != want {
			t.Errorf("%d%% of %d MiB, want %d%%", got, live>>20, want)
		}
	}
}
