package module_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// unseen is a provider whose creates fail after they have made an object, which reads do not find
// while it is hidden.
type unseen struct {
	provider.Server
	hidden atomic.Bool
	asked  []string
}

func (s *unseen) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	answer, err := s.Server.ApplyResourceChange(ctx, q)
	s.asked = append(s.asked, nameOf(q))
	if err == nil && nameOf(q) != "" && s.hidden.Load() {
		answer.Diagnostics = append(answer.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Stopped"})
	}
	return answer, err
}

func (s *unseen) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	answer, err := s.Server.ReadResource(ctx, q)
	if err == nil && s.hidden.Load() {
		answer.NewState = &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	}
	return answer, err
}

// An object whose create failed is destroyed before another one is created, even if it is not
// found: it may appear.
func TestObjectThatMayAppearIsDestroyedFirst(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	server := &unseen{Server: e.server}
	server.hidden.Store(true)
	x := e.executor(server)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	record := &recording{}
	out, diags := x.ApplyJournaled(ctx, e.plan(x, instance.Instance{}, e.config(1, "a")), record.record)
	if !diags.HasErrors() || statusOf(t, out) != instance.Tainted {
		t.Fatalf("the create does not fail with an object: %v", diags)
	}
	read, diags := x.Refresh(ctx, e.resource(), out)
	if diags.HasErrors() || statusOf(t, read.Instance) != instance.Tainted {
		t.Fatalf("the object is taken for gone: %v", diags)
	}
	p := e.plan(x, read.Instance, e.config(1, "a"))
	if len(p.Contained) != 1 || !p.Contained[0].Action.IsReplace() {
		t.Fatalf("planned is %+v", p.Contained)
	}
	server.hidden.Store(false)
	p = e.plan(x, read.Instance, e.config(1, "a"))
	out, diags = x.ApplyJournaled(ctx, p, record.record)
	if diags.HasErrors() || statusOf(t, out) != instance.Full {
		t.Fatalf("%v", diags)
	}
	if got := e.cloud.Audit(t).Live; got != 1 {
		t.Errorf("%d objects are there: %q", got, server.asked)
	}
}

// When the time of an operation has passed, an object that is not found is gone.
func TestObjectThatDoesNotAppearIsGone(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	server := &unseen{Server: e.server}
	server.hidden.Store(true)
	x := e.executor(server)
	record := &recording{}
	out, _ := x.ApplyJournaled(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")), record.record) // without a deadline
	read, diags := x.Refresh(t.Context(), e.resource(), out)
	if diags.HasErrors() || read.Instance.Exists() && statusOf(t, read.Instance) != instance.Empty {
		t.Fatalf("the object is not taken for gone: %v", diags)
	}
}

// statusOf returns the status of the only object of a module; Empty if there is none.
func statusOf(t *testing.T, in instance.Instance) instance.Status {
	t.Helper()
	b, err := module.State(in)
	if err != nil {
		t.Fatal(err)
	}
	file, err := tfstate.Read(b, nil)
	if err != nil || len(file.Resources) == 0 {
		return instance.Empty
	}
	return file.Resources[0].Instances[0].Status
}
