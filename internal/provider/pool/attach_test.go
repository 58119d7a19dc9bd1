package pool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// TestAttached checks that configurations share an attached process, also while an operation is
// interrupted, and that it outlives the pool.
func TestAttached(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "record")
	var env []string
	for name, value := range testprovider.Env(testprovider.Debugged, record) {
		env = append(env, name+"="+value)
	}
	process := providertest.Debug(t, self, nil, env...)
	attached, err := sources.ParseAttached(process.Attach)
	if err != nil {
		t.Fatal(err)
	}
	p := pool.New(pool.Options{Growth: 1, MaxCalls: 1, MinBackoff: 10 * time.Millisecond})
	key := func(token string) pool.Key {
		return pool.Prepare(pool.Configuration{
			Launcher: attached[testprovider.Address], Config: config("", token), Limits: pool.Limits{MemoryBytes: 1},
		})
	}
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			for range 50 {
				lease := acquire(t, p, key(fmt.Sprint(i)))
				if _, err := read(lease.Server(), "echo"); err != nil {
					t.Error(err)
				}
				lease.Release()
			}
		})
	}
	all.Wait()

	interrupt, stop := context.WithCancel(context.Background())
	lease, diags := p.Acquire(provider.WithInterrupt(t.Context(), interrupt), key("0"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	answer := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := lease.Server().ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: "wait"})
		lease.Release()
		if err == nil && !strings.Contains(string(r.NewState.MsgPack), "cancelled") {
			err = fmt.Errorf("the answer is %q", r.NewState.MsgPack)
		}
		answer <- err
	}()
	waittest.Eventually(t, "the call arrives", func(context.Context) bool {
		records, err := testprovider.Records(record)
		return err == nil && slices.ContainsFunc(records, func(r testprovider.Record) bool {
			return strings.Contains(string(r.Request), `"TypeName":"wait"`)
		})
	})
	stop()
	if err := <-answer; err != nil {
		t.Errorf("the interrupted call: %v", err)
	}
	for _, token := range []string{"0", "1"} {
		lease := acquire(t, p, key(token))
		if _, err := read(lease.Server(), "echo"); err != nil {
			t.Errorf("after the interrupt: %v", err)
		}
		lease.Release()
	}
	if s := p.Stats(); s.Crashes+s.Hangs+s.Outgrown+s.Replacements+s.Reliefs > 0 || s.Interrupts != 1 {
		t.Errorf("%+v", s)
	}
	closePool(t, p)
	if !process.Runs() {
		t.Fatal("the process has ended with the pool")
	}

	p = newPool(t, pool.Options{MinBackoff: time.Hour})
	acquire(t, p, key("0")).Release()
	process.End()
	waittest.Eventually(t, "the end of the process is noticed", func(context.Context) bool { return p.Failure(key("0")) != nil })
	f := p.Failure(key("0"))
	if f.Reason != pool.Crashed || !strings.Contains(f.Error(), "start the provider again, and set TF_REATTACH_PROVIDERS to what it prints") {
		t.Errorf("the failure is %v", f)
	}
}
