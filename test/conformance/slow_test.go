package conformance_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// TestSlowChange reads an object while another run, which takes up the limit of concurrent runs,
// waits for a slow operation of the provider.
func TestSlowChange(t *testing.T) {
	dir, err := os.MkdirTemp("", "lb-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	one, err := cli.New(commandline.Options{Program: runners[conformance.OpenTofu].Program(), Dir: dir, Parallelism: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	}()
	w := newWorld(t, examplecloudtest.Framework6, conformance.OpenTofu)
	w.ex = one.Executor(w.server)
	r := w.resource("thing")
	in := w.create(r, w.config(r, `{"name":"quick"}`))

	const slow = 15 * time.Second
	w.cloud.Fault(w, map[string]any{
		"on": "create", "collection": "things", "match": map[string]any{"name": "slow"}, "count": 1,
		"task_delay": slow.String(),
	})
	p, diags := w.ex.Plan(ctx, r, instance.Instance{}, w.config(r, `{"name":"slow"}`))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	begun, created := time.Now(), make(chan instance.Instance)
	go func() {
		out, _ := w.ex.Apply(ctx, p)
		created <- out
	}()
	waittest.Eventually(t, "the cloud is asked for the create", func(context.Context) bool { return w.cloud.Audit(t).CreateRequests == 2 })
	for range 3 {
		if out, diags := w.ex.Refresh(ctx, r, in); diags.HasErrors() || !out.Unchanged {
			t.Errorf("unchanged is %t, %v", out.Unchanged, diags)
		}
	}
	if took := time.Since(begun); took > slow {
		t.Errorf("reads waited for the create: %s", took)
	}
	if out := <-created; out.Status != instance.Full {
		t.Errorf("created is %+v", out)
	}
}
