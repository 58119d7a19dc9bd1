package managed_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A resource has the condition Drifted from when it drifts for the first time, and its history
// afterwards.
func TestDriftStatus(t *testing.T) {
	k := kind(t)
	k.Scheduler = forgetful{}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "team", "name": "a"}}})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	value := func(s string) json.RawMessage { return json.RawMessage(`{"value":"` + s + `","type":"string"}`) }
	drift := instance.Drift{
		Found: at, Changes: []instance.DriftChange{{
			Path: instance.Path(cty.GetAttrPath("id")), Before: value("a"), After: value("b"),
		}},
	}
	in := instance.Instance{State: object(map[string]string{"id": "b"}), Status: instance.Full}
	repaired := in.AfterDrift(drift, instance.Repaired, at.Add(time.Hour))
	noOp := &terraform.Plan{Action: terraform.NoOp}
	for _, step := range []struct {
		o                   *scheduler.Observation
		status, reason, has string
		drift               any
	}{
		{&scheduler.Observation{Instance: in, Plan: noOp}, "Unknown", "", "", nil},
		{
			&scheduler.Observation{Instance: in, Plan: noOp, Drift: &drift}, "True", "DriftFound", "Changed outside of this resource: id.",
			map[string]any{"found": "2026-01-02T03:04:05Z", "changes": []any{map[string]any{"path": "id", "before": "a", "after": "b"}}},
		},
		{
			&scheduler.Observation{Instance: repaired, Plan: noOp}, "False", "NoDrift", "",
			map[string]any{"history": []any{map[string]any{
				"found": "2026-01-02T03:04:05Z", "until": "2026-01-02T04:04:05Z", "outcome": "Repaired",
				"changes": []any{map[string]any{"path": "id", "before": "a", "after": "b"}},
			}}},
		},
		{
			&scheduler.Observation{
				Instance: instance.Instance{}, Plan: noOp, Drift: &instance.Drift{Found: at, Gone: true},
			}, "True", "DriftFound", "destroyed outside", map[string]any{"found": "2026-01-02T03:04:05Z", "gone": true},
		},
	} {
		managed.SetStatus(k, r, step.o)
		if c := r.GetCondition(v1alpha1.TypeDrifted); string(c.Status) != step.status ||
			string(c.Reason) != step.reason || !strings.Contains(c.Message, step.has) || len(c.Message) > 300 {
			t.Errorf("the condition: %+v", c)
		}
		got, _, _ := unstructured.NestedFieldNoCopy(r.Object, "status", "drift")
		if diff := cmp.Diff(step.drift, got); diff != "" {
			t.Errorf("status.drift (-want +got):\n%s", diff)
		}
	}
}

// Warnings are in the status, and each has one event.
func TestWarnings(t *testing.T) {
	k, events := kind(t), &recorded{}
	k.Scheduler, k.Options.Recorder = forgetful{}, events
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{}})
	in := instance.Instance{State: object(map[string]string{"id": "i-1"}), Status: instance.Full}
	old, other := diagnostic.Warningf("Old", "It is old."), diagnostic.Warningf("Deprecated", "So is that.")
	for _, step := range []struct {
		warnings diagnostic.Diagnostics
		running  bool
		status   []string
		events   []string
	}{
		{nil, false, nil, nil},
		{old, false, []string{"Old: It is old."}, []string{"Warning Old: It is old."}},
		{
			append(append(old, other...), old...), false, []string{"Old: It is old.", "Deprecated: So is that."},
			[]string{"Warning Deprecated: So is that."},
		},
		{nil, true, []string{"Old: It is old.", "Deprecated: So is that."}, nil},
		{other, false, []string{"Deprecated: So is that."}, nil},
		{nil, false, nil, nil},
	} {
		o := &scheduler.Observation{Instance: in, Plan: &terraform.Plan{Action: terraform.NoOp}, Warnings: step.warnings}
		if step.running {
			o.Plan, o.Operation = nil, &instance.Operation{Kind: instance.Update}
		}
		managed.SetStatus(k, r, o)
		got, _, _ := unstructured.NestedStringSlice(r.Object, "status", "warnings")
		if diff := cmp.Diff([][]string{step.status, step.events}, [][]string{got, events.events}); diff != "" {
			t.Errorf("status and events (-want +got):\n%s", diff)
		}
		events.events = nil
	}
}
