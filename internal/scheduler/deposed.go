package scheduler

import (
	"crypto/rand"
	"encoding/hex"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A replacement that creates before it destroys (contract § 3.9) is two operations:
//
//	current: old ── Create ──▶ current: none, deposed: old   intent, in the same write
//	                    ├─ made it ──▶ current: new, deposed: old ── Delete of old ──▶ current: new
//	                    └─ made nothing ──▶ current: old
//
// There is no current object only while that Create is under way: whenever the current object
// turns out to be gone, the last deposed one takes its place again. So who deletes a resource
// deletes all its objects, one after the other, and nothing need be known of deposed ones for
// that.

// newDeposedKey is eight hex digits that no deposed object of the instance has.
func newDeposedKey(in instance.Instance) string {
	for {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails
		if key := hex.EncodeToString(b[:]); deposed(in, key) < 0 {
			return key
		}
	}
}

func deposed(in instance.Instance, key string) int {
	return slices.IndexFunc(in.Deposed, func(d instance.Deposed) bool { return d.Key == key })
}

// setAside is the instance without a current object, which is deposed now.
func setAside(in instance.Instance, key string) instance.Instance {
	return instance.Instance{Deposed: append(slices.Clone(in.Deposed), in.Depose(key))}
}

// fallBack is an instance without a current object in which a deposed object has become that:
// the one of the key, else the last.
func fallBack(in instance.Instance, key string) instance.Instance {
	if in.Exists() || len(in.Deposed) == 0 {
		return in
	}
	i := deposed(in, key)
	if i < 0 {
		i = len(in.Deposed) - 1
	}
	out := in.Deposed[i].Instance()
	out.Operation = in.Operation
	if rest := slices.Delete(slices.Clone(in.Deposed), i, i+1); len(rest) > 0 {
		out.Deposed = rest
	}
	return out
}

// withDeposed is the instance with what is left of one of its deposed objects.
func withDeposed(in instance.Instance, key string, left instance.Instance) instance.Instance {
	i := deposed(in, key)
	if i < 0 {
		return in
	}
	in.Deposed = slices.Clone(in.Deposed)
	if left.Exists() {
		in.Deposed[i] = left.Depose(key)
		return in
	}
	if in.Deposed = slices.Delete(in.Deposed, i, i+1); len(in.Deposed) == 0 {
		in.Deposed = nil
	}
	return in
}

// isDeposed says whether an object that was found is one of the deposed ones, and so says
// nothing of the create that made way for it. Where that cannot be told, it says yes.
func isDeposed(in instance.Instance, found instance.Instance) bool {
	return slices.ContainsFunc(in.Deposed, func(d instance.Deposed) bool {
		if known(found.Identity) && known(d.Identity) {
			return found.Identity.RawEquals(d.Identity)
		}
		// By custom, and always in the legacy SDK, objects are called by it.
		a, b := attribute(found.State, "id"), attribute(d.State, "id")
		return a == cty.NilVal || b == cty.NilVal || a.RawEquals(b)
	})
}

// destroyDeposed starts to destroy a deposed object, if its successor is as it should be. It
// says whether it did. The entry's lock is held by the caller.
func (s *Scheduler) destroyDeposed(e *entry, r Request) (bool, error) {
	in := e.record.Instance
	switch {
	case len(in.Deposed) == 0 || !in.Exists() || in.Status == instance.Tainted:
		return false, nil
	case !r.Policies.Delete:
		return false, &Error{Reason: ReasonReplaceRefused, Diagnostics: diagnostic.Errorf("Replaced object kept",
			"The object that was replaced (deposed object %s) has to be destroyed, which spec.managementPolicies do not allow. Allow Delete.", in.Deposed[0].Key)}
	}
	if err := s.backoff(&e.deposedFailed, r); err != nil {
		return false, err
	}
	key := in.Deposed[0].Key
	return true, s.start(e, r, task{kind: instance.Delete, deposed: key, replacement: true, mayAppear: func(in instance.Instance) bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return s.mayAppear(e, r, key, in)
	}})
}

// replace starts a replacement. A tainted object for which another one was deposed goes first,
// so that their number does not grow with each failure, and so does one that is not to be found.
func (s *Scheduler) replace(e *entry, r Request, p terraform.Plan) error {
	in := e.record.Instance
	_, missing := e.missing[""]
	if p.Action == terraform.CreateThenDelete && !missing && (in.Status != instance.Tainted || len(in.Deposed) == 0) {
		return s.start(e, r, task{kind: instance.Create, plan: &p, deposed: newDeposedKey(in), replacement: true})
	}
	return s.start(e, r, task{kind: instance.Delete, replacement: true})
}
