package ownership

import (
	"slices"
	"sync"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Index holds all claims. The zero value is empty. It is safe for concurrent use.
type Index struct {
	mu        sync.Mutex
	last      uint64 // order of claims
	objects   map[Object]*object
	claimants map[store.Key]*Claimant
}

// Claimant is a resource in the index.
type Claimant struct {
	Owner
	index  *Index
	claims []*claim
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

// Claimant returns the claimant of a resource. It releases the claims of a claimant with the same key and
// another UID, which is gone. wake are the resources that have to be reconciled.
func (x *Index) Claimant(r Owner) (c *Claimant, wake []store.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	known := x.claimants[r.Key]
	if known != nil && known.UID == r.UID {
		return known, nil
	}
	c = &Claimant{Owner: r, index: x}
	w := &waking{by: c}
	if known != nil {
		x.release(known, w)
	}
	x.register(c)
	return c, w.keys
}

func (x *Index) register(c *Claimant) {
	if x.claimants == nil {
		x.claimants, x.objects = map[store.Key]*Claimant{}, map[Object]*object{}
	}
	x.claimants[c.Key] = c
}

// Release releases all claims of a resource that is gone. wake are the resources that have to be
// reconciled.
func (x *Index) Release(k store.Key) (wake []store.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.claimants[k]
	switch {
	case c == nil:
		return nil
	case c.busy:
		c.gone = true // the claims stay until the operation has ended
		return nil
	}
	w := &waking{by: c}
	x.release(c, w)
	return w.keys
}

func (x *Index) release(c *Claimant, w *waking) {
	x.set(c, nil, w)
	if x.claimants[c.Key] == c {
		delete(x.claimants, c.Key)
	}
}

// Claim replaces the claims of c. Of several claims on one object, the strongest counts. wake are the
// resources, other than c, that have to be reconciled.
func (c *Claimant) Claim(claims ...Claim) (wake []store.Key) {
	x := c.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.claimants[c.Key] == nil {
		x.register(c) // it was considered gone, but is not
	}
	w := &waking{by: c}
	x.set(c, claims, w)
	return w.keys
}

func (x *Index) set(c *Claimant, claims []Claim, w *waking) {
	want := func(o Object) (s Strength, inherited, ok bool) {
		for _, wanted := range claims {
			if wanted.Object == o && (!ok || wanted.Strength > s) {
				s, inherited, ok = wanted.Strength, wanted.Inherited, true
			}
		}
		return s, inherited, ok
	}
	before := slices.Clone(c.claims)
	c.claims = slices.DeleteFunc(c.claims, func(have *claim) bool {
		s, inherited, ok := want(have.on.Object)
		switch {
		case ok && s == have.strength && inherited == have.inherited:
			return false
		case ok && s > Weak && have.strength > Weak:
			have.strength, have.inherited = s, inherited
			have.on.elect(w)
			return false
		}
		x.remove(have, w)
		return true
	})
	for _, wanted := range claims {
		if slices.ContainsFunc(c.claims, func(have *claim) bool { return have.on.Object == wanted.Object }) {
			continue
		}
		s, inherited, _ := want(wanted.Object)
		order, ok := sameElsewhere(c.claims, wanted.Object, s)
		if !ok {
			order, ok = sameElsewhere(before, wanted.Object, s)
		}
		if !ok {
			x.last++
			order = x.last
		}
		c.claims = append(c.claims, x.add(c, Claim{wanted.Object, s, inherited}, order, w))
	}
}

// sameElsewhere returns the number of a claim on the same object through another account.
func sameElsewhere(claims []*claim, on Object, s Strength) (order uint64, ok bool) {
	for _, c := range claims {
		if c.on.Type == on.Type && c.on.Identity == on.Identity && c.on.Account != on.Account && (c.strength > Weak) == (s > Weak) {
			return c.order, true
		}
	}
	return 0, false
}

func (x *Index) add(c *Claimant, made Claim, order uint64, w *waking) *claim {
	o := x.objects[made.Object]
	if o == nil {
		o = &object{Object: made.Object}
		x.objects[made.Object] = o
	}
	out := &claim{by: c, on: o, strength: made.Strength, inherited: made.Inherited, order: order}
	o.add(out)
	if made.Strength > Weak && (o.owner == nil || out.before(o.owner)) {
		w.add(o.owner)
		o.owner = out
	}
	return out
}

func (x *Index) remove(c *claim, w *waking) {
	o := c.on
	o.remove(c)
	switch {
	case o.empty():
		delete(x.objects, o.Object)
	case o.owner == c:
		o.owner = nil
		o.elect(w)
	case c.strength <= Weak && len(o.weak) == 0:
		w.add(o.owner) // the weak claim may have prevented it from writing
	}
}

// Rival returns the owner that takes precedence over c on one of its objects; ok is false if there is
// none. Objects that c holds take precedence over those that it only wants.
func (c *Claimant) Rival() (r Rival, ok bool) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	return c.rival()
}

func (c *Claimant) rival() (r Rival, ok bool) {
	for _, mine := range c.claims {
		other := mine.on.rival(mine)
		if other == nil || ok && r.Claim.Strength >= mine.strength {
			continue
		}
		r, ok = Rival{Owner: other.by.Owner, Claim: Claim{Object: mine.on.Object, Strength: mine.strength}}, true
	}
	return r, ok
}

// Has reports whether c has begun to make the object, or holds it.
func (c *Claimant) Has(on Object) bool {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	return slices.ContainsFunc(c.claims, func(mine *claim) bool { return mine.on.Object == on && mine.strength >= Begun })
}

// Holder returns another resource that has begun to make the object, or holds it.
func (c *Claimant) Holder(on Object) (Owner, bool) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	if o := c.index.objects[on]; o != nil {
		for _, other := range o.strong {
			if other.by != c && other.strength >= Begun {
				return other.by.Owner, true
			}
		}
	}
	return Owner{}, false
}

