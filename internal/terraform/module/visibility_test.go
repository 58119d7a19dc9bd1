package module_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// late is a provider whose objects are not found while they are hidden: neither reads nor deletes
// find them.
type late struct {
	provider.Server
	hidden  atomic.Bool
	deletes atomic.Int32
}

func (s *late) ApplyResourceChange(ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if nameOf(q) == "" && s.hidden.Load() {
		s.deletes.Add(1)
		return &tfprotov6.ApplyResourceChangeResponse{NewState: q.PlannedState}, nil
	}
	return s.Server.ApplyResourceChange(ctx, q)
}

func (s *late) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.Server.ReadResource(ctx, q)
	if err == nil && s.hidden.Load() {
		answer.NewState = &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	}
	return answer, err
}

// lateEstate has one object, which is hidden.
func lateEstate(t *testing.T, grace time.Duration) (*estate, *late, *module.Executor, instance.Instance) {
	t.Helper()
	e := newEstate(t, commandline.Options{})
	server := &late{Server: e.server}
	x := e.executor(server).WithCreationGracePeriod(grace)
	out, diags := x.Apply(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	server.hidden.Store(true)
	return e, server, x, out
}

// An object that its API does not show yet is not created again, also after it was read or changed.
func TestObjectNotVisibleYet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		grace time.Duration
		// seen is set if a read has found the object, and updated if it was updated, before it was
		// hidden.
		seen, updated bool
		// again is set if it is created again, which the cloud refuses because of its name.
		again bool
	}{
		"within the period":            {grace: time.Hour},
		"another read has found it":    {grace: time.Hour, seen: true},
		"it was updated":               {grace: time.Hour, updated: true},
		"after the period":             {grace: time.Nanosecond, again: true},
		"there is no period":           {grace: -1, again: true},
		"an instance of a former time": {again: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, server, x, in := lateEstate(t, test.grace)
			if test.seen || test.updated {
				server.hidden.Store(false)
				read, diags := x.Refresh(t.Context(), e.resource(), in)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				if in = read.Instance; test.updated {
					if in, diags = x.Apply(t.Context(), e.plan(x, in, e.config(2, "a"))); diags.HasErrors() {
						t.Fatal(diags)
					}
				}
				server.hidden.Store(true)
			}
			if test.grace == 0 {
				in.Private = []byte(cut(t, string(in.Private), `,"created":{`, "}"))
			}
			read, diags := x.Refresh(t.Context(), e.resource(), in)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			size := int64(1)
			if test.updated {
				size = 2
			}
			_, diags = x.Apply(t.Context(), e.plan(x, read.Instance, e.config(size, "a")))
			if again := strings.Contains(diags.String(), "one of the same name exists"); again != test.again || diags.HasErrors() != test.again {
				t.Errorf("created again: %t, want %t: %v", again, test.again, diags)
			}
		})
	}
}

// The success of a delete that cannot have found the object proves nothing.
func TestObjectNotVisibleYetIsDestroyedAgain(t *testing.T) {
	t.Parallel()
	e, server, x, in := lateEstate(t, time.Hour)
	p, diags := x.PlanDestroy(t.Context(), e.resource(), in)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	out, diags := x.Apply(t.Context(), p)
	if !diags.HasErrors() || !strings.Contains(diags.String(), "Object not visible yet") || !out.Exists() || server.deletes.Load() != 1 {
		t.Fatalf("%d deletes, %v", server.deletes.Load(), diags)
	}
	server.hidden.Store(false)
	p.Prior = out
	if out, diags = x.Apply(t.Context(), p); diags.HasErrors() || out.Exists() {
		t.Fatalf("it is not destroyed: %v", diags)
	}
	if got := e.cloud.Audit(t).Live; got != 0 {
		t.Errorf("%d objects are there", got)
	}
}

// stale is a provider whose reads answer with what the objects were before, while it is set.
type stale struct {
	provider.Server
	before atomic.Pointer[tfprotov6.DynamicValue]
}

func (s *stale) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.Server.ReadResource(ctx, q)
	if before := s.before.Load(); err == nil && before != nil {
		answer.NewState = before
	}
	return answer, err
}

func (s *stale) ApplyResourceChange(ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	answer, err := s.Server.ApplyResourceChange(ctx, q)
	if nameOf(q) == "a" && len(q.PriorState.MsgPack) > 1 {
		s.before.Store(q.PriorState)
	}
	return answer, err
}

// A read that answers with the object before its last update is no drift within the period.
func TestObjectShownAsBeforeItsUpdate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		grace   time.Duration
		updates bool
	}{"within the period": {grace: time.Hour}, "after the period": {grace: time.Nanosecond, updates: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, commandline.Options{})
			server := &stale{Server: e.server}
			x := e.executor(server).WithCreationGracePeriod(test.grace)
			in, diags := x.Apply(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if in, diags = x.Apply(t.Context(), e.plan(x, in, e.config(2, "a"))); diags.HasErrors() {
				t.Fatal(diags)
			}
			read, diags := x.Refresh(t.Context(), e.resource(), in)
			if diags.HasErrors() || read.Unchanged == test.updates {
				t.Errorf("unchanged: %t: %v", read.Unchanged, diags)
			}
			if got := len(e.plan(x, read.Instance, e.config(2, "a")).Contained) > 0; got != test.updates {
				t.Errorf("it is updated: %t", got)
			}
			// What is shown again is as it was updated.
			server.before.Store(nil)
			if p := e.plan(x, in, e.config(2, "a")); len(p.Contained) > 0 {
				t.Errorf("planned: %+v", p.Contained)
			}
		})
	}
}

// cut removes what begins and ends with two texts.
func cut(t *testing.T, s, begin, end string) string {
	t.Helper()
	before, rest, ok := strings.Cut(s, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("there is no %s", begin)
	}
	return before + after
}
