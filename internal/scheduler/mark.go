package scheduler

import (
	"crypto/sha256"
	"strings"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// markOf returns the mark of a resource with a record; false if its plan depends on more than is
// known.
func markOf(r *Request, rec *store.Record) (Mark, bool) {
	if r.Config == nil || r.Deleted || r.Consists != nil || r.Version == "" || r.Release == "" ||
		r.Account.Content == "" || rec.Version == "" || rec.Owner != r.UID {
		return Mark{}, false
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{
		r.Key.Group, r.Key.Kind, r.Key.Namespace, r.Key.Name, string(r.UID), r.Version, r.ConfigHash, rec.Version,
		r.Release, r.ProviderConfiguration, r.Account.Declared, r.Account.Content,
	}, "\x00")))
	return Mark(sum[:len(Mark{})]), true
}

// atRest reports whether an instance can be that of a resource at rest, in the current schema
// version.
func atRest(in *instance.Instance) bool {
	return in.Status == instance.Full && in.Operation == nil && len(in.Deposed) == 0 && in.Drift == nil &&
		len(in.RawState) == 0 && len(in.RawIdentity) == 0 && instance.Present(in.State)
}

// Mark implements Interface.
func (s *Scheduler) Mark(r Request) (Mark, bool) {
	e := s.placeOf(&r).lockAtRest()
	defer e.unlock()
	o := e.view.observation
	if e.state != loaded || e.view.state != decision.Planned || !e.view.fits(&r) || e.view.unplanned && !o.Resumed ||
		!o.Steady() || o.Imported || o.Contradiction != "" || !e.resting && !atRest(&e.record.Instance) {
		return Mark{}, false
	}
	return markOf(&r, &e.record)
}

// resumable reports whether the resource may be at rest since an earlier process, and this one has
// not observed it yet.
func (e *entry) resumable(r *Request) bool {
	return r.Marked != nil && e.state == loaded && e.view.state == decision.Stale && e.record.Version == e.read &&
		!e.observed.Load() && atRest(&e.record.Instance)
}

// resume makes the view of a resource at rest, if an earlier process has left its mark. The object
// is read without an upgrade of its state, which that process had from the provider as it is
// stored, and nothing is planned if it is unchanged. The next look plans as ever, so a wrong mark
// has no lasting effect.
func (e *entry) resume(r *Request) {
	mark, ok := markOf(r, &e.record)
	if !ok || !r.Marked(mark) {
		return
	}
	in := &e.record.Instance
	if in.Wire = instance.WireOf(*in, r.Type.Schema); in.Wire == nil {
		return
	}
	e.view = view{
		state: decision.Planned, configHash: r.ConfigHash, configurations: r.Configurations,
		observation: &Observation{Instance: *in, Plan: &upToDate, Resumed: true},
	}
}
