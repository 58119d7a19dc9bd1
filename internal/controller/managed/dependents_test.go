package managed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	apis "github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// What a resource says about its dependents comes before what its provider says for all.
func TestReplacesDependents(t *testing.T) {
	for name, tc := range map[string]struct {
		policy    string
		byDefault bool
		want      bool
	}{
		"nothing is said":                       {want: false},
		"the resource allows it":                {policy: "Automatic", want: true},
		"the provider allows it":                {byDefault: true, want: true},
		"the resource refuses, and comes first": {policy: "Ask", byDefault: true, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"lifecycle": map[string]any{}}}}
			if tc.policy != "" {
				u.Object["spec"] = map[string]any{"lifecycle": map[string]any{"replaceDependents": tc.policy}}
			}
			kind := &managed.Kind{ReplacesDependents: func() bool { return tc.byDefault }}
			if got := kind.ReplacesDependentsOf(u); got != tc.want {
				t.Errorf("got %t", got)
			}
			if got := (&managed.Kind{}).ReplacesDependentsOf(u); got != (tc.policy == "Automatic") {
				t.Errorf("without a default: got %t", got)
			}
		})
	}
}

// A replacement goes on when all dependents are ready for it. Otherwise it waits, or is planned
// again, so that they go on.
func TestStepsOfDependents(t *testing.T) {
	t.Parallel()
	one := []apis.ReplacedDependent{{UID: "1"}}
	stored := func(phase string, dependents ...apis.ReplacedDependent) apis.Replacement {
		return apis.Replacement{ID: "is", Phase: phase, Dependents: dependents}
	}
	again := func(dependents ...apis.ReplacedDependent) *apis.Replacement {
		return &apis.Replacement{ID: "new", Phase: "Planned", Dependents: dependents}
	}
	to := func(phase string, dependents ...apis.ReplacedDependent) *apis.Replacement {
		out := stored(phase, dependents...)
		return &out
	}
	for name, test := range map[string]struct {
		stored  apis.Replacement
		answers managed.Answers
		step    scheduler.ReplacementStep
		action  terraform.Action
		part    bool
		want    *apis.Replacement
		begins  bool
	}{
		"all are ready for its plan": {stored: stored("Planned"), step: scheduler.PlanReplacement, begins: true},
		"all are ready for it":       {stored: stored("Planned"), want: to("Started")},
		"all wait":                   {stored: stored("Started"), begins: true},
		"one has not answered":       {stored: stored("Started"), answers: managed.Answers{Waiting: []string{"x"}}},
		"one refuses before it began": {
			stored: stored("Planned"), answers: managed.Answers{Refused: []string{"x"}}, want: to("Planned"),
		},
		"one refuses while they wait": {stored: stored("Started"), answers: managed.Answers{Refused: []string{"x"}}, want: again()},
		"one refuses, of a part":      {stored: stored("Started"), answers: managed.Answers{Refused: []string{"x"}}, part: true},
		"another one is replaced": {
			stored: stored("Planned"), answers: managed.Answers{Replaced: one}, want: to("Planned", one...),
		},
		"another one is replaced, and they wait": {stored: stored("Started"), answers: managed.Answers{Replaced: one}, want: again(one...)},
		"one is destroyed before": {
			stored: stored("Started", one...), answers: managed.Answers{Replaced: one},
			want: to("DestroyingDependents", one...),
		},
		"one is not destroyed before": {
			stored: stored("Started", one...), answers: managed.Answers{Replaced: one},
			action: terraform.CreateThenDelete, begins: true,
		},
		"one was destroyed before": {
			stored: stored("DestroyingDependents", one...), answers: managed.Answers{Replaced: one}, begins: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id, step, action := "is", test.step, test.action
			if test.part {
				id = "for is"
			}
			if step == "" {
				step = scheduler.Replace
			}
			if action == "" {
				action = terraform.DeleteThenCreate
			}
			got, err := managed.Decide(id, step, action, test.stored, test.answers)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if (err == nil) != test.begins {
				t.Errorf("error %v, want it to begin: %t", err, test.begins)
			}
		})
	}
}
