package ownership

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Index holds all claims. The zero value is empty. It is safe for concurrent use.
type Index struct {
	mu        sync.Mutex
	last      uint64 // order of claims
	objects   objects
	claimants map[store.Key]*Claimant
}

// Claimant returns the claimant of a resource. It releases the claims of a claimant with the same
// key and another UID, which is gone. wake are the resources that have to be reconciled.
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
		x.claimants, x.objects = map[store.Key]*Claimant{}, objects{}
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

// Claims reports whether a resource claims anything.
func (x *Index) Claims(k store.Key) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	c := x.claimants[k]
	return c != nil && len(c.claims) > 0
}

func (x *Index) release(c *Claimant, w *waking) {
	x.set(c, nil, w)
	if x.claimants[c.Key] == c {
		delete(x.claimants, c.Key)
	}
}

// Claim replaces the claims of c. Of several claims on one object, the strongest counts. wake are
// the resources, other than c, that have to be reconciled.
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
	c.contained = containedIn(claims)
	want := wanted{claims: claims}
	have := claimed{before: slices.Clone(c.claims)}
	if len(claims)+len(c.claims) > manyClaims {
		want.index()
		have.index()
	}
	c.claims = slices.DeleteFunc(c.claims, func(mine *claim) bool {
		next, ok := want.on(mine.on.id())
		switch {
		case ok && next.Strength == mine.strength && next.Inherited == mine.inherited:
			mine.recorded = next.Recorded
		case ok && next.Strength > Weak && mine.strength > Weak:
			mine.strength, mine.inherited, mine.recorded = next.Strength, next.Inherited, next.Recorded
			mine.on.elect(w)
		default:
			x.remove(mine, w)
			return true
		}
		have.add(mine)
		return false
	})
	for _, on := range claims {
		if have.has(c.claims, on.Object) {
			continue
		}
		next, _ := want.on(on.Object)
		order, ok := have.order(c.claims, on.Object, next.Strength)
		if !ok {
			x.last++
			order = x.last
		}
		made := x.add(c, next, order, w)
		c.claims = append(c.claims, made)
		have.add(made)
	}
}

// containedIn returns the objects of a resource that has several; nil for others.
func containedIn(claims []Claim) map[Object]*ContainedObject {
	var out map[Object]*ContainedObject
	for _, c := range claims {
		switch {
		case c.Contained == nil:
		case out == nil:
			out = map[Object]*ContainedObject{c.Object: c.Contained}
		case out[c.Object] == nil || out[c.Object].Made == "":
			out[c.Object] = c.Contained
		}
	}
	return out
}

// manyClaims is the number of claims above which they are looked up in maps. Most resources have a
// few, for which that would cost more; the instance of a module can have thousands. Tests change
// it.
var manyClaims = 32

// wanted are the claims that a resource makes.
type wanted struct {
	claims []Claim
	// by is nil for few claims.
	by map[Object]Claim
}

func (n *wanted) index() {
	n.by = make(map[Object]Claim, len(n.claims))
	for _, c := range n.claims {
		if best, ok := n.by[c.Object]; !ok || c.Strength > best.Strength {
			n.by[c.Object] = c
		}
	}
}

// on returns the strongest claim on an object.
func (n *wanted) on(o Object) (best Claim, ok bool) {
	if n.by != nil {
		best, ok = n.by[o]
		return best, ok
	}
	for _, c := range n.claims {
		if c.Object == o && (!ok || c.Strength > best.Strength) {
			best, ok = c, true
		}
	}
	return best, ok
}

// claimed finds claims among those that a resource had before, and those that it has now.
type claimed struct {
	before []*claim
	// objects and orders are nil for few claims.
	objects map[Object]bool
	orders  map[sameObject]uint64
}

// sameObject is an object through any account. Weak claims have numbers of their own.
type sameObject struct {
	resourceType, identity string
	strong                 bool
}

func sameAs(o Object, s Strength) sameObject { return sameObject{o.Type, o.Identity, s > Weak} }

func (h *claimed) index() {
	h.objects, h.orders = map[Object]bool{}, make(map[sameObject]uint64, len(h.before))
	for _, c := range h.before {
		if at := sameAs(c.on.id(), c.strength); h.orders[at] == 0 {
			h.orders[at] = c.order
		}
	}
}

func (h *claimed) add(c *claim) {
	if h.objects == nil {
		return
	}
	h.objects[c.on.id()] = true
	h.orders[sameAs(c.on.id(), c.strength)] = c.order
}

func (h *claimed) has(now []*claim, o Object) bool {
	if h.objects != nil {
		return h.objects[o]
	}
	return slices.ContainsFunc(now, func(c *claim) bool { return c.on.id() == o })
}

// order returns the number of a claim on the same object through another account.
func (h *claimed) order(now []*claim, on Object, s Strength) (order uint64, ok bool) {
	if h.orders != nil {
		order, ok = h.orders[sameAs(on, s)]
		return order, ok
	}
	for _, list := range [][]*claim{now, h.before} {
		for _, c := range list {
			if sameAs(c.on.id(), c.strength) == sameAs(on, s) && c.on.in.account != on.Account {
				return c.order, true
			}
		}
	}
	return 0, false
}

func (x *Index) add(c *Claimant, made Claim, order uint64, w *waking) *claim {
	o := x.objects.make(made.Object)
	out := &claim{by: c, on: o, strength: made.Strength, inherited: made.Inherited, recorded: made.Recorded, order: order}
	o.list(out.strength).add(out)
	if made.Strength > Weak && (o.owner == nil || out.before(o.owner)) {
		w.add(o.owner)
		o.owner = out
	}
	return out
}

