package trigger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/invocation"
)

// Stage is how far a round is.
type Stage string

// The stages.
const (
	// Before: the operations of the change have not all succeeded.
	Before Stage = "Before"
	// After: they have.
	After Stage = "After"
	// Complete: nothing more is invoked.
	Complete Stage = "Complete"
)

// Round is what one change of an object invokes, in this order.
type Round struct {
	ID     string `json:"id"`
	Change Change `json:"change"`
	Stage  Stage  `json:"stage"`
	// Generation is that of the resource when the round began.
	Generation int64 `json:"generation,omitempty"`
	// Tainted is set if the round has ended with a tainted object, and Taints is how many rounds in
	// a row have before.
	Tainted     bool         `json:"tainted,omitempty"`
	Taints      int64        `json:"taints,omitempty"`
	Invocations []Invocation `json:"invocations,omitempty"`
}

// Skipped is the phase of an invocation whose trigger was removed.
const Skipped invocation.Phase = "Skipped"

// Invocation is one invocation of a round.
type Invocation struct {
	// Trigger is the name of the trigger.
	Trigger string `json:"trigger"`
	Event   Event  `json:"event"`
	// Action is the resource of the action's kind, and Name the name of the object.
	Action string `json:"action"`
	Name   string `json:"name"`
	// Phase is that of the object when it was looked at last; empty if it was not created.
	Phase   invocation.Phase `json:"phase,omitempty"`
	Message string           `json:"message,omitempty"`
}

// RoundOf returns the round that the status of a resource has; nil if it has none.
func RoundOf(u *unstructured.Unstructured) *Round {
	in, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "actions")
	fields, ok := in.(map[string]any)
	out := &Round{}
	if !ok || runtime.DefaultUnstructuredConverter.FromUnstructured(fields, out) != nil {
		return nil
	}
	return out
}

// Open reports whether a resource has a round that is not complete.
func Open(u *unstructured.Unstructured) bool {
	stage, ok, _ := unstructured.NestedString(u.Object, "status", "actions", "stage")
	return ok && Stage(stage) != Complete
}

// Status returns the round as it is in the status.
func (r *Round) Status() map[string]any {
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r)
	if err != nil {
		panic(err) // it has texts and numbers
	}
	return out
}

// Resource is a resource whose object is changed.
type Resource struct {
	UID        types.UID
	Name       string
	Generation int64
	// Self is the resource, and Old its object before the change; nil if there is none.
	Self, Old any
}

// Begin returns the round of a change, with an id that no other round has, after the one before,
// which may be nil. It returns nil if the change invokes nothing.
func Begin(ctx context.Context, all []Trigger, change Change, of Resource, id string, before *Round) (*Round, error) {
	out := &Round{ID: id, Change: change, Stage: Before, Generation: of.Generation}
	if before != nil && before.Tainted && before.Generation == of.Generation {
		out.Taints = before.Taints + 1
	}
	for _, e := range change.events() {
		for i := range all {
			t := &all[i]
			if !t.of(e) {
				continue
			}
			is, err := t.applies(ctx, of.Self, of.Old)
			if err != nil {
				return nil, err
			}
			if is {
				out.Invocations = append(out.Invocations, Invocation{
					Trigger: t.Name, Event: e, Action: t.Action.String(), Name: nameOf(of, id, t.Name, e),
				})
			}
		}
	}
	if len(out.Invocations) == 0 {
		return nil, nil
	}
	return out, nil
}

// maxName bounds the part of the name of an object that tells of its origin, in bytes.
const maxName = 40

// nameOf returns the name of the object of an invocation.
func nameOf(of Resource, round, trigger string, e Event) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(of.UID), round, trigger, string(e)}, "/")))
	readable := of.Name + "-" + trigger
	if len(readable) > maxName {
		readable = strings.TrimRight(readable[:maxName], "-.")
	}
	return readable + "-" + hex.EncodeToString(sum[:5])
}

// Resource is the resource of the action's kind.
func (i *Invocation) Resource() schema.GroupResource { return schema.ParseGroupResource(i.Action) }
