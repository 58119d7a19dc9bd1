package managed

import (
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// quietRecorder is the recorder that managed.Reconciler gets. It drops events that the scheduler's
// events make redundant: that an operation was requested, and, with each reconcile, that it failed.
// It also drops observations that fail briefly, such as while a provider restarts, and that the
// same references still cannot be resolved. Waiting for them is normal.
type quietRecorder struct {
	event.Recorder
	tracked *resources
}

// Event implements event.Recorder.
func (q quietRecorder) Event(obj runtime.Object, e event.Event) {
	r, ok := obj.(*CustomResource)
	switch {
	case ok && e.Reason == reasonUnresolved && unresolvedBefore(r, e.Message):
		return
	case e.Reason == reasonUnresolved && strings.HasPrefix(e.Message, waitsForOthers):
		e.Type = event.TypeNormal
	case e.Reason == reasonCreated, e.Reason == reasonUpdated, e.Reason == reasonDeleted, ok && r.told:
		return
	case ok && Repeats(string(e.Reason)) && q.tracked.young(subjectOf(r)):
		return
	}
	q.Recorder.Event(obj, e)
}

// unresolvedBefore reports whether the same references could not be resolved before.
func unresolvedBefore(r *CustomResource, message string) bool {
	now := r.GetCondition(xpv2.TypeSynced)
	return now.Reason == v1alpha1.ReasonReferenceNotResolved && now.Message == message
}

// WithAnnotations implements event.Recorder.
func (q quietRecorder) WithAnnotations(keysAndValues ...string) event.Recorder {
	return quietRecorder{q.Recorder.WithAnnotations(keysAndValues...), q.tracked}
}

// warning returns event.Warning with a sentence instead of an error.
func warning(r event.Reason, message string) event.Event {
	return event.Event{Type: event.TypeWarning, Reason: r, Message: message}
}
