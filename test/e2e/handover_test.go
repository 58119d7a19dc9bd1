package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A stopping controller keeps the lease until its operations are recorded: its successor finds none
// in progress.
func TestHandOver(t *testing.T) {
	t.Parallel()
	first := alone(t)
	second := first.beside(t)
	o := options(directory(t))
	o.LeaderElection, o.LeaseDuration = true, 5*time.Second
	d := newDouble(t, "handover")
	stop := first.RunController(t, o)
	first.install(t, d.provider())
	ns := first.Namespace(t)
	r := d.thing(ns, "a", nil)
	d.Order(t, "a", "slow 7s") // longer than the lease
	first.MustCreate(t, r)
	eventually(t, "its create is begun", func(context.Context) bool { return d.CarriedOut("a") })
	second.RunController(t, o)
	eventually(t, "the second waits for the lease", func(context.Context) bool {
		return strings.Contains(content(second.Log), "leader lease")
	})
	stop()
	if _, made := d.Object("thing", "a"); !made {
		t.Error("the controller did not wait for the create")
	}
	eventually(t, "the second takes over", func(context.Context) bool { return strings.Contains(content(second.Log), "Starting workers") })
	second.WaitReady(t, r)
	if n := d.Calls("create thing"); n != 1 {
		t.Errorf("%d creates", n)
	}
	if log := content(second.Log); strings.Contains(log, "CreateOutcomeUnknown") || strings.Contains(log, "Create outcome unknown") {
		t.Error("the second controller treated the create's outcome as unknown")
	}
}
