package scheduler

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/instance"
)

// Census counts the resources of one kind.
type Census struct {
	// States counts them by the status of what is stored. Those that were not loaded yet are left
	// out.
	States map[instance.Status]int
	// Running counts those with a running operation, and Unknown those with an operation of unknown
	// outcome.
	Running, Unknown int
	// Awaiting counts those whose plan waits for approval.
	Awaiting int
	// Braked counts those whose object is not destroyed because too much was destroyed within a
	// minute.
	Braked int
	// Drifted counts those whose object was changed outside Landbridge.
	Drifted int
	// Unsettled counts those whose provider changes their object again and again.
	Unsettled int
	// Unobserved counts those that were not observed by this process yet.
	Unobserved int
}

// Census returns the counts of each kind that has resources. It takes time in proportion to the
// number of resources, and allocates only for kinds.
func (s *Scheduler) Census() map[schema.GroupKind]*Census {
	out := map[schema.GroupKind]*Census{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.slots.byUID {
		k := schema.GroupKind{Group: e.key.Group, Kind: e.key.Kind}
		c := out[k]
		if c == nil {
			c = &Census{States: map[instance.Status]int{}}
			out[k] = c
		}
		running := e.presence != idle
		if running {
			c.Running++
		}
		if e.awaits.Load() {
			c.Awaiting++
		}
		if e.braked.Load() {
			c.Braked++
		}
		if e.drifted.Load() {
			c.Drifted++
		}
		if e.repeating.Load() {
			c.Unsettled++
		}
		if !e.observed.Load() {
			c.Unobserved++
		}
		if known := e.remembered.Load(); known != nil {
			c.States[known.Status]++
			if known.Interrupted && !running {
				c.Unknown++
			}
		}
	}
	return out
}
