package world_test

import (
	"fmt"
	"sync"
)

// verdict lists what is wrong with the resources of a trial.
type verdict struct {
	mu sync.Mutex
	// lost has objects without a resource, and objects that were destroyed unasked; doubled has
	// objects that existed beside another one of the same resource; failed has resources that are
	// not as docs/faults.md says.
	lost, doubled, failed []string
}

func (v *verdict) note(list *[]string, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	*list = append(*list, fmt.Sprintf(format, args...))
}

// tally counts what was tried and what is wrong.
type tally struct {
	mu                    sync.Mutex
	behaviours, ways      map[string]bool
	lost, doubled, failed int
}

var results = tally{behaviours: map[string]bool{}, ways: map[string]bool{}}

func (r *tally) add(behaviour, way string, v *verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.behaviours[behaviour], r.ways[way] = true, true
	r.lost += len(v.lost)
	r.doubled += len(v.doubled)
	r.failed += len(v.failed)
}

func (r *tally) wrong() bool { return r.lost+r.doubled+r.failed > 0 || len(r.behaviours) == 0 }

// line returns the closing line.
func (r *tally) line() string {
	return fmt.Sprintf("world: %d behaviours, %d ways, %d lost, %d doubled, %d failed", len(r.behaviours),
		len(r.ways), r.lost, r.doubled, r.failed)
}
