package brake

import (
	"fmt"
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

// Scope is what a limit is for: an account of a provider, or a namespace in it that has a limit of
// its own.
type Scope struct{ Provider, Account, Namespace string }

// Destroy is the destruction of the object of a resource.
type Destroy struct {
	ID    types.UID
	Scope Scope
	Limit Limit
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
	// began is when the process has begun to destroy, at the earliest.
	began  time.Time
	scopes map[Scope]*scope
	// of has the scopes in which a resource is counted, waits, or is released.
	of       map[types.UID]*scope
	releases []Release
}

// scope is the state of a Scope.
type scope struct {
	counted []counted
	// held are those that wait, since when. why is empty if none does.
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
	s := b.scope(d.ID, d.Scope)
	if d.Limit.Destroys <= 0 || s.released[d.ID] || !d.Deleted.IsZero() && !d.Deleted.After(b.releasedAt(d.Scope)) {
		s.withdraw(d.ID)
		return nil
	}
	s.expire(now)
	if s.why == "" {
		s.why = s.exceeds(d)
	}
	if s.why != "" {
		if _, ok := s.held[d.ID]; !ok {
			s.held[d.ID] = now
		}
		return &Refusal{Text: s.why}
	}
	others, _ := s.others(d)
	if first := b.began.Add(Window); now.Before(first) && others >= min(Few, d.Limit.Destroys) {
		return &Refusal{
			Text:  "It is not known yet how much was destroyed before the controller has started, so further objects are destroyed a minute after.",
			Until: first,
		}
	}
	s.counted = append(s.counted, counted{id: d.ID, kind: d.Kind})
	return nil
}

// exceeds returns why one more destroy exceeds the limit; empty if it does not.
func (s *scope) exceeds(d Destroy) string {
	others, ofKind := s.others(d)
	if others >= d.Limit.Destroys {
		return fmt.Sprintf("%d objects were destroyed within a minute", others)
	}
	ofKind++
	if d.Limit.Share <= 0 || ofKind <= Few || d.Others == nil {
		return ""
	}
	if all := d.Others() + ofKind; ofKind*100 > d.Limit.Share*all {
		return fmt.Sprintf("%d of %d objects of the kind %s were destroyed within a minute", ofKind-1, all, d.Kind)
	}
	return ""
}

// Holds returns why the brake holds in a scope; empty if it does not.
func (b *Brake) Holds(of Scope) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.scopes[of]; s != nil {
		return s.why
	}
	return ""
}

// Begin is called when a destroy that was reserved begins.
func (b *Brake) Begin(now time.Time, id types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.of[id]; s != nil {
		s.keep(func(c counted) bool { return c.id != id || c.at.IsZero() }) // it is counted once
		for i := range s.counted {
			if s.counted[i].id == id {
				s.counted[i].at = now
			}
		}
	}
}

// Cancel is called when a destroy that was reserved does not begin.
func (b *Brake) Cancel(id types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.of[id]; s != nil {
		s.keep(func(c counted) bool { return c.id != id || !c.at.IsZero() })
	}
}

// Withdraw is called when the object of a resource is not to be destroyed any more, or was
// destroyed. When nothing is left that waits, the brake does not hold any more, and ended is true.
func (b *Brake) Withdraw(id types.UID) (ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.of[id]
	if s == nil {
		return false
	}
	held := s.why != ""
	s.withdraw(id)
	delete(s.released, id)
	delete(b.of, id)
	return held && s.why == ""
}

// Restore has the brake hold for a destroy that another process has held since a time, unless that
// was released.
func (b *Brake) Restore(now time.Time, id types.UID, in Scope, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.starts(now)
	if !since.After(b.releasedAt(in)) {
		return
	}
	s := b.scope(id, in)
	if s.released[id] {
		return
	}
	if s.held[id] = since; s.why == "" {
		s.why = "More objects than the limit were to be destroyed within a minute"
	}
}

// Release lets what waits begin, and whatever was deleted before it.
func (b *Brake) Release(r Release) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.releases = append(slices.DeleteFunc(b.releases, func(o Release) bool {
		return o.Provider == r.Provider && o.Account == r.Account && !o.At.After(r.At)
	}), r)
	for of, s := range b.scopes {
		if !r.covers(of) {
			continue
		}
		for id, since := range s.held {
			if !since.After(r.At) {
				delete(s.held, id)
				s.released[id] = true
			}
		}
		if len(s.held) == 0 {
			s.why = ""
		}
	}
}

func (b *Brake) starts(now time.Time) {
	if b.began.IsZero() {
		b.began = now
	}
}

// scope returns the state of a scope, and notes that a resource is in it. It leaves the one that it
// was in before.
func (b *Brake) scope(id types.UID, of Scope) *scope {
	if b.scopes == nil {
		b.scopes, b.of = map[Scope]*scope{}, map[types.UID]*scope{}
	}
	s := b.scopes[of]
	if s == nil {
		s = &scope{held: map[types.UID]time.Time{}, released: map[types.UID]bool{}}
		b.scopes[of] = s
	}
	if before := b.of[id]; before != nil && before != s {
		before.withdraw(id)
		delete(before.released, id)
	}
	b.of[id] = s
	return s
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

// others returns how many other resources than that of a destroy are counted, and how many of them
// are of its kind. One that is tried again is counted once.
func (s *scope) others(d Destroy) (all, ofKind int) {
	seen := map[types.UID]bool{d.ID: true}
	for _, c := range s.counted {
		if seen[c.id] {
			continue
		}
		if seen[c.id] = true; c.kind == d.Kind {
			ofKind++
		}
	}
	return len(seen) - 1, ofKind
}

// expire forgets what began more than a Window ago.
func (s *scope) expire(now time.Time) {
	s.keep(func(c counted) bool { return c.at.IsZero() || now.Sub(c.at) < Window })
}

func (s *scope) withdraw(id types.UID) {
	delete(s.held, id)
	if len(s.held) == 0 {
		s.why = ""
	}
}

func (s *scope) keep(which func(counted) bool) {
	kept := s.counted[:0]
	for _, c := range s.counted {
		if which(c) {
			kept = append(kept, c)
		}
	}
	s.counted = kept
}