// Elsewhere returns a resource of another namespace that has begun to make the object, or holds it. If weak is set,
// resources count whose object has the identity although others may have it, too.
func (c *Claimant) Elsewhere(on Object, weak bool) (Owner, bool) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	o := c.index.objects[on]
	if o == nil {
		return Owner{}, false
	}
	for _, other := range o.strong {
		if other.by.Key.Namespace != c.Key.Namespace && other.strength >= Begun {
			return other.by.Owner, true
		}
	}
	for _, other := range o.weak {
		if weak && other.by.Key.Namespace != c.Key.Namespace && other.strength == Weak {
			return other.by.Owner, true
		}
	}
	return Owner{}, false
}

// Begin records that an operation of c begins. Until End, no other resource takes precedence over c. It
// fails if another one already does.
func (c *Claimant) Begin() (Rival, bool) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	if r, ok := c.rival(); ok {
		return r, false
	}
	c.busy = true // it already owns all its objects, and keeps them
	return Rival{}, true
}

// End records that the operation has ended. wake are the resources, other than c, that have to be
// reconciled.
func (c *Claimant) End() (wake []store.Key) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	c.busy = false
	w := &waking{by: c}
	if c.gone {
		c.index.release(c, w)
	}
	for _, mine := range c.claims {
		if mine.strength > Weak && mine.on.owner == mine && len(mine.on.strong) > 1 {
			mine.on.elect(w)
		}
	}
	return w.keys
}

// Alone reports whether no other resource has a claim of any strength on the object.
func (c *Claimant) Alone(on Object) bool {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	o := c.index.objects[on]
	if o == nil {
		return true
	}
	others := func(claims []*claim) bool {
		return len(claims) > 1 || len(claims) == 1 && claims[0].by != c
	}
	return !others(o.strong) && !others(o.weak)
}