func (x *Index) remove(c *claim, w *waking) {
	o := c.on
	o.list(c.strength).remove(c)
	switch {
	case o.empty():
		x.objects.remove(o)
	case o.owner == c:
		o.owner = nil
		o.elect(w)
	case c.strength <= Weak && o.weak.empty():
		w.add(o.owner) // the weak claim may have prevented it from writing
	}
}

// Rival returns the owner that takes precedence over c on one of its objects; ok is false if there
// is none. Objects that c holds take precedence over those that it only wants.
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
		r, ok = Rival{Owner: other.by.Owner, Claim: Claim{Object: mine.on.id(), Strength: mine.strength}, Holds: other.strength >= Begun}, true
	}
	return r, ok
}

// Strong returns the objects that c claims, except for those that others may have, too.
func (c *Claimant) Strong() (out []Object) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	for _, mine := range c.claims {
		if mine.strength > Weak {
			out = append(out, mine.on.id())
		}
	}
	return out
}

// Has reports whether c has begun to make the object, or holds it.
func (c *Claimant) Has(on Object) bool {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	return slices.ContainsFunc(c.claims, func(mine *claim) bool { return mine.on.id() == on && mine.strength >= Begun })
}

// Holder returns another resource that has begun to make the object, or holds it. A resource that
// wants the object has begun to make it while its operation runs.
func (c *Claimant) Holder(on Object) (Owner, bool) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	if o := c.index.objects.get(on); o != nil {
		for other := range o.strong.all() {
			if other.by != c && (other.strength >= Begun || other.by.busy) {
				return other.by.Owner, true
			}
		}
	}
	return Owner{}, false
}

// Elsewhere returns a resource of another namespace that has begun to make the object, or holds it.
// If weak is set, resources count whose object has the identity although others may have it, too.
func (c *Claimant) Elsewhere(on Object, weak bool) (Owner, bool) {
	return c.index.Elsewhere(c.Key.Namespace, on, weak)
}

// Elsewhere is Claimant.Elsewhere for what is no claimant, in a namespace.
func (x *Index) Elsewhere(namespace string, on Object, weak bool) (Owner, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := x.objects.get(on)
	if o == nil {
		return Owner{}, false
	}
	for other := range o.strong.all() {
		if other.by.Key.Namespace != namespace && other.strength >= Begun {
			return other.by.Owner, true
		}
	}
	for other := range o.weak.all() {
		if weak && other.by.Key.Namespace != namespace && other.strength == Weak {
			return other.by.Owner, true
		}
	}
	return Owner{}, false
}

// Shared returns another resource whose record names an object that the record of c names, too.
func (c *Claimant) Shared() (Rival, bool) {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	for _, mine := range c.claims {
		if !mine.recorded || !mine.on.strong.several() {
			continue
		}
		for other := range mine.on.strong.all() {
			if other != mine && other.recorded {
				return Rival{Owner: other.by.Owner, Claim: Claim{Object: mine.on.id(), Strength: mine.strength}}, true
			}
		}
	}
	return Rival{}, false
}

// Begin records that an operation of c begins. Until End, no other resource takes precedence over
// c. It fails if another one already does.
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
		if mine.strength > Weak && mine.on.owner == mine && mine.on.strong.several() {
			mine.on.elect(w)
		}
	}
	return w.keys
}

// Twin is a resource that has an object of the same type and identity through an account that is
// not known to be the same.
type Twin struct {
	Owner Owner
	// Access is how its object is accessed, as far as its claims tell.
	Access Access
	// Strength is that of its claim.
	Strength Strength
	// Contained is set if it is one of several objects of the resource; nil otherwise.
	Contained *ContainedObject
}

// Twins returns the other resources that have, or have begun to make, an object of a type and
// identity through accounts none of which has one of the names. They are in the order of their
// creation; one that has several such objects through several accounts occurs with each.
func (c *Claimant) Twins(names []string, resourceType, identity string) []Twin {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	type twinKey struct {
		by *Claimant
		in Access
	}
	found, near := map[twinKey]*Twin{}, map[*Claimant]bool{c: true}
	for account, in := range c.index.objects[resourceType] {
		o := in.byIdentity[identity]
		if o == nil {
			continue
		}
		for _, list := range []*claims{&o.strong, &o.weak} {
			for other := range list.all() {
				if slices.Contains(names, account) {
					near[other.by] = true
				}
				if other.strength == Named || other.strength == Wanted && !other.by.busy {
					continue // it is not known to have it
				}
				at, of := twinKey{by: other.by}, other.by.contained[o.id()]
				if of != nil {
					at.in = of.Access
				}
				t := found[at]
				if t == nil {
					t = &Twin{Owner: other.by.Owner, Strength: other.strength, Access: at.in, Contained: of}
					found[at] = t
				}
				if of == nil {
					t.Access.named(account)
				}
			}
		}
	}
	var out []Twin
	for at, t := range found {
		if !near[at.by] {
			out = append(out, *t)
		}
	}
	slices.SortFunc(out, func(a, b Twin) int {
		return cmp.Or(a.Owner.Created.Compare(b.Owner.Created), strings.Compare(string(a.Owner.UID), string(b.Owner.UID)),
			strings.Compare(a.Access.Configuration, b.Access.Configuration))
	})
	return out
}

// Alone reports whether no other resource has a claim of any strength on the object.
func (c *Claimant) Alone(on Object) bool {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	o := c.index.objects.get(on)
	if o == nil {
		return true
	}
	others := func(l *claims) bool { return l.several() || !l.empty() && l.first.by != c }
	return !others(&o.strong) && !others(&o.weak)
}
