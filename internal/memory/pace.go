package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// hard and easy are rates of allocation in bytes per second. A process is busy from the time it
// exceeds hard until it has been below easy for a while.
const (
	hard  = 16 << 20
	easy  = 8 << 20
	while = 5 * time.Second

	paceInterval = 200 * time.Millisecond
)

// Pace adjusts the garbage collector's percentage (GOGC) until ctx ends, and then restores it. It is low
// while the process is idle, to keep it small, and high while it is busy, since collecting a heap of
// long-lived objects repeatedly costs more than anything else.
func Pace(ctx context.Context, small, large int) {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	allocated := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	ticker := time.NewTicker(paceInterval)
	defer ticker.Stop()
	defer debug.SetGCPercent(debug.SetGCPercent(small))
	last, at := allocated(), time.Now()
	var busy bool
	var lately time.Time // when there was more than easy work
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			bytes := allocated()
			rate := float64(bytes-last) / now.Sub(at).Seconds()
			last, at = bytes, now
			if rate > easy {
				lately = now
			}
			switch {
			case !busy && rate > hard:
				busy = true
				debug.SetGCPercent(large)
			case busy && now.Sub(lately) > while:
				busy = false
				debug.SetGCPercent(small)
			}
		}
	}
}
