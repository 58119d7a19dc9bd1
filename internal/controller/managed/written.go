package managed

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// written records from which observation, and at which resource version, the status of each
// resource was made. While both are unchanged, the status is not computed again.
type written struct {
	mu    sync.Mutex
	byUID map[types.UID]writtenStatus
}

type writtenStatus struct {
	observation *scheduler.Observation
	version     string
}

func newWritten() *written { return &written{byUID: map[types.UID]writtenStatus{}} }

// same reports whether the status of the resource, as read, was made from the observation.
func (w *written) same(r *CustomResource, o *scheduler.Observation) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return r.read != nil && w.byUID[r.GetUID()] == writtenStatus{observation: o, version: r.read.GetResourceVersion()}
}

// note is called when the status is written or unchanged.
func (w *written) note(r *CustomResource) {
	if r.observation == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byUID[r.GetUID()] = writtenStatus{observation: r.observation, version: r.read.GetResourceVersion()}
}

// last returns the observation that the status was made from; an empty one if that is not known.
func (w *written) last(uid types.UID) *scheduler.Observation {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o := w.byUID[uid].observation; o != nil {
		return o
	}
	return &scheduler.Observation{}
}

func (w *written) forget(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.byUID, uid)
}
