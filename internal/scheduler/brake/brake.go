package brake

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Window is the time within which destroys are counted.
const Window = time.Minute

// Few is the number of destroys of a kind that no share of it stops, and of those that begin within
// the first Window of a Brake, when it does not know what was destroyed before.
const Few = 10

// Limit bounds destroys within a Window.
type Limit struct {
	// Destroys is the number of them; 0 for no limit, also not by Share.
	Destroys int
	// Share is the percentage of the resources of a kind that may be destroyed, if more than Few
	// would be; 0 for no limit.
	Share int
}

// Scope is what a limit is for: an account of a provider. Each namespace may use the whole of it,
// but counts for half of it at most when the destroys of all namespaces are added: one namespace
// alone does not have those of others held.
type Scope struct{ Provider, Account string }

// Destroy is the destruction of the object of a resource.
type Destroy struct {
	ID    types.UID
	Scope Scope
	// Namespace is that of the resource, and Own is set if the limit is its own: its destroys do
	// not count for the account then.
	Namespace string
	Own       bool
	Limit     Limit
	// Kind is the kind of the resource, and Others returns the number of resources of the kind
	// beside this one.
	Kind   string
	Others func() int
	// Deleted is when the resource was deleted; zero if its object is replaced.
	Deleted time.Time
}

// Refusal is why a destroy may not begin.
type Refusal struct {
	// Text says so in a sentence. It is the same as long as the brake holds.
	Text string
	// Namespace is the one whose destroys are held; empty for all of the account.
	Namespace string
	// Until is the end of a refusal that ends by itself; zero if the brake holds.
	Until time.Time
}

// Release lets what waits begin.
type Release struct {
	// Provider and Account are those of Scopes; empty for all.
	Provider, Account string
	At                time.Time
}

func (r Release) covers(s Scope) bool {
	return (r.Provider == "" || r.Provider == s.Provider) && (r.Account == "" || r.Account == s.Account)
}

// Brake holds destroys. It is safe for concurrent use.
type Brake struct {
	mu sync.Mutex
	// began is when the process has begun to destroy, at the earliest, and swept is when all
	// accounts were last looked through for what has expired.
	began, swept time.Time
	accounts     map[Scope]*account
	// of has the parts in which a resource is counted, waits, or is released.
	of       map[types.UID]*part
	releases []Release
}

// account is the state of a Scope.
type account struct {
	// why the destroys of all namespaces wait that have no limit of their own; empty if they do
	// not.
	why   string
	parts map[string]*part
}

// part is the state of a namespace in an account.
type part struct {
	of        *account
	namespace string
	// own is set if the namespace has a limit of its own.
	own     bool
	counted []counted
	// held are those that wait, since when. why is empty if they do not wait because of the
	// namespace's own destroys.
	held map[types.UID]time.Time
	why  string
	// released may begin without being counted.
	released map[types.UID]bool
}

// counted is a destroy that was reserved and has not begun, if at is zero, or that began then.
type counted struct {
	id   types.UID
	kind string
	at   time.Time
}

// Start notes when the process has begun, unless it is known.
func (b *Brake) Start(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starts(at)
}

// Reserve returns nil if a destroy may begin; then either Begin or Cancel has to be called.
func (b *Brake) Reserve(now time.Time, d Destroy) *Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starts(now)
	b.expire(now, d.Scope)
	p := b.part(d)
	if d.Limit.Destroys <= 0 || p.released[d.ID] || !d.Deleted.IsZero() && !d.Deleted.After(b.releasedAt(d.Scope)) {
		p.withdraw(d.ID)
		b.forget(d.ID)
		return nil
	}
	others := p.others(d)
	if p.why == "" {
		p.why = others.exceed(d)
	}
	if p.why == "" && !d.Own && p.of.why == "" {
		p.of.why = p.of.others(d).exceed(d)
	}
	if out := p.refusal(); out != nil {
		if _, ok := p.held[d.ID]; !ok {
			p.held[d.ID] = now
		}
		return out
	}
	if first := b.began.Add(Window); now.Before(first) && p.exceedsFew(d) {
		return &Refusal{
			Text:  "It is not known yet how much was destroyed before the controller has started, so further objects are destroyed a minute after.",
			Until: first,
		}
	}
	p.counted = append(p.counted, counted{id: d.ID, kind: d.Kind})
	return nil
}

// refusal returns why the destroys of a namespace are held; nil if they are not.
func (p *part) refusal() *Refusal {
	switch {
	case p.why != "":
		return &Refusal{Text: p.why, Namespace: p.namespace}
	case !p.own && p.of.why != "":
		return &Refusal{Text: p.of.why}
	}
	return nil
}

// Holds returns why a destroy would be held, without asking for one; nil if it would not.
func (b *Brake) Holds(d Destroy) *Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.accounts[d.Scope]
	if a == nil || d.Limit.Destroys <= 0 {
		return nil
	}
	now := part{of: a, namespace: d.Namespace, own: d.Own}
	if p := a.parts[d.Namespace]; p != nil {
		now.why = p.why
	}
	return now.refusal()
}

