package ownership

// objects holds the objects that are claimed. Accounts and types are stored once, not with each
// object.
type objects map[collectionKey]*collection

type collectionKey struct{ account, resourceType string }

// get returns an object; nil if it is not claimed.
func (x objects) get(id Object) *object {
	in := x[collectionKey{id.Account, id.Type}]
	if in == nil {
		return nil
	}
	return in.byIdentity[id.Identity]
}

// make returns an object, which it adds if it is not claimed yet.
func (x objects) make(id Object) *object {
	at := collectionKey{id.Account, id.Type}
	in := x[at]
	if in == nil {
		in = &collection{collectionKey: at, byIdentity: map[string]*object{}}
		x[at] = in
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
		delete(x, o.in.collectionKey)
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
