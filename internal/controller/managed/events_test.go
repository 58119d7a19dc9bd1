package managed_test

import (
	"errors"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

type recorded struct {
	event.NopRecorder
	events []string
}

func (r *recorded) WithAnnotations(...string) event.Recorder { return r }

func (r *recorded) Event(_ runtime.Object, e event.Event) {
	r.events = append(r.events, string(e.Type)+" "+e.Message)
}

// Waiting for a reference is one event, and no warning.
func TestEventsOfReferences(t *testing.T) {
	const waits = "waiting for other resources: there is no Vpc main"
	inner := &recorded{}
	k := &managed.Kind{Options: managed.Options{Recorder: inner}}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{}})
	managed.FailFor(r, v1alpha1.ReasonReferenceNotResolved)
	for _, message := range []string{waits, waits, waits + "2", "it may not be referred to"} {
		managed.FailToResolve(k, r, errors.New(message))
	}
	if diff := cmp.Diff([]string{"Normal " + waits, "Normal " + waits + "2", "Warning it may not be referred to"}, inner.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Messages do not begin with a step that has not failed.
func TestSyncedMessages(t *testing.T) {
	for name, test := range map[string]struct {
		reason     xpv2.ConditionReason
		from, want string
	}{
		"invalid configuration": {v1alpha1.ReasonInvalidConfiguration, "connect failed: spec.size is negative", "spec.size is negative"},
		"awaiting approval":     {v1alpha1.ReasonAwaitingApproval, "update failed: Update waits for approval.", "Update waits for approval."},
		"an update":             {v1alpha1.ReasonReplaceRefused, "update failed: Replacement refused", "update failed: Replacement refused"},
		"interrupted":           {v1alpha1.ReasonInterrupted, "update failed: Operation interrupted", "Operation interrupted"},
		"creates exhausted": {
			v1alpha1.ReasonCreateAttemptsExhausted, "update failed: Create attempts exhausted",
			"Create attempts exhausted",
		},
		"no reason": {"", "connect failed: x", "connect failed: x"},
	} {
		t.Run(name, func(t *testing.T) {
			r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{}})
			managed.FailFor(r, test.reason)
			managed.Fail(r, test.from)
			if got := r.GetCondition(xpv2.TypeSynced).Message; got != test.want {
				t.Errorf("the message is %q, want %q", got, test.want)
			}
		})
	}
}

// The event of a tainted object says what becomes of it.
func TestTaintedMessage(t *testing.T) {
	t.Parallel()
	inconsistent := instance.Instance{Unsettled: &instance.Unsettled{Repeats: instance.Repeats{Inconsistent: true}}}
	const otherwise = ", until it is untainted or its replacement is allowed."
	for name, test := range map[string]struct {
		event    scheduler.Event
		policies func(*desired.Policies)
		want     string
	}{
		"a failed create": {want: "because its creation failed or was interrupted. It will be destroyed and recreated."},
		"asked":           {event: scheduler.Event{Asked: true, Instance: inconsistent}, want: "as asked. It will be destroyed and recreated."},
		"not as planned": {
			event: scheduler.Event{Instance: inconsistent},
			want: "because it was not created as planned. It is kept, since its successor would be the same: " +
				"change the configuration, request a retry, or untaint it.",
		},
		"the last attempt": {
			event: scheduler.Event{Exhausted: true},
			want: "because its creation failed or was interrupted. It is kept, since its creation has failed too " +
				"often: change the configuration, request a retry, or untaint it.",
		},
		"kept by policy": {
			policies: func(p *desired.Policies) { p.ReplaceTainted = false },
			want:     "because its creation failed or was interrupted. It is kept, because of spec.lifecycle.taintPolicy" + otherwise,
		},
		"never replaced": {
			policies: func(p *desired.Policies) { p.Replace = false },
			want: "because its creation failed or was interrupted. It is kept, because of " +
				"spec.lifecycle.replacePolicy or spec.managementPolicies" + otherwise,
		},
		"protected": {
			event: scheduler.Event{Asked: true}, policies: func(p *desired.Policies) { p.Protected = true },
			want: "as asked. It is kept, because of spec.lifecycle.deletionProtection" + otherwise,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policies := desired.FullControl()
			if test.policies != nil {
				test.policies(&policies)
			}
			if diff := cmp.Diff("The remote object is tainted, "+test.want, managed.TaintedMessage(test.event, policies)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
