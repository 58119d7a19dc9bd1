package trigger_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

type m = map[string]any

const backups = "backups.action.cloud.landbridge.io"

// of returns the triggers of a resource.
func of(t *testing.T, actions ...any) []trigger.Trigger {
	t.Helper()
	all, err := trigger.Of(&unstructured.Unstructured{Object: m{"spec": m{"actions": actions}}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// everything has an element of spec.actions for each event.
func everything() (out []any) {
	for _, e := range crd.TriggerEvents {
		out = append(out, m{"name": strings.ToLower(e), "action": backups, "events": []any{e}})
	}
	return out
}

func TestBegin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change trigger.Change
		before *trigger.Round
		want   []string
		taints int64
	}{
		"create":  {change: trigger.Create, want: []string{"BeforeCreate", "AfterCreate"}},
		"update":  {change: trigger.Update, want: []string{"BeforeUpdate", "AfterUpdate"}},
		"destroy": {change: trigger.Destroy, want: []string{"BeforeDestroy", "AfterDestroy"}},
		"replace": {change: trigger.Replace, want: []string{"BeforeDestroy", "BeforeCreate", "AfterDestroy", "AfterCreate"}},
		"replace after a taint": {
			change: trigger.Replace, before: &trigger.Round{Tainted: true, Taints: 1, Generation: 3},
			want: []string{"BeforeDestroy", "BeforeCreate", "AfterDestroy", "AfterCreate"}, taints: 2,
		},
		"replace after a taint of another generation": {
			change: trigger.Replace, before: &trigger.Round{Tainted: true, Taints: 1, Generation: 2},
			want: []string{"BeforeDestroy", "BeforeCreate", "AfterDestroy", "AfterCreate"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource := trigger.Resource{UID: "1", Name: strings.Repeat("long-name.", 20), Generation: 3}
			round, err := trigger.Begin(t.Context(), of(t, everything()...), test.change, resource, "round", test.before)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			names := map[string]bool{}
			for _, x := range round.Invocations {
				got = append(got, string(x.Event))
				names[x.Name] = true
				if len(x.Name) > 63 {
					t.Errorf("the name %s has %d characters", x.Name, len(x.Name))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if len(names) != len(got) || round.Taints != test.taints {
				t.Errorf("names %v, %d taints", names, round.Taints)
			}
			again := trigger.RoundOf(&unstructured.Unstructured{Object: m{"status": m{"actions": round.Status()}}})
			if diff := cmp.Diff(round, again); diff != "" {
				t.Errorf("from the status (-want +got):\n%s", diff)
			}
		})
	}
	if round, err := trigger.Begin(t.Context(), of(t, everything()[0]), trigger.Update, trigger.Resource{}, "round",
		nil); err != nil || round != nil {
		t.Errorf("a change without actions: %v, %v", round, err)
	}
}

func TestStageIn(t *testing.T) {
	t.Parallel()
	began, ended := trigger.Progress{Began: true}, trigger.Progress{Began: true, Ended: true}
	for name, test := range map[string]struct {
		in   trigger.Situation
		want trigger.Stage
	}{
		"nothing was begun":                            {want: trigger.Before},
		"nothing was begun, and nothing is to be done": {in: trigger.Situation{Settled: true}, want: trigger.Complete},
		"an operation has failed":                      {in: trigger.Situation{Progress: began}, want: trigger.Before},
		"its outcome was found":                        {in: trigger.Situation{Progress: began, Settled: true}, want: trigger.After},
		"it has succeeded":                             {in: trigger.Situation{Progress: ended}, want: trigger.After},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (&trigger.Round{Stage: trigger.Before}).StageIn(test.in); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestContinues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		round    *trigger.Round
		change   trigger.Change
		progress trigger.Progress
		want     bool
	}{
		"no round": {change: trigger.Create},
		"the same change": {
			round: &trigger.Round{Change: trigger.Update, Stage: trigger.Before}, change: trigger.Update,
			progress: trigger.Progress{Began: true}, want: true,
		},
		"the same change, after it succeeded": {
			round: &trigger.Round{Change: trigger.Update, Stage: trigger.Before}, change: trigger.Update,
			progress: trigger.Progress{Began: true, Ended: true},
		},
		"another change": {round: &trigger.Round{Change: trigger.Update, Stage: trigger.Before}, change: trigger.Replace},
		"the create of a replacement": {
			round: &trigger.Round{Change: trigger.Replace, Stage: trigger.Before}, change: trigger.Create,
			progress: trigger.Progress{Began: true}, want: true,
		},
		"a create instead of a replacement": {round: &trigger.Round{Change: trigger.Replace, Stage: trigger.Before}, change: trigger.Create},
		"a complete one":                    {round: &trigger.Round{Change: trigger.Update, Stage: trigger.Complete}, change: trigger.Update},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.round.Continues(test.change, test.progress); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	triggers := of(t, m{"name": "a", "action": backups, "events": []any{"BeforeCreate"}, "onFailure": "Continue"},
		m{"name": "b", "action": backups, "events": []any{"BeforeCreate", "AfterCreate"}})
	for name, test := range map[string]struct {
		a, b, after invocation.Phase
		stage       trigger.Stage
		want        int
	}{
		"the first":                       {stage: trigger.Before, want: 0},
		"the second, after a success":     {stage: trigger.Before, a: invocation.Succeeded, want: 1},
		"the second, despite a failure":   {stage: trigger.Before, a: invocation.Unknown, want: 1},
		"it has failed":                   {stage: trigger.Before, a: invocation.Succeeded, b: invocation.Failed, want: 1},
		"none is left before":             {stage: trigger.Before, a: invocation.Succeeded, b: trigger.Skipped, want: -1},
		"after":                           {stage: trigger.After, want: 2},
		"after, none is left":             {stage: trigger.After, after: invocation.Succeeded, want: -1},
		"after, its outcome is not known": {stage: trigger.After, after: invocation.Unknown, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			round := trigger.Round{Invocations: []trigger.Invocation{
				{Trigger: "a", Event: trigger.BeforeCreate, Phase: test.a}, {Trigger: "b", Event: trigger.BeforeCreate, Phase: test.b},
				{Trigger: "b", Event: trigger.AfterCreate, Phase: test.after},
			}}
			if got := round.Next(test.stage, triggers); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// Those that may still be approved are deleted, and those that run are not.
func TestLeftover(t *testing.T) {
	t.Parallel()
	round := &trigger.Round{}
	for _, p := range []invocation.Phase{
		"", invocation.Pending, invocation.AwaitingApproval, invocation.Running, invocation.Succeeded,
		invocation.Failed, invocation.Unknown, trigger.Skipped,
	} {
		round.Invocations = append(round.Invocations, trigger.Invocation{Name: "of " + string(p), Event: trigger.AfterUpdate, Phase: p})
	}
	round.Invocations = append(round.Invocations, trigger.Invocation{
		Name: "of a destruction", Event: trigger.AfterDestroy, Phase: invocation.Succeeded,
	})
	var got []string
	for _, x := range round.Leftover() {
		got = append(got, x.Name)
	}
	if diff := cmp.Diff([]string{"of Pending", "of AwaitingApproval", "of Succeeded", "of Failed", "of Unknown"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestForeseen(t *testing.T) {
	t.Parallel()
	u := &unstructured.Unstructured{Object: m{"spec": m{"actions": []any{
		m{"name": "a", "action": backups, "events": []any{"AfterCreate", "BeforeDestroy"}},
		m{"name": "b", "action": backups, "events": []any{"BeforeDestroy"}, "condition": "old.size > 1"},
	}}}}
	for change, want := range map[trigger.Change][]string{
		trigger.Update: nil,
		trigger.Create: {backups + " (a): AfterCreate"},
		trigger.Replace: {
			backups + " (a): BeforeDestroy, AfterCreate",
			backups + " (b): BeforeDestroy, if old.size > 1",
		},
	} {
		if diff := cmp.Diff(want, trigger.Foreseen(u, change)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", change, diff)
		}
	}
}
