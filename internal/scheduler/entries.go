package scheduler

import (
	"slices"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// slots holds the slots of the resources that exist or have a running operation.
type slots struct {
	byUID map[types.UID]*slot
	// byKey has one of the slots of a key. The others follow by slot.next.
	byKey map[store.Key]*slot
}

// get returns the slot of a resource, which it creates if there is none.
func (x *slots) get(k store.Key, uid types.UID) *slot {
	e, ok := x.byUID[uid]
	if !ok {
		e = &slot{key: k, uid: uid, turn: newTurn()}
		e.entry = &entry{slot: e}
		x.add(e)
	}
	if e.presence == leaving {
		e.presence = working // its resource was taken for gone, and is not
	}
	return e
}

func (x *slots) add(e *slot) {
	if x.byUID == nil {
		x.byUID, x.byKey = map[types.UID]*slot{}, map[store.Key]*slot{}
	}
	x.byUID[e.uid] = e
	e.next = x.byKey[e.key]
	x.byKey[e.key] = e
}

// of returns the slots of a key.
func (x *slots) of(k store.Key) (out []*slot) {
	for e := x.byKey[k]; e != nil; e = e.next {
		out = append(out, e)
	}
	return out
}

// begin notes that an operation begins. It is false if the slot was removed.
func (x *slots) begin(e *slot) bool {
	if x.byUID[e.uid] != e {
		return false
	}
	e.presence = working
	e.unrecorded.Store(nil)
	return true
}

// end notes that an operation has ended, and reports whether its resource is gone.
func (x *slots) end(e *slot) (gone bool) {
	if gone = e.presence == leaving; gone {
		x.remove(e)
	}
	e.presence = idle
	return gone
}

// gone removes the slots of a key, as soon as no operation runs.
func (x *slots) gone(k store.Key) {
	for _, e := range x.of(k) {
		x.leave(e)
	}
}

// deleted removes the slot of a resource, as soon as no operation runs.
func (x *slots) deleted(uid types.UID) {
	if e, ok := x.byUID[uid]; ok {
		x.leave(e)
	}
}

func (x *slots) leave(e *slot) {
	if e.presence == idle {
		x.remove(e)
	} else {
		e.presence = leaving
	}
}

func (x *slots) remove(e *slot) {
	if x.byUID[e.uid] != e {
		return
	}
	delete(x.byUID, e.uid)
	others := x.of(e.key)
	delete(x.byKey, e.key)
	for _, other := range slices.Backward(others) {
		if other != e {
			other.next, x.byKey[e.key] = x.byKey[e.key], other
		}
	}
	e.next = nil
}

// limits bounds the concurrent operations of each provider configuration. It holds only the
// configurations that operations use.
type limits struct {
	most            int64
	byConfiguration map[string]*limit
}

type limit struct {
	*semaphore.Weighted
	users int
}

// use returns the limit of a configuration. Each use is ended with done.
func (x *limits) use(configuration string) *limit {
	l, ok := x.byConfiguration[configuration]
	if !ok {
		l = &limit{Weighted: semaphore.NewWeighted(x.most)}
		x.byConfiguration[configuration] = l
	}
	l.users++
	return l
}

func (x *limits) done(configuration string) {
	l := x.byConfiguration[configuration]
	if l.users--; l.users == 0 {
		delete(x.byConfiguration, configuration)
	}
}

// slot returns the slot of a resource.
func (s *Scheduler) slot(k store.Key, uid types.UID) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots.get(k, uid)
}

// entriesOf returns the entries of all resources that had a key.
func (s *Scheduler) slotsOf(k store.Key) []*slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots.of(k)
}

// Remembered has the facts in memory about a resource. It is also available after an Observe that
// failed.
type Remembered struct {
	Status  instance.Status
	Deposed []instance.Deposed
	// Handled are the tokens that were handled.
	Handled store.Tokens
	// Interrupted is set when the outcome of an operation is unknown.
	Interrupted bool
	// Running is set while an operation runs. Unrecorded is set when it has ended, but its outcome
	// cannot be stored.
	Running    bool
	Unrecorded *Error
}

// rememberedFull is the answer of Remembered for a resource whose object was read completely, and
// of which there is nothing else to tell: for most resources.
var rememberedFull = Remembered{Status: instance.Full}
