package managed_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// forgetful is a scheduler that remembers nothing.
type forgetful struct{ scheduler.Interface }

func (forgetful) Remembered(scheduler.Request) (scheduler.Remembered, bool) {
	return scheduler.Remembered{}, false
}

// sentence reports whether a message is made of sentences, and has at most 300 characters.
func sentence(message string) bool {
	first, last := rune(message[0]), message[len(message)-1]
	return unicode.IsUpper(first) && last == '.' && utf8.RuneCountInString(message) <= 300
}

// A resource has the condition Identifiable from when its object contradicts the configuration for
// the first time.
func TestIdentifiable(t *testing.T) {
	k := kind(t)
	k.Scheduler = forgetful{}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{}})
	in := instance.Instance{State: object(map[string]string{"id": "i-1"}), Status: instance.Full}
	for _, step := range []struct{ contradiction, status, reason, message string }{
		{"", "Unknown", "", ""},
		{
			"It differs.", "False", "ConfigurationContradicted",
			"Correct the identity or the import id in the provider's configuration: objects of this kind are not " +
				"looked for by it any more, since this object contradicts it. It differs.",
		},
		{"", "True", "ConfigurationConfirmed", ""},
	} {
		managed.SetStatus(k, r, &scheduler.Observation{
			Instance: in, Plan: &terraform.Plan{Action: terraform.NoOp}, Contradiction: step.contradiction,
		})
		if c := r.GetCondition(v1alpha1.TypeIdentifiable); string(c.Status) != step.status ||
			string(c.Reason) != step.reason || c.Message != step.message {
			t.Errorf("the condition: %+v", c)
		}
	}
}

// The status has the external name of an object that exists. A status that an earlier release has
// written gets it when something else changes, so that an upgrade does not write all of them.
func TestStatusExternalName(t *testing.T) {
	k := kind(t)
	k.Scheduler = forgetful{}
	exists := &scheduler.Observation{
		Instance: instance.Instance{State: object(map[string]string{"id": "i-1"}), Status: instance.Full},
		Plan:     &terraform.Plan{Action: terraform.NoOp},
	}
	status := func(o *scheduler.Observation) m {
		r := managed.ResourceOf(&unstructured.Unstructured{Object: m{}})
		managed.SetStatus(k, r, o)
		out, _ := r.Object["status"].(m)
		return out
	}
	if diff := cmp.Diff([]any{"i-1", nil}, []any{
		status(exists)["externalName"], status(&scheduler.Observation{})["externalName"],
	}); diff != "" {
		t.Errorf("the external name of an object that exists, and of none (-want +got):\n%s", diff)
	}
	for name, tc := range map[string]struct {
		before, after m
		same          bool
	}{
		"nothing changes":                 {before: m{"state": "Full"}, after: m{"state": "Full"}, same: true},
		"only the external name is added": {before: m{"state": "Full"}, after: m{"state": "Full", "externalName": "i-1"}, same: true},
		"something else changes, too":     {before: m{"state": "Tainted"}, after: m{"state": "Full", "externalName": "i-1"}},
		"another external name":           {before: m{"state": "Full", "externalName": "i-1"}, after: m{"state": "Full", "externalName": "i-2"}},
		"no external name any more":       {before: m{"state": "Full", "externalName": "i-1"}, after: m{"state": "Full"}},
		"the first status":                {after: m{"externalName": "i-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := &unstructured.Unstructured{Object: m{"status": tc.before}}, &unstructured.Unstructured{Object: m{"status": tc.after}}
			if got := managed.SameStatus(before, after); got != tc.same {
				t.Errorf("the same: %t, want %t", got, tc.same)
			}
		})
	}
}

