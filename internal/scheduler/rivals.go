package scheduler

import (
	"context"
	"slices"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// After a start, the objects of a resource are claimed before anything is written for it, and so
// are those of all resources that may have one of them, too. Each record tells in labels which
// object it names, so that these resources are found before all records are loaded.

// Sought are the objects of a resource that no other may have, as they are named in records: for
// store.Secrets.Naming.
type Sought struct {
	// By is store.Objects.By of the records that name objects by the same rules.
	By string
	// Objects are the hashes of the objects. If there are none, no other resource can prevent a
	// write.
	Objects []string
}

// Sought implements Interface.
func (s *Scheduler) Sought(r Request) (_ Sought, ok bool) {
	e := s.slot(r.Key, r.UID).lock()
	defer e.unlock()
	out := Sought{By: namedBy(&r)}
	if out.By == "" || e.claimant == nil {
		return Sought{}, false
	}
	for _, o := range e.claimant.Strong() {
		if hash := store.ObjectHash(o.Type, o.Identity); !slices.Contains(out.Objects, hash) {
			out.Objects = append(out.Objects, hash)
		}
	}
	return out, true
}

// namedBy returns Objects.By of the records of a kind; empty if they do not tell which objects they
// name. Those of modules have objects of any type.
func namedBy(r *Request) string {
	if r.Release == "" || r.Consists != nil {
		return ""
	}
	return store.ObjectsBy(r.Release)
}

// namedObjects returns which objects an instance names as long as its resource imports no other
// one.
func namedObjects(r *Request, in *instance.Instance) store.Objects {
	out := store.Objects{By: namedBy(r)}
	if out.By == "" {
		return store.Objects{}
	}
	if in.Operation != nil || len(in.Deposed) > 0 {
		out.Hash = store.SeveralObjects
		return out
	}
	for _, n := range r.names(*in) {
		if n.identity == "" {
			continue
		}
		hash := store.ObjectHash(r.Type.Schema.Type, n.identity)
		if out.Hash != "" && out.Hash != hash {
			out.Hash = store.SeveralObjects
			break
		}
		out.Hash = hash
	}
	return out
}

// store stores a record, with the objects that it names.
func (s *Scheduler) store(ctx context.Context, r *Request, rec store.Record) (store.Record, error) {
	rec.Objects = namedObjects(r, &rec.Instance)
	return s.o.Store.Save(ctx, r.Key, r.Type.Schema, rec)
}
