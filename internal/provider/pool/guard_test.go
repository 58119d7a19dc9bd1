package pool_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// TestCalled checks that calls for actions and ephemeral resources are recorded, that of an action
// when its stream has ended.
func TestCalled(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []string
	p := newPool(t, pool.Options{Called: func(c pool.Call) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, c.Method)
	}})
	lease := acquire(t, p, pool.Prepare(pool.Configuration{Launcher: processes(t), Config: config("", "one")}))
	defer lease.Release()
	s, ctx := lease.Server(), t.Context()
	_, err := s.OpenEphemeralResource(ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: "opened"})
	must(t, err)
	_, err = s.RenewEphemeralResource(ctx, &tfprotov6.RenewEphemeralResourceRequest{TypeName: "opened"})
	must(t, err)
	_, err = s.CloseEphemeralResource(ctx, &tfprotov6.CloseEphemeralResourceRequest{TypeName: "opened"})
	must(t, err)
	_, err = s.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: "act"})
	must(t, err)
	stream, err := s.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: "act"})
	must(t, err)
	want := []string{"OpenEphemeralResource", "RenewEphemeralResource", "CloseEphemeralResource", "PlanAction"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("before the stream was read: %s", diff)
	}
	if got := len(slices.Collect(stream.Events)); got != 2 {
		t.Errorf("got %d events", got)
	}
	if diff := cmp.Diff(append(want, "InvokeAction"), got); diff != "" {
		t.Error(diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
