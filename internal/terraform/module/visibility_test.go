package module_test

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// late is a provider whose objects are not found while they are hidden: neither reads nor deletes
// find them.
type late struct {
	provider.Server
	hidden  atomic.Bool
	deletes atomic.Int32
	// fails is set if changes fail after they were made. They have no answer if silent is set.
	fails, silent atomic.Bool
}

func (s *late) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if nameOf(q) == "" && s.hidden.Load() {
		s.deletes.Add(1)
		return &tfprotov6.ApplyResourceChangeResponse{NewState: q.PlannedState}, nil
	}
	answer, err := s.Server.ApplyResourceChange(ctx, q)
	switch {
	case s.silent.Load():
		return nil, status.Error(codes.Unavailable, "the connection is lost")
	case err == nil && s.fails.Load():
		answer.Diagnostics = append(answer.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Stopped"})
	}
	return answer, err
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
	out := e.applied(x, instance.Instance{}, 1)
	server.hidden.Store(true)
	return e, server, x, out
}

// applied returns the instance after an apply that succeeds.
func (e *estate) applied(x *module.Executor, in instance.Instance, size int64) instance.Instance {
	e.Helper()
	out, diags := x.Apply(e.Context(), e.plan(x, in, e.config(size, "a")))
	if diags.HasErrors() {
		e.Fatal(diags)
	}
	return out
}

