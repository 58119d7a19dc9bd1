package e2e_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A controller that is told to stop keeps the lease until its operations are recorded: whoever
// takes over finds none under way.
func TestHandOver(t *testing.T) {
	t.Parallel()
	first := alone(t)
	second := &cluster{Client: first.Client, config: first.config, log: filepath.Join(directory(t), "controller.log")}
	o := options(directory(t))
	o.LeaderElection, o.LeaseDuration = true, 5*time.Second
	d := newDouble(t, "handover")
	stop := first.control(t, o)
	first.install(t, d.provider())
	ns := first.namespace(t)
	r := d.thing(ns, "a", nil)
	d.order(t, "a", "slow 7s") // longer than the lease
	first.create(t, r)
	first.eventually(t, "its create is begun", func(context.Context) bool { return d.carriedOut("a") })
	second.control(t, o)
	second.eventually(t, "the second waits for the lease", func(context.Context) bool {
		return strings.Contains(content(second.log), "leader lease")
	})
	stop()
	if _, made := d.object("thing", "a"); !made {
		t.Error("the create was not waited for")
	}
	second.eventually(t, "the second takes over", func(context.Context) bool { return strings.Contains(content(second.log), "Starting workers") })
	second.ready(t, r)
	if n := d.calls("create thing"); n != 1 {
		t.Errorf("%d creates", n)
	}
	if log := content(second.log); strings.Contains(log, "CreateOutcomeUnknown") || strings.Contains(log, "Create outcome unknown") {
		t.Error("the second took it for a create of unknown outcome")
	}
}
