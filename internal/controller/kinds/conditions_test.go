package kinds_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// Ready follows Healthy. Reconciling and Stalled exist only while they are True.
func TestSetConditions(t *testing.T) {
	t.Parallel()
	why := errors.New("Why.")
	tests := map[string]struct {
		problem *kinds.Problem
		want    map[string]string
	}{
		"no problem": {want: map[string]string{"Installed": "True", "Healthy": "True", "Ready": "True"}},
		"may pass": {
			problem: kinds.Unhealthy(v1alpha1.ReasonProviderMissing, why).Retried(),
			want: map[string]string{
				"Installed": "True", "Healthy": "False", "Ready": "False", "Reconciling": "True",
			},
		},
		"will hardly pass": {
			problem: &kinds.Problem{
				Condition: v1alpha1.TypeInstalled, Reason: v1alpha1.ReasonSourceNotAvailable, Err: why,
				Retry: true, Stalls: true,
			}, want: map[string]string{"Installed": "False", "Healthy": "False", "Ready": "False", "Stalled": "True"},
		},
		"in progress": {
			problem: &kinds.Problem{
				Condition: v1alpha1.TypeInstalled, Reason: v1alpha1.ReasonDownloading, Err: why, Progress: true,
			}, want: map[string]string{
				"Installed": "False", "Healthy": "False", "Ready": "False", "Reconciling": "True",
			},
		},
		"does not start": {
			problem: kinds.NotInstalled(v1alpha1.ReasonProviderNotRunning, why),
			want: map[string]string{
				"Installed": "False", "Healthy": "False", "Ready": "False", "Reconciling": "True",
			},
		},
		"a wrong spec": {
			problem: kinds.Unhealthy(v1alpha1.ReasonUnknownResourceType, why),
			want:    map[string]string{"Installed": "True", "Healthy": "False", "Ready": "False", "Stalled": "True"},
		},
		"another object's CRD": {
			problem: kinds.Unhealthy(v1alpha1.ReasonCRDConflict, why).Retried(),
			want:    map[string]string{"Installed": "True", "Healthy": "False", "Ready": "False", "Stalled": "True"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &v1alpha1.TerraformProvider{}
			p.Generation = 3
			rt := &kinds.Runtime{Recorder: event.NewNopRecorder()}
			// Those of an earlier problem do not stay.
			for _, earlier := range []*kinds.Problem{
				kinds.Unhealthy(v1alpha1.ReasonUnknownResourceType, why),
				kinds.Unhealthy(v1alpha1.ReasonActivationFailed, why).Retried(), test.problem,
			} {
				rt.SetConditions(p, &p.Status.ConditionedStatus, &p.Status.Messages, earlier, kinds.Served{Limitation: "Something is not supported."})
			}
			got := map[string]string{}
			for _, c := range p.Status.Conditions {
				got[string(c.Type)] = string(c.Status)
				if c.ObservedGeneration != 3 {
					t.Errorf("%s is of generation %d", c.Type, c.ObservedGeneration)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if ready := p.Status.GetCondition(xpv2.TypeReady); test.problem != nil && ready.Message != "Why." {
				t.Errorf("Ready tells %q", ready.Message)
			}
		})
	}
}

// A condition shows at most 300 characters of a message. The whole of it is beside it, and it
// changes nothing that it is set again.
func TestSetConditionsWithLongMessage(t *testing.T) {
	p := &v1alpha1.TerraformProvider{}
	rt := &kinds.Runtime{Recorder: event.NewNopRecorder()}
	why := errors.New("The provider does not start. " + strings.Repeat("It says much about it. ", 100))
	rt.SetConditions(p, &p.Status.ConditionedStatus, &p.Status.Messages,
		kinds.Unhealthy(v1alpha1.ReasonProviderNotRunning, why), kinds.Served{})
	healthy := p.Status.GetCondition(v1alpha1.TypeHealthy)
	if n := utf8.RuneCountInString(healthy.Message); n > 300 || !strings.HasSuffix(healthy.Message, "status.messages.") {
		t.Errorf("the condition has %d characters: %q", n, healthy.Message)
	}
	if got := p.Status.Messages[string(v1alpha1.TypeHealthy)]; got != why.Error() {
		t.Errorf("the whole message: %q", got)
	}
	before := p.Status.DeepCopy()
	rt.SetConditions(p, &p.Status.ConditionedStatus, &p.Status.Messages,
		kinds.Unhealthy(v1alpha1.ReasonProviderNotRunning, why), kinds.Served{})
	if diff := cmp.Diff(*before, p.Status); diff != "" {
		t.Errorf("-once +again:\n%s", diff)
	}
	rt.SetConditions(p, &p.Status.ConditionedStatus, &p.Status.Messages, nil, kinds.Served{})
	if len(p.Status.Messages) > 0 {
		t.Errorf("left are %v", p.Status.Messages)
	}
}
