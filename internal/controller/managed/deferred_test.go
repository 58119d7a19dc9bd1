package managed_test

import (
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A resource has the condition Deferred from when its provider defers for the first time. Other
// answers end it.
func TestDeferred(t *testing.T) {
	k := kind(t)
	k.Scheduler = forgetful{}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{}})
	refuse := func(reason scheduler.Reason, diags diagnostic.Diagnostics) func() {
		return func() { _ = managed.Explain(k, r, &scheduler.Error{Reason: reason, Diagnostics: diags}) }
	}
	observe := func() {
		managed.SetStatus(k, r, &scheduler.Observation{
			Instance: instance.Instance{State: object(map[string]string{"id": "i-1"}), Status: instance.Full},
			Plan:     &terraform.Plan{Action: terraform.NoOp},
		})
	}
	later := func(why terraform.Deferral) func() {
		return refuse(decision.ReasonDeferred, terraform.DeferredError("test_thing", why))
	}
	for _, step := range []struct {
		name           string
		do             func()
		status, reason string
	}{
		{"observed", observe, "Unknown", ""},
		{"prerequisite", later(terraform.DeferredAbsentPrereq), "True", "AbsentPrereq"},
		{"configuration", later(terraform.DeferredProviderConfigUnknown), "True", "ProviderConfigUnknown"},
		{"arguments", later(terraform.DeferredResourceConfigUnknown), "True", "ResourceConfigUnknown"},
		{"no reason", later(terraform.DeferredUnknown), "True", "NoReasonGiven"},
		{"observed again", observe, "False", "NotDeferred"},
		{"deferred again", later(terraform.DeferredAbsentPrereq), "True", "AbsentPrereq"},
		{"another error", refuse(decision.ReasonReadFailed, diagnostic.Errorf("No", "It cannot be read.")), "False", "NotDeferred"},
	} {
		step.do()
		c := r.GetCondition(v1alpha1.TypeDeferred)
		if string(c.Status) != step.status || string(c.Reason) != step.reason || (c.Status == "True") != (c.Message != "") {
			t.Errorf("%s: %+v", step.name, xpv2.Condition(c))
		}
	}
}
