package module

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// An API may show an object some time after it has made it, and its replicas may answer differently
// meanwhile. Terraform takes such an object for gone, and creates another one. Here, within a grace
// period after its create, an object that a read does not find is answered as it is stored. If it
// is to be destroyed then, its destruction is requested, which proves nothing: the object stays in
// the state, and is destroyed again, until a read finds it or the period is over.
//
// An object is recent however it came into the state: as one whose create has failed or had no
// answer, by an update that has failed, or by an import or from the state of another program, since
// others may just have made it.
//
// The reverse: within the period after an update, a read that answers with the object before it is
// answered as the object is stored. Within the period after a destruction, an object that is found
// is the one that was destroyed: another one in its place is not created yet, and not refused as if
// it belonged to others.

// created are the times at which objects were created, by the object.
type created map[string]time.Time

// updates are what objects were before their last updates, by the object.
type updates map[string]update

type update struct {
	Before string    `json:"before"`
	At     time.Time `json:"at"`
}

// objectKey is the key of an object in created; empty if it is unknown or null. It is short, since
// many objects may be recent.
func objectKey(r *schema.Resource, state []byte) string {
	if len(state) == 0 || wire.IsNull(state) {
		return ""
	}
	out := sum(r, state, nil)
	return out[:min(16, len(out))]
}

// visibility is what is known of the objects that were created a short time ago.
type visibility struct {
	grace time.Duration

	// adopted is recent.adopted.
	adopted time.Time

	mu      sync.Mutex
	at      created
	updates updates
	// destroyed are the objects that earlier operations have destroyed.
	destroyed destroyed
	// unread is set when objects are destroyed without being read.
	unread bool
	// hidden are the objects that the last read has not found.
	hidden map[string]bool
	// showsOutdated is set when a read has shown an object as it was before its last update.
	showsOutdated bool
	// imported are objects as their imports have answered them, without a read.
	imported map[string]bool
}

func newVisibility(before recent, grace time.Duration) *visibility {
	out := &visibility{
		grace: grace, adopted: before.adopted, at: maps.Clone(before.Created), updates: maps.Clone(before.Updated),
		destroyed: before.Destroyed, hidden: map[string]bool{}, imported: map[string]bool{},
	}
	if out.at == nil {
		out.at = created{}
	}
	if out.updates == nil {
		out.updates = updates{}
	}
	return out
}

// outdated reports whether an answer to a read is what an object was before its last update.
func (v *visibility) outdated(known, read string, now time.Time) bool {
	u, ok := v.updates[known]
	return ok && known != "" && read == u.Before && now.Sub(u.At).Abs() < v.grace
}

// updated returns the updates that are within their grace period.
func (v *visibility) updated(now time.Time) updates {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := maps.Clone(v.updates)
	maps.DeleteFunc(out, func(_ string, u update) bool { return now.Sub(u.At).Abs() >= v.grace })
	if len(out) == 0 {
		return nil
	}
	return out
}

// isRecent reports whether an object is within its grace period. A clock that was set back does not
// lengthen it by more than itself.
func (v *visibility) isRecent(key string, now time.Time) bool {
	return key != "" && now.Sub(v.since(key)).Abs() < v.grace
}

// since returns when the grace period of an object has begun; the zero time if that is long ago.
func (v *visibility) since(key string) time.Time {
	if at, ok := v.at[key]; ok {
		return at
	}
	return v.adopted
}

// left returns the objects that are within their grace period.
func (v *visibility) left(now time.Time) created {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := maps.Clone(v.at)
	maps.DeleteFunc(out, func(key string, _ time.Time) bool { return !v.isRecent(key, now) })
	if len(out) == 0 {
		return nil
	}
	return out
}

// read notes whether a read has found an object, and returns whether it may exist nevertheless, or
// be another one.
func (v *visibility) read(r *schema.Resource, before, after []byte, now time.Time) (hidden bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, found := objectKey(r, before), objectKey(r, after)
	if v.outdated(known, found, now) {
		v.showsOutdated = true
		return true
	}
	if u, ok := v.updates[known]; ok && known != found {
		v.updates[found] = u // the rest of it has changed
		delete(v.updates, known)
	}
	if known != "" && v.imported[known] && found != "" {
		v.at[found] = now.Round(0)
		return false
	}
	if !v.isRecent(known, now) {
		return false
	}
	if wire.IsNull(after) {
		v.hidden[known] = true
		return true
	}
	delete(v.hidden, known)
	v.at[found] = v.since(known)
	return false
}