// Begin is called when a destroy that was reserved begins.
func (b *Brake) Begin(now time.Time, id types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.of[id]; p != nil {
		found := false
		p.keep(func(c counted) bool { // it is counted once
			again := c.id == id && found
			found = found || c.id == id
			return !again
		})
		for i := range p.counted {
			if p.counted[i].id == id {
				p.counted[i].at = now
			}
		}
	}
}

// Cancel is called when a destroy that was reserved does not begin.
func (b *Brake) Cancel(id types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.of[id]; p != nil {
		p.keep(func(c counted) bool { return c.id != id || !c.at.IsZero() })
		b.forget(id)
	}
}

// Withdraw is called when the object of a resource is not to be destroyed any more, or was
// destroyed. When nothing is left that waits, the brake does not hold any more, and ended is true.
func (b *Brake) Withdraw(id types.UID) (ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.of[id]
	if p == nil {
		return false
	}
	held := p.refusal() != nil
	p.withdraw(id)
	delete(p.released, id)
	delete(b.of, id)
	return held && p.refusal() == nil
}

// Restore has the brake hold the destroys of a namespace if another process has held one of them
// since a time, unless that was released.
func (b *Brake) Restore(now time.Time, d Destroy, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starts(now)
	if !since.After(b.releasedAt(d.Scope)) {
		return
	}
	p := b.part(d)
	if p.released[d.ID] {
		return
	}
	if p.held[d.ID] = since; p.why == "" {
		p.why = "More objects than the limit were to be destroyed within a minute"
	}
}

// Release lets what waits begin, and whatever was deleted before it.
func (b *Brake) Release(r Release) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releases = append(slices.DeleteFunc(b.releases, func(o Release) bool {
		return o.Provider == r.Provider && o.Account == r.Account && !o.At.After(r.At)
	}), r)
	for of, a := range b.accounts {
		if !r.covers(of) {
			continue
		}
		for _, p := range a.parts {
			for id, since := range p.held {
				if !since.After(r.At) {
					p.withdraw(id)
					p.released[id] = true
				}
			}
		}
	}
}

func (b *Brake) starts(now time.Time) {
	if b.began.IsZero() {
		b.began = now
	}
}

// part returns the state of a namespace in an account, and notes that a resource is in it. It
// leaves the one that it was in before.
func (b *Brake) part(d Destroy) *part {
	if b.accounts == nil {
		b.accounts, b.of = map[Scope]*account{}, map[types.UID]*part{}
	}
	a := b.accounts[d.Scope]
	if a == nil {
		a = &account{parts: map[string]*part{}}
		b.accounts[d.Scope] = a
	}
	p := a.parts[d.Namespace]
	if p == nil {
		p = &part{of: a, namespace: d.Namespace, held: map[types.UID]time.Time{}, released: map[types.UID]bool{}}
		a.parts[d.Namespace] = p
	}
	p.own = d.Own
	if before := b.of[d.ID]; before != nil && before != p {
		before.withdraw(d.ID)
		delete(before.released, d.ID)
	}
	b.of[d.ID] = p
	return p
}

// forget forgets in which part a resource is, if that knows nothing of it.
func (b *Brake) forget(id types.UID) {
	p := b.of[id]
	if p == nil || p.released[id] || slices.ContainsFunc(p.counted, func(c counted) bool { return c.id == id }) {
		return
	}
	if _, held := p.held[id]; !held {
		delete(b.of, id)
	}
}

// releasedAt returns the time of the last release that covers a scope.
func (b *Brake) releasedAt(of Scope) (at time.Time) {
	for _, r := range b.releases {
		if r.covers(of) && r.At.After(at) {
			at = r.At
		}
	}
	return at
}

// expire forgets what began in an account more than a Window ago, and now and then, that of all
// accounts.
func (b *Brake) expire(now time.Time, of Scope) {
	if now.Sub(b.swept) < Window {
		b.expireIn(now, of)
		return
	}
	b.swept = now
	for of := range b.accounts {
		b.expireIn(now, of)
	}
}

func (b *Brake) expireIn(now time.Time, of Scope) {
	a := b.accounts[of]
	if a == nil {
		return
	}
	for namespace, p := range a.parts {
		var gone []types.UID
		p.keep(func(c counted) bool {
			kept := c.at.IsZero() || now.Sub(c.at) < Window
			if !kept {
				gone = append(gone, c.id)
			}
			return kept
		})
		for _, id := range gone {
			if b.of[id] == p {
				b.forget(id)
			}
		}
		if len(p.counted)+len(p.held)+len(p.released) == 0 {
			delete(a.parts, namespace)
		}
	}
	if len(a.parts) == 0 {
		delete(b.accounts, of)
	}
}

// withdraw notes that a resource does not wait any more. When nothing is left that waits for the
// reason of the account, that does not hold any more; what waits because of its own namespace goes
// on to wait.
func (p *part) withdraw(id types.UID) {
	delete(p.held, id)
	if len(p.held) == 0 {
		p.why = ""
	}
	for _, other := range p.of.parts {
		if !other.own && other.why == "" && len(other.held) > 0 {
			return
		}
	}
	p.of.why = ""
}

func (p *part) keep(which func(counted) bool) {
	kept := p.counted[:0]
	for _, c := range p.counted {
		if which(c) {
			kept = append(kept, c)
		}
	}
	p.counted = kept
}
