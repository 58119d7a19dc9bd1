package ownership

import (
	"iter"
	"slices"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// objects holds the objects that are claimed, by their type and account, which are stored once, not
// with each object.
type objects map[string]map[string]*collection

type collectionKey struct{ account, resourceType string }

// get returns an object; nil if it is not claimed.
func (x objects) get(id Object) *object {
	in := x[id.Type][id.Account]
	if in == nil {
		return nil
	}
	return in.byIdentity[id.Identity]
}

// make returns an object, which it adds if it is not claimed yet.
func (x objects) make(id Object) *object {
	in := x[id.Type][id.Account]
	if in == nil {
		in = &collection{collectionKey: collectionKey{id.Account, id.Type}, byIdentity: map[string]*object{}}
		if x[id.Type] == nil {
			x[id.Type] = map[string]*collection{}
		}
		x[id.Type][id.Account] = in
	}
	o := in.byIdentity[id.Identity]
	if o == nil {
		o = &object{in: in, identity: id.Identity}
		in.byIdentity[id.Identity] = o
	}
	return o
}

// remove removes an object that is not claimed any more.
func (x objects) remove(o *object) {
	delete(o.in.byIdentity, o.identity)
	if len(o.in.byIdentity) == 0 {
		delete(x[o.in.resourceType], o.in.account)
		if len(x[o.in.resourceType]) == 0 {
			delete(x, o.in.resourceType)
		}
	}
}

// collection holds the objects of one type in one account.
type collection struct {
	collectionKey
	byIdentity map[string]*object
}

// object holds all claims on an object. A claimant has at most one.
type object struct {
	in       *collection
	identity string
	// strong are all claims that are stronger than Weak.
	strong, weak claims
	// owner is the first of strong; nil when there is none.
	owner *claim
}

// id returns what identifies the object.
func (o *object) id() Object {
	return Object{Account: o.in.account, Type: o.in.resourceType, Identity: o.identity}
}

func (o *object) list(s Strength) *claims {
	if s <= Weak {
		return &o.weak
	}
	return &o.strong
}

func (o *object) empty() bool { return o.strong.empty() && o.weak.empty() }

// rival returns the claim that comes before c; nil when none does.
func (o *object) rival(c *claim) *claim {
	switch {
	case c.strength <= Weak:
		return nil
	case o.owner != c:
		return o.owner
	case c.strength == Wanted && !o.weak.empty() && !c.by.busy:
		return o.weak.first
	}
	return nil
}

// elect updates the owner, and adds the resources that have to be reconciled to wake.
func (o *object) elect(wake *waking) {
	before := o.owner
	var first *claim
	for c := range o.strong.all() {
		if first == nil || c.before(first) {
			first = c
		}
	}
	o.owner = first
	if before != first {
		wake.add(before)
		wake.add(first)
	}
}

// claim is the claim of a claimant on an object.
type claim struct {
	by       *Claimant
	on       *object
	strength Strength
	// inherited and recorded are those of Claim.
	inherited, recorded bool
	// order numbers all claims. Those of a resource on one object through several accounts have the
	// same number, so that of two resources the same one comes first through each of them.
	order uint64
	// next and previous are others of the same list.
	next, previous *claim
}

// before reports whether a comes before b, which is a claim on the same object.
func (a *claim) before(b *claim) bool {
	if a.by.busy != b.by.busy {
		return a.by.busy
	}
	if a.inherited != b.inherited && min(a.strength, b.strength) >= Begun {
		return b.inherited
	}
	if a.strength != b.strength {
		return a.strength > b.strength
	}
	if !a.by.Created.Equal(b.by.Created) {
		return a.by.Created.Before(b.by.Created)
	}
	return a.order < b.order
}

// claims is a list of claims. Most have one element, for which a slice would need more memory.
type claims struct{ first *claim }

func (l *claims) add(c *claim) {
	if c.next = l.first; c.next != nil {
		c.next.previous = c
	}
	l.first = c
}

func (l *claims) remove(c *claim) {
	if c.next != nil {
		c.next.previous = c.previous
	}
	if c.previous != nil {
		c.previous.next = c.next
	} else {
		l.first = c.next
	}
	c.next, c.previous = nil, nil
}

func (l *claims) empty() bool { return l.first == nil }

// several reports whether there is more than one claim.
func (l *claims) several() bool { return l.first != nil && l.first.next != nil }

func (l *claims) all() iter.Seq[*claim] {
	return func(yield func(*claim) bool) {
		for c := l.first; c != nil; c = c.next {
			if !yield(c) {
				return
			}
		}
	}
}

// Claimant is a resource in the index.
type Claimant struct {
	Owner
	index  *Index
	claims []*claim
	// contained are the claims of a resource that has several objects, by the object; nil for
	// others.
	contained map[Object]*ContainedObject
	// busy is set while an operation runs, and gone when its resource has gone meanwhile.
	busy, gone bool
}

// waking collects the resources that have to be reconciled.
type waking struct {
	by   *Claimant // the cause, which need not be woken
	keys []store.Key
}

func (w *waking) add(c *claim) {
	if c != nil && c.by != w.by && !slices.Contains(w.keys, c.by.Key) {
		w.keys = append(w.keys, c.by.Key)
	}
}