// recent returns what is to be stored of recent changes, after an operation with a journal; nil
// without changes.
func (v *visibility) recent(d appearing, j *journal, now time.Time) recent {
	return recent{Appearing: d, Created: v.left(now), Updated: v.updated(now), Destroyed: v.destroyed.after(j, now, v.grace)}
}

// imports notes an object that is imported.
func (v *visibility) imports(r *schema.Resource, state []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.imported[objectKey(r, state)] = true
}

// changed notes a change that the provider has made. It reports whether a destruction proves
// nothing. If the change has failed, it may have left another object than it has met.
func (v *visibility) changed(
	r *schema.Resource, kind instance.OperationKind, before []byte,
	answer *tfprotov6.ApplyResourceChangeResponse, now time.Time,
) (unproven bool, until time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, left, failed := objectKey(r, before), objectKey(r, packed(answer.NewState)), hasErrors(answer.Diagnostics)
	if !failed {
		delete(v.updates, known)
	}
	if kind == instance.Update && !failed {
		v.updates[left] = update{Before: known, At: now.Round(0)}
	}
	switch {
	case kind == instance.Delete && left == "":
		return !failed && (v.unread || v.hidden[known]) && v.isRecent(known, now), v.since(known).Add(v.grace)
	case kind == instance.Create:
		v.at[left] = now.Round(0)
	case v.isRecent(known, now):
		v.at[left] = v.since(known)
	}
	return false, time.Time{}
}

// dates notes the objects that are imported.
func (s *attached) dates(answer *tfprotov6.ImportResourceStateResponse) {
	for _, i := range answer.ImportedResources {
		if r := s.schema.Resources[i.TypeName]; r != nil {
			s.visibility.imports(r, packed(i.State))
		}
	}
}

// unlessHidden returns the answer to a read. An object that is not visible yet is answered as it
// was.
func (s *attached) unlessHidden(q *tfprotov6.ReadResourceRequest, answer *tfprotov6.ReadResourceResponse) *tfprotov6.ReadResourceResponse {
	r := s.schema.Resources[q.TypeName]
	if r == nil || hasErrors(answer.Diagnostics) || !s.visibility.read(r, packed(q.CurrentState), packed(answer.NewState), time.Now()) {
		return answer
	}
	return asBefore(q, answer)
}

// asBefore returns an answer to a read with the object as it was.
func asBefore(q *tfprotov6.ReadResourceRequest, answer *tfprotov6.ReadResourceResponse) *tfprotov6.ReadResourceResponse {
	out := *answer
	out.NewState, out.NewIdentity, out.Private = q.CurrentState, q.CurrentIdentity, q.Private
	return &out
}

// unlessUnproven returns the answer to a change. An object whose destruction is not proven stays.
func (s *attached) unlessUnproven(
	c *change, r *schema.Resource, q *tfprotov6.ApplyResourceChangeRequest,
	answer *tfprotov6.ApplyResourceChangeResponse,
) *tfprotov6.ApplyResourceChangeResponse {
	unproven, until := s.visibility.changed(r, c.Kind, packed(q.PriorState), answer, time.Now())
	if !unproven {
		return answer
	}
	out := *answer
	out.NewState, out.NewIdentity, out.Private = q.PriorState, q.PlannedIdentity, q.PlannedPrivate
	out.Diagnostics = append(out.Diagnostics, &tfprotov6.Diagnostic{
		Severity: tfprotov6.DiagnosticSeverityError,
		Summary:  "Object not visible yet",
		Detail: fmt.Sprintf("%s was made a short time ago, and its API does not show it. It is destroyed again, until it is visible or until %s.",
			strings.TrimPrefix(c.Resource.Address, callAddress), until.UTC().Format(time.RFC3339)),
	})
	return &out
}

// created returns the times of creates after an operation whose process has ended. It is not known
// which objects its other changes have met, so they count as creates.
func (j *journal) created(before created, known types, now time.Time, grace time.Duration) created {
	v := newVisibility(recent{Created: before}, grace)
	for _, c := range j.Changes {
		r := known(c.Source, c.Resource.Type)
		if r == nil || !c.Answered {
			continue
		}
		if left := objectKey(r, c.State); c.Kind == instance.Create || !v.isRecent(left, now) {
			v.at[left] = now.Round(0)
		}
	}
	return v.left(now)
}
