package conformance_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// killable is a world with its own runner, so that its programs can be found by their directory.
func killable(t *testing.T, form string, way conformance.Way) (*world, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "lb-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	own, err := cli.New(commandline.Options{Program: runners[way].Program(), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Close(); err != nil {
			t.Error(err)
		}
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	})
	w := newWorld(t, form, way)
	w.ex = own.Executor(w.server)
	return w, dir
}

// kill kills the program that runs in a directory, if there is one.
func kill(dir string) bool {
	for _, pid := range processtest.Within(dir) {
		return syscall.Kill(pid, syscall.SIGKILL) == nil
	}
	return false
}

// eachCommandLine runs a test for each form and each program.
func eachCommandLine(t *testing.T, behaviour string, test func(*testing.T, string, conformance.Way)) {
	for _, form := range examplecloudtest.Forms {
		for _, way := range conformance.CommandLines {
			t.Run(form+"/"+string(way)+"/"+behaviour, func(t *testing.T) {
				t.Parallel()
				test(t, form, way)
			})
		}
	}
}

// TestKilledWhileCreating kills the program in the middle of a create. The provider continues, and
// the object that it creates is recorded.
func TestKilledWhileCreating(t *testing.T) {
	t.Parallel()
	eachCommandLine(t, "killed_while_creating", func(t *testing.T, form string, way conformance.Way) {
		w, dir := killable(t, form, way)
		r := w.resource("thing")
		c := w.config(r, `{"name":"x"}`)
		w.cloud.Fault(t, map[string]any{"on": "create", "task_delay": "2s", "count": 1})
		p := w.plan(r, instance.Instance{}, c)
		type result struct {
			in    instance.Instance
			diags diagnostic.Diagnostics
		}
		done := make(chan result, 1)
		go func() {
			in, diags := w.ex.Apply(ctx, p)
			done <- result{in, diags}
		}()
		waittest.Eventually(t, "the cloud is asked for the create", func(context.Context) bool { return w.cloud.Audit(t).CreateRequests > 0 })
		if !kill(dir) {
			t.Fatal("there is no program to kill")
		}
		got := <-done
		if got.in.Status != instance.Full || !got.in.HasIdentity() || got.diags.HasErrors() {
			t.Errorf("got %s, %v", got.in.Status, got.diags)
		}
		if text := got.diags.String(); !strings.Contains(text, "ended by a signal") ||
			!strings.Contains(text, "The provider's answer is stored.") {
			t.Errorf("it is not reported: %s", text)
		}
		w.refresh(r, got.in)
		w.plan(r, got.in, c)
		if text := w.log.String(); !strings.Contains(text, "plan: NoOp") {
			t.Errorf("the object differs from the configuration: %s", text)
		}
		if a := w.cloud.Audit(t); a.CreateRequests != 1 || a.Live != 1 {
			t.Errorf("the cloud: %+v", a)
		}
	})
}

// TestKilledAnywhere kills the program at random times in creates, updates and deletes. The
// recorded objects are those that exist.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	eachCommandLine(t, "killed_anywhere", func(t *testing.T, form string, way conformance.Way) {
		w, dir := killable(t, form, way)
		r := w.resource("thing")
		live, creates, outcomes := 0, 0, map[string]int{}
		var kills atomic.Int64
		w.cloud.Fault(t, map[string]any{"on": "create", "task_delay": "40ms"})
		during := func(after time.Duration, f func()) {
			timer := time.AfterFunc(after, func() {
				if kill(dir) {
					kills.Add(1)
				}
			})
			f()
			timer.Stop()
		}
		for i := range 30 {
			after := time.Duration(i) * 8 * time.Millisecond
			p := w.plan(r, instance.Instance{}, w.config(r, fmt.Sprintf(`{"name":"n-%d","size":1}`, i)))
			var in instance.Instance
			var diags diagnostic.Diagnostics
			during(after, func() { in, diags = w.ex.Apply(ctx, p) })
			outcomes[fmt.Sprint("create ", in.Exists(), diags.HasErrors())]++
			if terraform.OutcomeUnknown(diags) || in.Exists() == diags.HasErrors() {
				t.Fatalf("after %s: %v, %v", after, in.Exists(), diags)
			}
			if in.Exists() {
				live++
				creates++
			}
			if a := w.cloud.Audit(t); a.Live != live || a.Creates != creates {
				t.Fatalf("after %s: %d objects are recorded, the cloud has %+v", after, live, a)
			}
			if !in.Exists() {
				continue
			}
			// A program that is killed in a refresh or a plan changes nothing.
			during(after, func() { _, _ = w.ex.Refresh(ctx, r, in) })
			update := w.plan(r, in, w.config(r, fmt.Sprintf(`{"name":"n-%d","size":2}`, i)))
			before := w.cloud.Audit(t).Updates
			during(after, func() { in, diags = w.ex.Apply(ctx, update) })
			size, _ := in.State.GetAttr("size").AsBigFloat().Int64()
			if updated := w.cloud.Audit(t).Updates - before; int64(updated)+1 != size || updated == 1 == diags.HasErrors() {
				t.Fatalf("after %s: %d updates, size %d, %v", after, updated, size, diags)
			}
			destroy := w.planDestroy(r, in)
			during(after, func() { in, diags = w.ex.Apply(ctx, destroy) })
			outcomes[fmt.Sprint("delete ", !in.Exists(), diags.HasErrors())]++
			if in.Exists() != diags.HasErrors() {
				t.Fatalf("after %s: %v, %v", after, in.Exists(), diags)
			}
			if !in.Exists() {
				live--
			}
			if a := w.cloud.Audit(t); a.Live != live {
				t.Fatalf("after %s: %d objects are recorded, the cloud has %+v", after, live, a)
			}
		}
		if kills.Load() == 0 || outcomes["create true false"] == 0 || outcomes["create false true"] == 0 {
			t.Errorf("not all outcomes occurred: %d kills, %v", kills.Load(), outcomes)
		}
	})
}

// TestDeadline checks that an operation ends at its deadline, and that the outcome of a create
// without a response is unknown.
func TestDeadline(t *testing.T) {
	t.Parallel()
	for _, form := range examplecloudtest.Forms {
		for _, way := range conformance.Ways {
			t.Run(form+"/"+string(way)+"/deadline", func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, form, way)
				r := w.resource("thing")
				w.cloud.Fault(t, map[string]any{"on": "create", "task_outcome": "hang", "count": 1})
				p := w.plan(r, instance.Instance{}, w.config(r, `{"name":"x"}`))
				within := time.Second
				if slices.Contains(conformance.CommandLines, way) {
					within = 8 * time.Second // until the program sends the request on a busy machine
				}
				limited, cancel := context.WithTimeout(ctx, within)
				defer cancel()
				begin := time.Now()
				in, diags := w.ex.Apply(limited, p)
				if took := time.Since(begin); took < within || took > within+10*time.Second {
					t.Errorf("it took %s", took)
				}
				unknown := !in.Exists() && terraform.OutcomeUnknown(diags) && diags.HasSummary("Request cancelled")
				// A cancelled provider may still respond.
				answered := in.Status == instance.Tainted
				if !unknown && !answered || !diags.HasErrors() {
					t.Errorf("got %s, %v", in.Status, diags)
				}
			})
		}
	}
}