// A resource has the conditions Stalled and Flapping from when they are true for the first time.
func TestStandingConditions(t *testing.T) {
	k := kind(t)
	k.Scheduler = forgetful{}
	abroad := &scheduler.Flap{Paths: []cty.Path{cty.GetAttrPath("id")}, Other: store.Key{Kind: "Thing", Namespace: "elsewhere", Name: "b"}}
	object := instance.Instance{State: object(map[string]string{"id": "i-1"}), Status: instance.Full}
	tainted := object
	tainted.Status = instance.Tainted
	noOp := &terraform.Plan{Action: terraform.NoOp}
	by := &scheduler.Flap{Paths: []cty.Path{cty.GetAttrPath("id")}, Other: store.Key{Kind: "Thing", Namespace: "team", Name: "b"}}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "team"}}})
	type told struct{ Status, Reason, Message string }
	of := func(name xpv2.ConditionType) told {
		c := r.GetCondition(name)
		return told{string(c.Status), string(c.Reason), c.Message}
	}
	none, healthy := told{Status: "Unknown"}, told{Status: "True", Reason: "Available"}
	for _, step := range []struct {
		o                        *scheduler.Observation
		ready, stalled, flapping told
	}{
		{&scheduler.Observation{Instance: object, Plan: noOp}, healthy, none, none},
		{
			&scheduler.Observation{Instance: tainted, Plan: &terraform.Plan{Action: terraform.Update}, Stalled: true},
			told{
				"False", "Tainted",
				"Change the configuration, or request a retry: the remote object is tainted, because its creation " +
					"failed, and is not replaced again before.",
			},
			told{
				"True", "CreateAttemptsExhausted",
				"Change the configuration, or request a retry: creates of it failed too often after they had " +
					"made an object.",
			}, none,
		},
		{&scheduler.Observation{Instance: object, Plan: noOp}, healthy, told{Status: "False", Reason: "Progressing"}, none},
		{
			&scheduler.Observation{Instance: tainted, Plan: &terraform.Plan{Action: terraform.Update}, Held: true, Stalled: true},
			told{"False", "Tainted", "Change the spec, or request a retry: the remote object is tainted, and is not replaced before."},
			told{"True", "Interrupted", "Change the spec, or request a retry: the last operation was interrupted by request."}, none,
		},
		{
			&scheduler.Observation{Instance: object, Plan: noOp, Flap: by}, healthy, told{Status: "False", Reason: "Progressing"},
			told{
				"True", "ChangedBack",
				"Let both declare the same, or delete one of them: Thing team/b changes these fields back " +
					"again and again: id.",
			},
		},
		{
			&scheduler.Observation{Instance: object, Plan: noOp, Flap: &scheduler.Flap{Paths: by.Paths}}, healthy,
			told{Status: "False", Reason: "Progressing"},
			told{"True", "ChangedBack", "Let only one resource or program set these fields, which something else changes back again and again: id."},
		},
		{
			&scheduler.Observation{Instance: object, Plan: noOp, Flap: abroad}, healthy, told{Status: "False", Reason: "Progressing"},
			told{"True", "ChangedBack", "Let only one resource or program set these fields, which something else changes back again and again: id."},
		},
		{
			&scheduler.Observation{Instance: object, Plan: noOp}, healthy,
			told{Status: "False", Reason: "Progressing"}, told{Status: "False", Reason: "Steady"},
		},
	} {
		managed.SetStatus(k, r, step.o)
		managed.SetProgress(r, step.o, false, false)
		for _, of := range []xpv2.ConditionType{xpv2.TypeReady, v1alpha1.TypeStalled, v1alpha1.TypeReconciling, v1alpha1.TypeFlapping} {
			if message := r.GetCondition(of).Message; message != "" && !sentence(message) {
				t.Errorf("%s: %q is not one or two sentences of at most 300 characters", of, message)
			}
		}
		want := []told{step.ready, step.stalled, step.flapping}
		if diff := cmp.Diff(want, []told{of(xpv2.TypeReady), of(v1alpha1.TypeStalled), of(v1alpha1.TypeFlapping)}); diff != "" {
			t.Errorf("conditions (-want +got):\n%s", diff)
		}
	}
}

// A field that does not follow its reference has a warning as long as that is so, also if nothing
// else has changed.
func TestReferenceNotFollowed(t *testing.T) {
	k := kind(t)
	k.Scheduler, k.Options.Recorder = forgetful{}, event.NewNopRecorder()
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{}})
	o := &scheduler.Observation{
		Instance: instance.Instance{State: object(map[string]string{"id": "i-1"}), Status: instance.Full},
		Plan:     &terraform.Plan{Action: terraform.NoOp},
	}
	warnings := func() []string {
		out, _, _ := unstructured.NestedStringSlice(r.Object, "status", "warnings")
		return out
	}
	for _, step := range [][]string{nil, {"The name is another one."}, {"The name is another one."}, {"The size is.", "The name is."}, nil} {
		if changes := managed.Differs(r, step...); changes != (len(step) != len(warnings())) {
			t.Errorf("%q after %q: %t", step, warnings(), changes)
		}
		managed.SetStatus(k, r, o)
		var want []string
		for _, text := range step {
			want = append(want, "Reference not followed: "+text)
		}
		if diff := cmp.Diff(want, warnings()); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
	}
}
