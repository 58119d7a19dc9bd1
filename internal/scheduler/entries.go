package scheduler

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/slots"
)

// presence is whether an entry is needed.
type presence uint8

const (
	// idle: as long as its resource exists.
	idle presence = iota
	// working: an operation runs.
	working
	// leaving: an operation runs, and the resource is gone. The entry goes when it has ended.
	leaving
)

// entries holds the entries of the resources that exist or have a running operation.
type entries struct {
	byUID map[types.UID]*entry
	// byKey has one of the entries of a key. The others follow by entry.next.
	byKey map[store.Key]*entry
}

// get returns the entry of a resource, which it creates if there is none.
func (x *entries) get(k store.Key, uid types.UID) *entry {
	e, ok := x.byUID[uid]
	if !ok {
		e = &entry{key: k, uid: uid, turn: newTurn(), awake: &awake{}}
		x.add(e)
	}
	if e.presence == leaving {
		e.presence = working // its resource was taken for gone, and is not
	}
	return e
}

func (x *entries) add(e *entry) {
	if x.byUID == nil {
		x.byUID, x.byKey = map[types.UID]*entry{}, map[store.Key]*entry{}
	}
	x.byUID[e.uid] = e
	e.next = x.byKey[e.key]
	x.byKey[e.key] = e
}

// of returns the entries of a key.
func (x *entries) of(k store.Key) (out []*entry) {
	for e := x.byKey[k]; e != nil; e = e.next {
		out = append(out, e)
	}
	return out
}

// begin notes that an operation begins. It is false if the entry was removed.
func (x *entries) begin(e *entry) bool {
	if x.byUID[e.uid] != e {
		return false
	}
	e.presence = working
	e.unrecorded.Store(nil)
	return true
}

// end notes that an operation has ended, and reports whether its resource is gone.
func (x *entries) end(e *entry) (gone bool) {
	if gone = e.presence == leaving; gone {
		x.remove(e)
	}
	e.presence = idle
	return gone
}

// gone removes the entries of a key, as soon as no operation runs.
func (x *entries) gone(k store.Key) {
	for _, e := range x.of(k) {
		x.leave(e)
	}
}

// deleted removes the entry of a resource, as soon as no operation runs.
func (x *entries) deleted(uid types.UID) {
	if e, ok := x.byUID[uid]; ok {
		x.leave(e)
	}
}

func (x *entries) leave(e *entry) {
	if e.presence == idle {
		x.remove(e)
	} else {
		e.presence = leaving
	}
}

func (x *entries) remove(e *entry) {
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
	*slots.Slots
	users int
}

// use returns the limit of a configuration. Each use is ended with done.
func (x *limits) use(configuration string) *limit {
	l, ok := x.byConfiguration[configuration]
	if !ok {
		l = &limit{Slots: slots.New(int(x.most))}
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
