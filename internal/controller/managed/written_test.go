package managed_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// resting is a scheduler with one resource, which rests if it is permitted to.
type resting struct {
	scheduler.Interface
	whole *scheduler.Observation
	rests bool
	err   error
	calls []string
}

func (s *resting) Observe(_ context.Context, r scheduler.Request) (*scheduler.Observation, error) {
	switch {
	case s.err != nil:
		s.rests = false
		return nil, s.err
	case r.Resting && s.rests:
		s.calls = append(s.calls, "looked at")
		return scheduler.Rested, nil
	case s.rests:
		s.calls = append(s.calls, "woken")
		other := *s.whole
		s.whole, s.rests = &other, false
	default:
		s.calls = append(s.calls, "observed")
	}
	return s.whole, nil
}

func (s *resting) Rest(scheduler.Request) bool { s.rests = true; return true }

func (s *resting) Recall(k store.Key, uid types.UID) instance.Instance {
	if k.Name != "x" || uid != "1" {
		return instance.Instance{}
	}
	return s.whole.Instance
}

func (s *resting) Remembered(scheduler.Request) (scheduler.Remembered, bool) {
	return scheduler.Remembered{Status: instance.Full}, true
}

func (*resting) Running() int { return 0 }

func (*resting) Mark(scheduler.Request) (scheduler.Mark, bool) { return scheduler.Mark{1}, true }

// A resource with nothing to do rests until it is reconciled for another reason. Messages about it are redacted all the time.
func TestRestingResource(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"test_thing": {Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "password": {Type: cty.String, Computed: true, Sensitive: true},
		}}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	k := &managed.Kind{Model: p.Resources["test_thing"]}
	s := &resting{whole: &scheduler.Observation{
		Instance: instance.Instance{Status: instance.Full, State: object(map[string]string{"id": "x", "password": "hunter2"})}, Plan: &terraform.Plan{Action: terraform.NoOp},
	}}
	reconciles := 0
	looksBy(k, s, &reconciles)
	u := resourceOf(k)
	c := fake.NewClientBuilder().WithStatusSubresource(u).WithObjects(u).Build()
	r := managed.NewReconciler(k, c, c)
	k.Queue = noQueue{}
	after := func(what string, want ...string) {
		t.Helper()
		s.calls = nil
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}}); err != nil && s.err == nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	after("the first reconcile", "observed")
	after("at rest", "looked at")
	after("at rest", "looked at")
	u.SetLabels(map[string]string{"a": "b"})
	if err := c.Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	after("a change", "woken")
	reconciles = 0
	after("at rest", "looked at")
	if reconciles != 0 {
		t.Error("a resource at rest was reconciled")
	}
	s.err = &scheduler.Error{Reason: scheduler.ReasonReadFailed, Diagnostics: diagnostic.Errorf("No", "The password hunter2 is refused.")}
	after("a look that fails")
	status, err := json.Marshal(u.Object["status"])
	if err != nil || !strings.Contains(string(status), "is refused") || strings.Contains(string(status), "hunter2") {
		t.Errorf("status %s, %v", status, err)
	}
}
