package ownership

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Object is a remote object, as far as it can be told from others.
type Object struct {
	// Configuration names the provider configuration through which the object is seen.
	Configuration string
	// Type is Terraform's name of the resource type.
	Type string
	// Identity tells the object from others of the type, in one form only.
	Identity string
}

// Strength is how strong a claim is.
type Strength int

// The strengths, from weak to strong.
const (
	// Weak: the object is called so, but nothing says that no other is. Weak claims never get in
	// each other's way.
	Weak Strength = iota
	// Wanted: the resource is going to make the object, or to take it over by a name that others
	// may have given it. Any other claim comes first, and among those that want it the oldest.
	Wanted
	// Begun: an operation that was to make the object was begun, and nobody knows how it ended.
	Begun
	// Held: the object is known to be the one that the resource manages, or asks to import.
	Held
)

// Claim says that a resource is about an object.
type Claim struct {
	Object   Object
	Strength Strength
}

// Owner is a custom resource.
type Owner struct {
	Key store.Key
	UID types.UID
	// Created is its creation time.
	Created time.Time
}

// Rival is why a claimant must not write.
type Rival struct {
	// Owner comes first.
	Owner Owner
	// Claim is the claimant's own, which does not count.
	Claim Claim
}

// claim is one claimant's claim on one object, and its place in the object's list.
type claim struct {
	by       *Claimant
	on       *object
	strength Strength
	place    int
	// order is that of all claims.
	order uint64
}

// before says whether a comes before b, which is on the same object.
func (a *claim) before(b *claim) bool {
	if a.by.busy != b.by.busy {
		return a.by.busy
	}
	if a.strength != b.strength {
		return a.strength > b.strength
	}
	if !a.by.Created.Equal(b.by.Created) {
		return a.by.Created.Before(b.by.Created)
	}
	return a.order < b.order
}

// object is all claims on one object. A claimant has at most one.
type object struct {
	Object
	// strong are those that want or hold it; weak is the rest.
	strong, weak []*claim
	// owner is the first of strong; nil when there is none.
	owner *claim
}

func (o *object) list(s Strength) *[]*claim {
	if s == Weak {
		return &o.weak
	}
	return &o.strong
}

func (o *object) add(c *claim) {
	list := o.list(c.strength)
	c.place = len(*list)
	*list = append(*list, c)
}

func (o *object) remove(c *claim) {
	list := o.list(c.strength)
	last := len(*list) - 1
	moved := (*list)[last]
	(*list)[c.place], moved.place = moved, c.place
	(*list)[last] = nil
	*list = (*list)[:last]
}

func (o *object) empty() bool { return len(o.strong) == 0 && len(o.weak) == 0 }

// rival is the claim that comes before c; nil when none does.
func (o *object) rival(c *claim) *claim {
	switch {
	case c.strength == Weak:
		return nil
	case o.owner != c:
		return o.owner
	case c.strength == Wanted && len(o.weak) > 0 && !c.by.busy:
		return o.weak[0]
	}
	return nil
}

// elect brings owner up to date, and notes who has to look again because of it.
func (o *object) elect(wake *waking) {
	before := o.owner
	var first *claim
	for _, c := range o.strong {
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
