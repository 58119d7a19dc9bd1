package conformance_test

import (
	"context"
	"testing"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// TestInterrupted interrupts a create that takes long, while another one of the same provider runs.
// The interrupted one ends when the other one has ended, and leaves a tainted object.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, form := range []string{examplecloudtest.SDKv2, examplecloudtest.Framework6} {
		for _, way := range []conformance.Way{conformance.Plugin, conformance.InProcess, conformance.OpenTofu} {
			t.Run(form+"/"+string(way), func(t *testing.T) {
				t.Parallel()
				w := &world{T: t, form: form, way: way, cloud: examplecloudtest.Start(t)}
				var c pool.Configuration
				w.provider, c = examplecloudtest.Configuration(t, launcher(t, form, way, release.Latest), w.cloud)
				servers, key := examplecloudtest.Pool(t), pool.Prepare(c)
				w.cloud.Fault(t, map[string]any{"on": "create", "task_delay": "1h"})
				type result struct {
					in    instance.Instance
					diags diagnostic.Diagnostics
				}
				create := func(name string) (interrupt func(), done <-chan result) {
					interrupted, interrupt := context.WithCancel(t.Context())
					on := provider.WithInterrupt(t.Context(), interrupted)
					lease, diags := servers.Acquire(on, key)
					if diags.HasErrors() {
						t.Fatal(diags)
					}
					ex := executor(way, lease.Server())
					r := w.resource("thing")
					p, diags := ex.Plan(on, r, instance.Instance{}, w.config(r, `{"name":"`+name+`"}`))
					if diags.HasErrors() {
						t.Fatal(diags)
					}
					out := make(chan result, 1)
					go func() {
						defer lease.Release()
						in, diags := ex.Apply(on, p)
						out <- result{in, diags}
					}()
					waittest.Eventually(t, "the cloud makes "+name, func(context.Context) bool { return w.cloud.Making(t, "things", name) })
					return interrupt, out
				}
				_, other := create("other")
				interrupt, mine := create("mine")
				interrupt()
				w.cloud.EndTask(t, "things", "other", "succeed")
				if got := <-other; got.in.Status != instance.Full || got.diags.HasErrors() {
					t.Errorf("the other one is %q, %v", got.in.Status, got.diags)
				}
				got := <-mine
				if got.in.Status != instance.Tainted || !got.diags.HasErrors() || !got.in.HasIdentity() {
					t.Errorf("the interrupted one is %q, %v", got.in.Status, got.diags)
				}
				if a := w.cloud.Audit(t); a.CreateRequests != 2 {
					t.Errorf("the cloud: %+v", a)
				}
			})
		}
	}
}
