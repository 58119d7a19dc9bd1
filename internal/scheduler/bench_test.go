package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// still is a provider in whose world nothing changes.
type still struct{ terraform.Executor }

func (still) Refresh(_ context.Context, _ terraform.ResourceType, in instance.Instance) (terraform.Refreshed, diagnostic.Diagnostics) {
	return terraform.Refreshed{Instance: in, Unchanged: true}, nil
}

func (still) Import(
	_ context.Context, _ terraform.ResourceType, target terraform.ImportTarget,
) (instance.Instance, diagnostic.Diagnostics) {
	name := target.Identity.GetAttr("path").AsString()
	return instance.Instance{State: thing(cty.StringVal(name), name, 1), Identity: target.Identity, Status: instance.Full}, nil
}

func (still) ListStates(
	_ context.Context, _ terraform.ResourceType, _ map[string]cty.Value, limit int,
	each func(identity, state cty.Value),
) (bool, diagnostic.Diagnostics) {
	for i := range min(limit, benchListed) {
		name := cty.StringVal(fmt.Sprint("/things/", i))
		each(cty.ObjectVal(map[string]cty.Value{"path": name}), thing(name, name.AsString(), 1))
	}
	return limit <= benchListed, nil
}

// benchListed is the number of objects of a list in benchmarks.
const benchListed = 1000

func (still) Plan(
	_ context.Context, r terraform.ResourceType, in instance.Instance, _ terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	return terraform.Plan{Resource: r, Prior: in, Action: terraform.NoOp, State: in.State, Identity: in.Identity}, nil
}

// stillRequest is the request of a resource whose object is unchanged.
func stillRequest(name string) scheduler.Request {
	r := scheduler.Request{
		Resource: scheduler.Resource{UID: types.UID(name), Generation: 1, Type: plannedIdentity.resource()},
		Access: scheduler.Access{
			ProviderConfiguration: "default",
			Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return still{}, func() {}, nil
			},
		},
		Desired: scheduler.Desired{
			Import:     desired.Import{Target: &terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"path": cty.StringVal(name)})}},
			Policies:   desired.Policies{Manage: true, Delete: true, ReplaceTainted: true},
			Config:     config(name, 1),
			ConfigHash: "1",
		},
	}
	r.Key.Name = name
	return r
}

// A look at an unchanged resource allocates nothing.
func TestObserveAllocatesNothing(t *testing.T) {
	s := scheduler.New(scheduler.Options{Store: newMemory(&events{}), Logger: logr.Discard()})
	r := stillRequest("/things/0")
	allocations := testing.AllocsPerRun(10, func() {
		if _, err := s.Observe(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("a look makes %v allocations", allocations)
	}
}

// BenchmarkObserve is a look at an unchanged resource among others that own their objects too:
// it takes as long among ten thousand as among ten, less what the processor's cache is worth.
func BenchmarkObserve(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := scheduler.New(scheduler.Options{Store: newMemory(&events{}), Logger: logr.Discard()})
			all := make([]scheduler.Request, n)
			for i := range all {
				r := stillRequest(fmt.Sprint("/things/", i))
				all[i] = r
				if _, err := s.Observe(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if o, err := s.Observe(b.Context(), all[i%n]); err != nil || !o.UpToDate() {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkObserveByList is a look at one of many unchanged resources by a list, with its share of
// the list.
func BenchmarkObserveByList(b *testing.B) {
	clock := clocktesting.NewFakeClock(time.Now())
	s := scheduler.New(scheduler.Options{Store: newMemory(&events{}), Logger: logr.Discard(), Clock: clock})
	resource := plannedIdentity.resource()
	all := make([]scheduler.Request, benchListed)
	for i := range all {
		name := fmt.Sprint("/things/", i)
		r := scheduler.Request{
			Resource: scheduler.Resource{UID: types.UID(name), Generation: 1, Type: resource},
			Access: scheduler.Access{
				ProviderConfiguration: "default",
				Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return still{}, func() {}, nil
				},
			},
			Desired: scheduler.Desired{
				Import:     desired.Import{Target: &terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"path": cty.StringVal(name)})}},
				Policies:   desired.Policies{Manage: true, Delete: true, ReplaceTainted: true},
				Config:     config(name, 1),
				ConfigHash: "1",
				ListRefresh: &scheduler.ListRefresh{
					Arguments: func(cty.Value) (map[string]cty.Value, string) { return nil, "" }, ReadEvery: 100, Interval: time.Minute,
				},
			},
		}
		r.Key.Name = name
		all[i] = r
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%benchListed == 0 {
			clock.Step(time.Minute)
		}
		if o, err := s.Observe(b.Context(), all[i%benchListed]); err != nil || !o.UpToDate() {
			b.Fatal(err)
		}
	}
}
