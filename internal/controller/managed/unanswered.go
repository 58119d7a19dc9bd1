package managed

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// unanswered are the changes and new resources of a kind that no reconcile has answered yet, with the times at which the
// controller heard of them. A reconcile answers what was heard before it began, unless it fails.
type unanswered struct {
	now func() time.Time

	mu sync.Mutex
	// waiting are those that no reconcile has begun for since, taken those for which one runs.
	waiting, taken map[reconcile.Request]time.Time
}

func newUnanswered(now func() time.Time) *unanswered {
	return &unanswered{now: now, waiting: map[reconcile.Request]time.Time{}, taken: map[reconcile.Request]time.Time{}}
}

// heard records that a resource is new or has changed.
func (u *unanswered) heard(req reconcile.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.waiting[req]; !ok {
		u.waiting[req] = u.now()
	}
}

// begin records that a reconcile begins.
func (u *unanswered) begin(req reconcile.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if since, ok := u.waiting[req]; ok {
		u.taken[req] = since
		delete(u.waiting, req)
		u.waiting = emptied(u.waiting)
	}
}

// end records that a reconcile has ended.
func (u *unanswered) end(req reconcile.Request, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if since, ok := u.taken[req]; ok && err != nil {
		u.waiting[req] = since
	}
	delete(u.taken, req)
}

// gone forgets a deleted resource.
func (u *unanswered) gone(req reconcile.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.waiting, req)
	delete(u.taken, req)
}

// oldest returns the age of the oldest one; 0 if there is none.
func (u *unanswered) oldest() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.now()
	out := time.Duration(0)
	for _, all := range []map[reconcile.Request]time.Time{u.waiting, u.taken} {
		for _, since := range all {
			out = max(out, now.Sub(since))
		}
	}
	return out
}

// OldestChange returns how long ago the controller heard of the oldest change or new resource of the kind that no reconcile
// has answered; 0 if there is none.
func (k *Kind) OldestChange() time.Duration { return k.unanswered.oldest() }
