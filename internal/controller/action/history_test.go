package action_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// TestRecorded checks that each attempt that has ended is told once, as what the status tells, and
// without secrets.
func TestRecorded(t *testing.T) {
	t.Parallel()
	failing := diagnostic.Errorf("Backup failed", "The disk of %s is full.", planted)
	retried := map[string]any{"retryPolicy": "OnFailure", "maxAttempts": int64(2)}
	for name, test := range map[string]struct {
		spec map[string]any
		do   func(*fixture)
		want []string
	}{
		"succeeds": {
			nil, func(f *fixture) { f.reconcile(); f.settled(); f.reconcile() }, []string{
				"Invoke Succeeded 1/1 (the object was created)",
			},
		},
		"is not asked": {nil, func(f *fixture) { f.cloud.outcome = terraform.ActionNotInvoked; f.reconcile(); f.settled() }, nil},
		"runs":         {nil, func(f *fixture) { f.hangs() }, nil},
		"is repeated": {retried, func(f *fixture) {
			f.cloud.outcome, f.cloud.ends = terraform.ActionFailed, failing
			f.reconcile()
			f.settled()
			f.cloud.outcome, f.cloud.ends = terraform.ActionSucceeded, nil
			f.clock.SetTime(f.clock.Now().Add(time.Minute))
			f.reconcile()
			f.settled()
		}, []string{"Invoke Failed 1/1 (the object was created)", "Invoke Succeeded 1/2 (spec.retryPolicy, attempt 2)"}},
		"is interrupted": {nil, func(f *fixture) {
			f.hangs()
			f.restart()
			f.reconcile()
			f.reconcile()
		}, []string{"Invoke Unknown 1/1 (the object was created)"}},
		"is interrupted, and deleted": {nil, func(f *fixture) {
			f.hangs()
			f.restart()
			f.remove()
			f.reconcile()
		}, []string{"Invoke Unknown 1/1 (the object was created)"}},
		"is approved": {map[string]any{"approvalPolicy": "Always"}, func(f *fixture) {
			f.reconcile()
			hash := f.text("status", "plan", "hash")
			f.change(func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{v1alpha1.AnnotationApprove: hash, v1alpha1.AnnotationApprovedBy: "jane"})
			})
			f.reconcile()
			f.settled()
		}, []string{"Invoke Succeeded 1/1 (the object was created), by jane"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := map[string]any{}
			for k, v := range test.spec {
				spec[k] = v
			}
			f := newFixture(t, spec)
			var told []history.Entry
			f.kind.Recorded = func(k store.Key, e history.Entry) {
				if k.Name != "x" || k.Namespace != "team" {
					t.Errorf("it is told of %v", k)
				}
				told = append(told, e)
			}
			test.do(f)
			var got []string
			for _, e := range told {
				line := string(e.Action) + " " + string(e.Outcome) + " " + e.Operation + " (" + e.Because + ")"
				if e.By != "" {
					line += ", by " + e.By
				}
				got = append(got, line)
				if raw, err := json.Marshal(e); err != nil || strings.Contains(string(raw), planted) {
					t.Errorf("a secret is in %s (%v)", raw, err)
				}
				if len(e.Changes) == 0 || e.Outcome == history.Failed && e.Message == "" {
					t.Errorf("there is something missing in %v", e)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			if !f.exists() {
				return
			}
			// Whoever reads the status is told the same.
			now, ok := action.EntryOf(f.object())
			if n := len(told); n > 0 {
				if diff := cmp.Diff(told[n-1], now); diff != "" {
					t.Errorf("of the status (-told +got):\n%s", diff)
				}
			} else if ok && now.Outcome != history.Running {
				t.Errorf("of the status: %v", now)
			}
		})
	}
}
