package action

import (
	"encoding/json"
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/invocation"
)

// outcomes are those of attempts in change records.
var outcomes = map[invocation.Phase]history.Outcome{
	invocation.Running: history.Running, invocation.Succeeded: history.Succeeded, invocation.Failed: history.Failed,
	invocation.Unknown: history.Unknown,
}

// EntryOf returns the last attempt of an action as an entry of a change record. It is made of the
// object's status, which is where an attempt is stored. ok is false if none has begun.
func EntryOf(u *unstructured.Unstructured) (_ history.Entry, ok bool) {
	r := recordOf(u)
	outcome, ok := outcomes[r.Phase]
	if !ok {
		return history.Entry{}, false
	}
	e := history.Entry{
		At: r.Started, Action: history.Invoke, Outcome: outcome, UID: u.GetUID(),
		Operation: fmt.Sprintf("%s/%d", u.GetUID(), r.Attempts), Because: "the object was created",
	}
	if u.GetGeneration() == 1 { // else it was created by another spec
		e.Author = history.AuthorOf(u.GetAnnotations()[v1alpha1.AnnotationChangedBy], 1)
	}
	if r.Attempts > 1 {
		e.Because = fmt.Sprintf("spec.retryPolicy, attempt %d", r.Attempts)
	}
	if outcome != history.Running {
		e.Took = max(1, r.Ended.Sub(r.Started).Milliseconds())
	}
	if outcome == history.Failed || outcome == history.Unknown {
		of := managed.CustomResource{Unstructured: *u}
		e.Message = of.GetCondition(xpv2.TypeSynced).Message
	}
	// An approval is for one attempt.
	if unmanaged.TextOf(u, "status", "lastApproval", "at") == unmanaged.TextOf(u, "status", "startTime") {
		e.By = unmanaged.TextOf(u, "status", "lastApproval", "by")
	}
	changes, _, _ := unstructured.NestedSlice(u.Object, "status", "plan", "changes")
	if raw, err := json.Marshal(changes); err == nil {
		_ = json.Unmarshal(raw, &e.Changes) // they have the same members
	}
	return e, true
}

// tell tells of an attempt that is stored and has ended.
func (k *Kind) tell(o *object) {
	if k.Recorded == nil {
		return
	}
	if e, ok := EntryOf(&o.Unstructured); ok {
		k.Recorded(k.Key(client.ObjectKeyFromObject(o)), e)
	}
}
