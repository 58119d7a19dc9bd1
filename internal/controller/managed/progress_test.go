package managed_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// Reconciling and Stalled follow from the other conditions.
func TestProgress(t *testing.T) {
	t.Parallel()
	failed := func(reason xpv2.ConditionReason) xpv2.Condition {
		c := xpv2.ReconcileError(errors.New("Why."))
		c.Reason = reason
		return c
	}
	synced, ready := xpv2.ReconcileSuccess(), xpv2.Available()
	tests := map[string]struct {
		conditions []xpv2.Condition
		// before are the conditions as they were read.
		before        []any
		deleted       bool
		observation   *scheduler.Observation
		requested     bool
		secretMissing bool
		// reconciling and stalled are the reasons of the conditions that are True.
		reconciling, stalled xpv2.ConditionReason
	}{
		"as declared": {conditions: []xpv2.Condition{synced, ready}},
		"paused":      {conditions: []xpv2.Condition{xpv2.ReconcilePaused(), ready}},
		"creating":    {conditions: []xpv2.Condition{synced, xpv2.Creating()}, reconciling: "Progressing"},
		"requested":   {conditions: []xpv2.Condition{synced, ready}, requested: true, reconciling: "Progressing"},
		"running": {
			conditions:  []xpv2.Condition{synced, ready},
			observation: &scheduler.Observation{Operation: &instance.Operation{Kind: instance.Update}},
			reconciling: "Progressing",
		},
		"failed":            {conditions: []xpv2.Condition{failed(xpv2.ReasonReconcileError), ready}, reconciling: "Retrying"},
		"awaiting approval": {conditions: []xpv2.Condition{failed("AwaitingApproval"), ready}, reconciling: "AwaitingApproval"},
		"conflict":          {conditions: []xpv2.Condition{failed("IdentityConflict"), xpv2.Unavailable()}, stalled: "IdentityConflict"},
		"interrupted": {
			conditions:  []xpv2.Condition{failed("Interrupted"), ready},
			observation: &scheduler.Observation{Held: true}, stalled: "Interrupted",
		},
		"refused once": {conditions: []xpv2.Condition{failed("InvalidConfiguration"), ready}, reconciling: "InvalidConfiguration"},
		"refused twice": {
			conditions: []xpv2.Condition{failed("InvalidConfiguration"), ready},
			before:     []any{m{"type": "Synced", "status": "False", "reason": "InvalidConfiguration"}}, stalled: "InvalidConfiguration",
		},
		"refused in another generation": {
			conditions:  []xpv2.Condition{failed("InvalidConfiguration"), ready},
			before:      []any{m{"type": "Synced", "status": "False", "reason": "InvalidConfiguration", "observedGeneration": int64(7)}},
			reconciling: "InvalidConfiguration",
		},
		"without its Secret": {
			conditions: []xpv2.Condition{failed("InvalidConfiguration"), ready}, secretMissing: true,
			before: []any{m{"type": "Synced", "status": "False", "reason": "InvalidConfiguration"}}, reconciling: "InvalidConfiguration",
		},
		"no longer stalled": {
			conditions: []xpv2.Condition{synced, ready},
			before:     []any{m{"type": "Stalled", "status": "True", "reason": "IdentityConflict"}},
		},
		"no longer reconciling": {
			conditions: []xpv2.Condition{synced, ready},
			before:     []any{m{"type": "Reconciling", "status": "True", "reason": "Progressing"}},
		},
		"deleted": {conditions: []xpv2.Condition{failed("StillReferredTo"), xpv2.Deleting()}, deleted: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &unstructured.Unstructured{Object: m{"metadata": m{}}}
			if test.before != nil {
				u.Object["status"] = m{"conditions": test.before}
			}
			if test.deleted {
				u.Object["metadata"] = m{"deletionTimestamp": "2026-01-01T00:00:00Z"}
			}
			r := managed.ResourceOf(u)
			r.SetConditions(test.conditions...)
			managed.SetProgress(r, test.observation, test.requested, test.secretMissing)
			got := map[xpv2.ConditionType]xpv2.ConditionReason{}
			for _, of := range []xpv2.ConditionType{v1alpha1.TypeReconciling, v1alpha1.TypeStalled} {
				if c := r.GetCondition(of); c.Status == "True" {
					got[of] = c.Reason
				}
			}
			want := map[xpv2.ConditionType]xpv2.ConditionReason{}
			if test.reconciling != "" {
				want[v1alpha1.TypeReconciling] = test.reconciling
			}
			if test.stalled != "" {
				want[v1alpha1.TypeStalled] = test.stalled
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if c := r.GetCondition(v1alpha1.TypeReconciling); c.Status == "False" {
				t.Errorf("Reconciling is not removed: %+v", c)
			}
		})
	}
}

// The condition Reconciling says when a failed operation is tried again, unless that is soon.
func TestNextAttempt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, test := range map[string]struct{ at, want time.Time }{
		"unknown": {}, "soon": {at: now.Add(5 * time.Second)},
		"later": {at: now.Add(time.Minute), want: now.Add(time.Minute).Truncate(time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := managed.ResourceOf(&unstructured.Unstructured{Object: m{"metadata": m{}}})
			r.SetConditions(xpv2.ReconcileError(errors.New("no quota")), xpv2.Creating())
			managed.SetRetryAt(r, test.at)
			managed.SetProgress(r, nil, false, false)
			message := r.GetCondition(v1alpha1.TypeReconciling).Message
			if got := crd.NextAttemptIn(message); !got.Equal(test.want) || !strings.HasPrefix(message, "no quota") {
				t.Errorf("the message is %q, want the time %s", message, test.want)
			}
		})
	}
}
