package managed_test

import (
	"errors"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// recalling is a scheduler that remembers the same of each resource.
type recalling struct {
	scheduler.Interface
	facts scheduler.Remembered
}

func (r recalling) Remembered(scheduler.Request) (scheduler.Remembered, bool) { return r.facts, true }

// Ready, Synced and the outcome of the last operation in situations in which an earlier attempt has
// failed, as they are written when the loop has nothing to complain about.
func TestConditionsAfterFailures(t *testing.T) {
	full := instance.Instance{State: object(map[string]string{"id": "i-1"}), Status: instance.Full}
	incomplete, partial := full, full
	incomplete.Incomplete, partial.Status = true, instance.Partial
	noOp, update := &terraform.Plan{Action: terraform.NoOp}, &terraform.Plan{Action: terraform.Update}
	failed := &scheduler.Outcome{Kind: instance.Update, At: time.Now(), Diagnostics: diagnostic.Errorf("Refused", "The cloud answers 403.")}
	now := &scheduler.Outcome{Kind: instance.Update, Generation: 1, At: time.Now(), Diagnostics: failed.Diagnostics}
	succeeded := &scheduler.Outcome{Kind: instance.Update, At: time.Now()}
	running := &instance.Operation{ID: "1", Kind: instance.Update}
	const notReady = "The last apply did not make all changes: status.plan has those that are left."
	for name, test := range map[string]struct {
		// synced is the condition of the generation before the reconcile, if an operation has
		// failed; "-" if it was true.
		synced     string
		generation int64
		o          *scheduler.Observation
		// retried is the token of a request that is carried out now.
		retried string
		want    [4]string // Ready, its message, Synced, LastAsyncOperation
	}{
		"as declared": {
			o: &scheduler.Observation{Instance: full, Plan: noOp}, want: [4]string{"True", "", "True", "Unknown"},
		},
		"an update fails": {
			o: &scheduler.Observation{Instance: full, Plan: update, Last: failed}, want: [4]string{
				"True", "", "True", "False",
			},
		},
		"an apply fails halfway": {
			o: &scheduler.Observation{Instance: incomplete, Plan: update, Last: failed}, want: [4]string{
				"False", notReady, "True", "False",
			},
		},
		"the rest is tried again": {
			synced: "update failed: 403", generation: 1,
			o: &scheduler.Observation{Instance: incomplete, Operation: running, Last: failed}, want: [4]string{
				"False", notReady, "False", "Unknown",
			},
		},
		"it is tried again before it is told": {
			synced: "-", generation: 1, o: &scheduler.Observation{Instance: full, Operation: running, Last: now},
			want: [4]string{"True", "", "False", "Unknown"},
		},
		"a failed update is tried again": {
			synced: "update failed: 403", generation: 1, o: &scheduler.Observation{
				Instance: full, Operation: running, Last: failed,
			}, want: [4]string{"True", "", "False", "Unknown"},
		},
		"a create is tried again": {
			synced: "create failed: 403", generation: 1,
			o:    &scheduler.Observation{Operation: &instance.Operation{Kind: instance.Create}, Last: failed},
			want: [4]string{"False", "", "False", "Unknown"},
		},
		"the spec has changed since": {
			synced: "update failed: 403", o: &scheduler.Observation{Instance: full, Operation: running, Last: failed},
			want: [4]string{"True", "", "True", "Unknown"},
		},
		"a look failed before the update": {
			synced: "observe failed: 403", generation: 1, o: &scheduler.Observation{
				Instance: full, Operation: running, Last: failed,
			}, want: [4]string{"True", "", "True", "Unknown"},
		},
		"a retry is asked for": {
			synced: "update failed: 403", generation: 1, retried: "now", o: &scheduler.Observation{
				Instance: full, Operation: running,
			}, want: [4]string{"True", "", "True", "Unknown"},
		},
		"the rest succeeds": {
			synced: "update failed: 403", generation: 1, o: &scheduler.Observation{
				Instance: full, Plan: noOp, Last: succeeded,
			}, want: [4]string{"True", "", "True", "True"},
		},
		"nothing is left to do": {
			o: &scheduler.Observation{Instance: incomplete, Plan: noOp}, want: [4]string{"True", "", "True", "Unknown"},
		},
		"it is only observed, and not complete": {
			o: &scheduler.Observation{Instance: incomplete}, want: [4]string{"False", notReady, "True", "Unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := kind(t)
			k.Scheduler = recalling{facts: scheduler.Remembered{Status: test.o.Instance.Status, Handled: store.Tokens{Retry: test.retried}}}
			u := &unstructured.Unstructured{Object: m{"metadata": m{"name": "x", "generation": int64(1)}}}
			before := managed.ResourceOf(u)
			if test.synced != "" {
				synced := xpv2.ReconcileError(errors.New(test.synced))
				if test.synced == "-" {
					synced = xpv2.ReconcileSuccess()
				}
				before.SetConditions(
					synced.WithObservedGeneration(test.generation),
					xpv2.Condition{
						Type: v1alpha1.TypeLastAsyncOperation, Status: corev1.ConditionFalse,
						Reason: v1alpha1.ReasonAsyncUpdateFailure, Message: "403",
					},
				)
				if err := managed.EncodeConditions(before); err != nil {
					t.Fatal(err)
				}
				u = &before.Unstructured
			}
			r := managed.ResourceOf(u)
			managed.SetStatus(k, r, test.o)
			managed.Succeed(r)
			ready := r.GetCondition(xpv2.TypeReady)
			last := r.GetCondition(v1alpha1.TypeLastAsyncOperation)
			got := [4]string{string(ready.Status), ready.Message, string(r.GetCondition(xpv2.TypeSynced).Status), string(last.Status)}
			if test.synced != "" && test.retried == "" && test.o.Operation != nil {
				test.want[3] = "False" // it stays while the next one runs
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}

// While an object that was untainted has not been read, there is no plan: the last one would
// replace it.
func TestNoPlanOfPartialObject(t *testing.T) {
	k := kind(t)
	k.Scheduler = recalling{facts: scheduler.Remembered{Status: instance.Partial}}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: m{"status": m{"state": "Tainted", "plan": m{"action": "DeleteThenCreate"}}}})
	managed.SetUnobserved(k, r)
	if status := r.Object["status"].(m); status["plan"] != nil || status["state"] != "Partial" {
		t.Errorf("the status: %v", status)
	}
}

// A failure has the name of the operation that failed, and not of the one that is tried next.
func TestFailureHasItsOperation(t *testing.T) {
	k := kind(t)
	k.Scheduler = forgetful{}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: m{}})
	why := diagnostic.Errorf("Refused", "The cloud answers 403.")
	managed.Observed(r, &scheduler.Observation{Last: &scheduler.Outcome{Kind: instance.Create, Diagnostics: why}})
	message := managed.Explain(k, r, &scheduler.Error{Reason: decision.ReasonOperationFailed, Diagnostics: why, RetryAt: time.Now()})
	managed.Fail(r, "update failed: "+message.Error())
	if got := r.GetCondition(xpv2.TypeSynced).Message; got != "create failed: "+message.Error() {
		t.Errorf("the message is %q", got)
	}
}
