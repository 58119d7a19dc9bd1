package memory

import (
	"context"
	"runtime"
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

// calm is the part of the most allocations between two ticks at which work is over.
const calm = 4

// worthwhile is how many bytes a process allocates at least before its heap is released again, and
// worthwhilePart which part of what lives: that collects garbage, which costs more than everything
// else that an idle process does, and more the more lives.
const (
	worthwhile     = 8 << 20
	worthwhilePart = 8
)

// Garbage is how much garbage a heap may have before it is collected: Bytes, or more as long as the
// heap has at most Heap bytes with it; but at least Least and at most Most percent of what lives.
// With a percentage alone, a large heap would grow by so much garbage that its pages stay in use
// afterwards: each has something that lives.
type Garbage struct {
	Heap, Bytes uint64
	Least, Most int
}

// percent returns the percentage (GOGC) for a heap of which so many bytes live.
func (g Garbage) percent(live uint64) int {
	if live == 0 {
		return g.Most
	}
	garbage := max(g.Bytes, g.Heap-min(live, g.Heap))
	return int(max(uint64(g.Least), min(garbage*100/live, uint64(g.Most)))) //nolint:gosec // percentages
}

// Pace adjusts the garbage collector's percentage until ctx ends, and then restores it. It is low
// while the process is idle, to keep it small, and high while it is busy, since collecting a heap
// of long-lived objects repeatedly costs more than anything else.
func Pace(ctx context.Context, idle, busy Garbage) {
	p := &pace{sample: []metrics.Sample{{Name: alive}}}
	defer debug.SetGCPercent(debug.SetGCPercent(idle.Most))
	for {
		if !awaitWork(ctx, func() { p.set(idle) }) {
			return
		}
		if !awaitRest(ctx, func() { p.set(busy) }) {
			return
		}
	}
}

// pace is the percentage that was set last.
type pace struct {
	sample  []metrics.Sample
	percent int
}

// set sets the percentage for the heap as it is. Each call of SetGCPercent stops the process for a
// moment.
func (p *pace) set(g Garbage) {
	if percent := g.percent(read(p.sample)); percent != p.percent {
		debug.SetGCPercent(percent)
		p.percent = percent
	}
}

// work is what a process has allocated: until its heap was released last, until the last tick, and
// at most between two ticks since the release.
type work struct{ released, before, most uint64 }

// over reports whether the heap is worth to be released now: more than a little was allocated since
// the last time, and that work is over. total is what was allocated until now, and live what lives
// of it.
func (w *work) over(total, live uint64) bool {
	lately := total - w.before
	w.before, w.most = total, max(w.most, lately)
	if total-w.released < max(worthwhile, live/worthwhilePart) || lately > w.most/calm {
		return false
	}
	w.released, w.most = total, 0
	return true
}

// KeepSmall releases memory at ticks until ctx ends: the pages of the program at each, and the free
// heap when more than a little was allocated since the last time, and that work is over. Work that
// goes on needs what was free again. failed is called with errors.
func KeepSmall(ctx context.Context, ticks <-chan time.Time, failed func(error)) {
	total, living := []metrics.Sample{{Name: allocated}}, []metrics.Sample{{Name: alive}}
	var w work
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			if w.over(read(total), read(living)) {
				debug.FreeOSMemory()
			}
			if err := ReleaseProgram(); err != nil {
				failed(err)
			}
		}
	}
}

// awaitWork waits until the process is busy. It is false when ctx has ended. It wakes at each
// garbage collection, of which an idle process has one in two minutes.
func awaitWork(ctx context.Context, pace func()) bool {
	for a := newAllocations(); ; {
		pace()
		select {
		case <-ctx.Done():
			return false
		case <-collection():
			if a.rate() > hard {
				return true
			}
		}
	}
}

// awaitRest waits until the process is not busy any more. It is false when ctx has ended.
func awaitRest(ctx context.Context, pace func()) bool {
	ticker := time.NewTicker(paceInterval)
	defer ticker.Stop()
	lately := time.Now() // when there was more than easy work
	for a := newAllocations(); ; {
		pace()
		select {
		case <-ctx.Done():
			return false
		case now := <-ticker.C:
			if a.rate() > easy {
				lately = now
			}
			if now.Sub(lately) > while {
				return true
			}
		}
	}
}

// collection returns a channel that is closed when the next garbage collection has ended.
func collection() <-chan struct{} {
	type garbage struct{ _ *garbage }
	done := make(chan struct{})
	runtime.AddCleanup(new(garbage), func(done chan struct{}) { close(done) }, done)
	return done
}

// alive is the metric of the bytes in the heap that the last collection has left.
const alive = "/gc/heap/live:bytes"

// allocated is the metric of all bytes that were ever allocated in the heap.
const allocated = "/gc/heap/allocs:bytes"

// allocations measures the rate of allocation.
type allocations struct {
	sample []metrics.Sample
	last   uint64
	at     time.Time
}

func newAllocations() *allocations {
	a := &allocations{sample: []metrics.Sample{{Name: allocated}}}
	a.rate()
	return a
}

// rate returns the bytes per second since it was called before.
func (a *allocations) rate() float64 {
	bytes, now := read(a.sample), time.Now()
	out := float64(bytes-a.last) / now.Sub(a.at).Seconds()
	a.last, a.at = bytes, now
	return out
}

// read returns the value of a sample of one metric.
func read(sample []metrics.Sample) uint64 {
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