// An object that its API does not show yet is not created again, also after it was read or changed.
func TestObjectNotVisibleYet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		grace time.Duration
		// seen is set if a read has found the object, and updated if it was updated, before it was
		// hidden.
		seen, updated bool
		// adopted is how long ago the instance was stored from a state of another program; 0 if it
		// was not.
		adopted time.Duration
		// again is set if it is created again, which the cloud refuses because of its name.
		again bool
	}{
		"within the period":            {grace: time.Hour},
		"another read has found it":    {grace: time.Hour, seen: true},
		"it was updated":               {grace: time.Hour, updated: true},
		"after the period":             {grace: time.Nanosecond, again: true},
		"there is no period":           {grace: -1, again: true},
		"an instance of a former time": {again: true},
		"it was just adopted":          {grace: time.Hour, adopted: time.Second},
		"it was adopted and updated":   {grace: time.Hour, adopted: time.Second, updated: true},
		"it was adopted and read":      {grace: time.Hour, adopted: time.Second, seen: true},
		"it was adopted long ago":      {grace: time.Hour, adopted: 2 * time.Hour, again: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, server, x, in := lateEstate(t, test.grace)
			if test.adopted > 0 {
				in.Private = []byte(cut(t, string(in.Private), `,"created":{`, "}"))
				in.CreatedAt = time.Now().Add(-test.adopted)
			}
			if test.seen || test.updated {
				server.hidden.Store(false)
				read, diags := x.Refresh(t.Context(), e.resource(), in)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				read.Instance.CreatedAt = in.CreatedAt // as the scheduler does
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

// The success of a delete that cannot have found the object proves nothing, however the object came
// into the state.
func TestObjectNotVisibleYetIsDestroyedAgain(t *testing.T) {
	t.Parallel()
	recovered := func(e *estate, x *module.Executor, in instance.Instance, journal []byte) instance.Instance {
		now := time.Now()
		op := &instance.Operation{ID: "operation-1", StartedAt: now, Deadline: now.Add(time.Hour), Journal: journal}
		out, diags := x.Recover(e.Context(), e.resource(), in, op, false, now)
		if diags.HasErrors() {
			e.Fatal(diags)
		}
		return out
	}
	updates := func(e *estate, server *late, x *module.Executor) (before, after instance.Instance, journal []byte) {
		before = e.applied(x, instance.Instance{}, 1)
		server.fails.Store(true)
		record := &recording{}
		after, _ = x.ApplyJournaled(e.Context(), e.plan(x, before, e.config(2, "a")), record.record)
		return before, after, record.last
	}
	for name, test := range map[string]struct {
		// imports is set if the module imports the object.
		imports bool
		made    func(*estate, *late, *module.Executor) instance.Instance
	}{
		"created": {made: func(e *estate, _ *late, x *module.Executor) instance.Instance {
			return e.applied(x, instance.Instance{}, 1)
		}},
		"its create has failed": {made: func(e *estate, server *late, x *module.Executor) instance.Instance {
			server.fails.Store(true)
			out, _ := x.Apply(e.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")))
			return out
		}},
		"its create has failed, and may still be under way": {made: func(e *estate, server *late, x *module.Executor) instance.Instance {
			server.fails.Store(true)
			ctx, cancel := context.WithTimeout(e.Context(), time.Hour)
			defer cancel()
			out, _ := x.Apply(ctx, e.plan(x, instance.Instance{}, e.config(1, "a")))
			return out
		}},
		"its create has failed, and the process has ended": {made: func(e *estate, server *late, x *module.Executor) instance.Instance {
			server.fails.Store(true)
			record := &recording{}
			_, _ = x.ApplyJournaled(e.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")), record.record)
			return recovered(e, x, instance.Instance{}, record.last)
		}},
		"its create had no answer": {made: func(e *estate, server *late, x *module.Executor) instance.Instance {
			server.silent.Store(true)
			record := &recording{}
			_, _ = x.ApplyJournaled(e.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")), record.record)
			return recovered(e, x, instance.Instance{}, record.last)
		}},
		"an update has failed": {made: func(e *estate, server *late, x *module.Executor) instance.Instance {
			_, after, _ := updates(e, server, x)
			return after
		}},
		"an update has failed, and the process has ended": {made: func(e *estate, server *late, x *module.Executor) instance.Instance {
			before, _, journal := updates(e, server, x)
			return recovered(e, x, before, journal)
		}},
		"it was adopted": {made: func(e *estate, _ *late, x *module.Executor) instance.Instance {
			out := e.applied(x, instance.Instance{}, 1)
			out.Private, out.CreatedAt = []byte(cut(e, string(out.Private), `,"created":{`, "}")), time.Now()
			return out
		}},
		"it was imported": {imports: true, made: func(e *estate, _ *late, x *module.Executor) instance.Instance {
			e.cloud.Make(e.TB, "datastores", map[string]any{
				"name": "a", "hci_cluster_uuid": "c-1", "cluster_info": map[string]any{"id": "c", "name": "north"},
				"capacity_gib": 1,
			})
			return e.applied(x, instance.Instance{}, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := racks
			if test.imports {
				source += "import {\n  to = examplecloud_datastore.rack[\"a\"]\n  id = \"c-1/c/a\"\n}\n"
			}
			e := newEstateOf(t, source, commandline.Options{})
			server := &late{Server: e.server}
			x := e.executor(server).WithCreationGracePeriod(time.Hour)
			in := test.made(e, server, x)
			server.fails.Store(false)
			server.silent.Store(false)
			server.hidden.Store(true)
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
		})
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

func (s *stale) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
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

// ghostly is a provider that shows objects that were destroyed, and refuses to create others in
// their place, while it is set.
type ghostly struct {
	provider.Server
	shows atomic.Bool
	// last is the object that was destroyed last.
	last atomic.Pointer[tfprotov6.ApplyResourceChangeRequest]
}

func (s *ghostly) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	switch {
	case nameOf(q) == "":
		s.last.Store(q)
	case s.shows.Load():
		return &tfprotov6.ApplyResourceChangeResponse{
			NewState: q.PriorState, Diagnostics: []*tfprotov6.Diagnostic{{Summary: "The name is taken"}},
		}, nil
	}
	return s.Server.ApplyResourceChange(ctx, q)
}

func (s *ghostly) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.Server.ReadResource(ctx, q)
	if last := s.last.Load(); err == nil && last != nil && s.shows.Load() && bytes.Equal(answer.NewState.MsgPack, []byte{0xc0}) {
		answer.NewState = last.PriorState
	}
	return answer, err
}

// The object that a module has destroyed, and that is still shown, is not taken for another's by a
// later apply, which creates it again. After the period it is another's.
func TestDestroyedObjectIsStillShown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		grace  time.Duration
		exists bool
	}{"within the period": {grace: time.Hour}, "after the period": {grace: time.Nanosecond, exists: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, commandline.Options{})
			server := &ghostly{Server: e.server}
			x := e.executor(server).WithCreationGracePeriod(test.grace)
			in, diags := x.Apply(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a", "b")))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if in, diags = x.Apply(t.Context(), e.plan(x, in, e.config(1, "b"))); diags.HasErrors() {
				t.Fatal(diags)
			}
			again := e.plan(x, in, e.config(1, "a", "b"))
			server.shows.Store(true)
			out, diags := x.Apply(t.Context(), again)
			if !diags.HasErrors() || terraform.ObjectExists(diags) != test.exists {
				t.Fatalf("it exists: %t; %v", terraform.ObjectExists(diags), diags)
			}
			server.shows.Store(false)
			if _, diags = x.Apply(t.Context(), e.plan(x, out, e.config(1, "a", "b"))); diags.HasErrors() || e.cloud.Audit(t).Live != 2 {
				t.Errorf("%d objects, and %v", e.cloud.Audit(t).Live, diags)
			}
		})
	}
}

// cut removes what begins and ends with two texts.
func cut(t testing.TB, s, begin, end string) string {
	t.Helper()
	before, rest, ok := strings.Cut(s, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("there is no %s", begin)
	}
	return before + after
}
