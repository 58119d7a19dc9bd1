package move

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// annotationMovedFrom marks a resource of the target until its move has ended. Its value is a mark.
const annotationMovedFrom = "landbridge.io/moved-from"

// finalizers are those of Landbridge's controllers.
var finalizers = []string{xpmanaged.FinalizerName, v1alpha1.FinalizerCreated}

// lock is the journal of the operation that locks the stored instance in the source.
type lock struct {
	// Cluster is the target.
	Cluster string `json:"cluster"`
	// Paused is set if the resource was paused before.
	Paused bool `json:"paused,omitempty"`
	// New is set if nothing was stored before.
	New bool `json:"new,omitempty"`
}

// lockOf returns the lock of a record; nil if it has none.
func lockOf(rec *store.Record) (*lock, error) {
	if rec == nil || rec.Instance.Operation == nil || rec.Instance.Operation.Kind != instance.Move {
		return nil, nil
	}
	out := &lock{}
	if err := json.Unmarshal(rec.Instance.Operation.Journal, out); err != nil {
		return nil, errors.New("the journal of its move is malformed")
	}
	return out, nil
}

// mark identifies the source of a resource in the target.
type mark struct {
	// Cluster and UID are the source and the resource in it.
	Cluster string    `json:"cluster"`
	UID     types.UID `json:"uid"`
	// Sum is the checksum of what was copied.
	Sum string `json:"sum"`
	// Paused is set if the resource stays paused.
	Paused bool `json:"paused,omitempty"`
}

// markOf returns the mark of a resource; nil if it has none.
func markOf(u *unstructured.Unstructured) (*mark, error) {
	raw, ok := u.GetAnnotations()[annotationMovedFrom]
	if !ok {
		return nil, nil
	}
	out := &mark{}
	if err := json.Unmarshal([]byte(raw), out); err != nil {
		return nil, fmt.Errorf("its annotation %s is malformed", annotationMovedFrom)
	}
	return out, nil
}

// look is what both clusters have of a resource. Everything is nil where there is nothing.
type look struct {
	source, target *unstructured.Unstructured
	// stored and copied are the records in the source and in the target.
	stored, copied *store.Record
	lock           *lock
	mark           *mark
}

func (m *Mover) look(ctx context.Context, r moving) (look, error) {
	var out look
	var err error
	if out.source, err = get(ctx, m.Source, r); err != nil {
		return out, fmt.Errorf("source: %w", err)
	}
	if out.stored, err = load(ctx, m.Source, r.key); err != nil {
		return out, fmt.Errorf("source: %w", err)
	}
	if out.target, err = get(ctx, m.Target, r); err != nil {
		return out, fmt.Errorf("target: %w", err)
	}
	if out.copied, err = load(ctx, m.Target, r.key); err != nil {
		return out, fmt.Errorf("target: %w", err)
	}
	if out.lock, err = lockOf(out.stored); err != nil {
		return out, fmt.Errorf("source: %w", err)
	}
	if out.lock != nil && out.lock.Cluster != m.targetID {
		return out, errors.New("it is being moved to another cluster than the target; end that move first, or undo it")
	}
	if out.target != nil {
		if out.mark, err = markOf(out.target); err != nil {
			return out, fmt.Errorf("target: %w", err)
		}
	}
	if out.mark != nil && out.mark.Cluster != m.sourceID {
		return out, errors.New("it is being moved to the target from another cluster than the source")
	}
	return out, nil
}

// released reports whether the resource in the source is gone for its controller.
func (l look) released() bool {
	return l.source == nil || l.source.GetDeletionTimestamp() != nil && !held(l.source)
}

// ended reports whether the move has ended in the source. What the source has now, if anything, is
// a later resource of the same name.
func (l look) ended() bool {
	return l.mark != nil && l.lock == nil && (l.source == nil || l.source.GetUID() != l.mark.UID)
}

// copiedWhole reports whether the target has the resource as the source has it. A resource that was
// made in the source after the copy is another one.
func (l look) copiedWhole() bool {
	return l.mark != nil && (l.mark.UID != l.source.GetUID() || l.mark.Sum == sumOf(l.source))
}

func get(ctx context.Context, c *state.Cluster, r moving) (*unstructured.Unstructured, error) {
	u := r.object()
	err := c.Get(ctx, r.name(), u)
	if kerrors.IsNotFound(err) || apimeta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return u, nil
}

func load(ctx context.Context, c *state.Cluster, k store.Key) (*store.Record, error) {
	rec, err := c.Load(ctx, k)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &rec, nil
}

// sumOf returns the checksum of what is copied of a resource.
func sumOf(u *unstructured.Unstructured) string {
	annotations := maps.Clone(u.GetAnnotations())
	delete(annotations, meta.AnnotationKeyReconciliationPaused)
	delete(annotations, v1alpha1.AnnotationChangedBy)
	// JSON of an API server can always be encoded.
	raw, _ := json.Marshal([]any{u.Object["spec"], u.GetLabels(), annotations})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
