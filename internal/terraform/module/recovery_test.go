package module_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// TestInterruptedCreate: an object that is not found after its create was interrupted may appear
// until the operation's deadline, and belongs to the module then. Each look is one of a process of
// its own.
func TestInterruptedCreate(t *testing.T) {
	t.Parallel()
	deadline := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	before, after := deadline.Add(-time.Second), deadline
	type look struct {
		now       time.Time
		confirmed bool
		// unknown are the names whose create has an unknown outcome; if there are none, exist are
		// the objects of the module.
		unknown, exist []string
	}
	for name, test := range map[string]struct {
		// looks are made one after the other. The object appear is created before the look of that
		// index.
		looks  []look
		appear map[int]string
		live   int
	}{
		"nothing appears": {looks: []look{
			{now: before, unknown: []string{"a", "b"}}, {now: before, unknown: []string{"a", "b"}}, {now: after},
		}},
		"one appears": {
			looks:  []look{{now: before, unknown: []string{"a", "b"}}, {now: before, unknown: []string{"b"}}, {now: after, exist: []string{"a"}}},
			appear: map[int]string{1: "a"}, live: 1,
		},
		"both appear": {
			looks:  []look{{now: before, unknown: []string{"b"}}, {now: before, exist: []string{"a", "b"}}},
			appear: map[int]string{0: "a", 1: "b"}, live: 2,
		},
		"confirmed": {looks: []look{{now: before, confirmed: true}}},
		"confirmed of the other": {
			looks:  []look{{now: before, unknown: []string{"b"}}, {now: before, confirmed: true, exist: []string{"a"}}},
			appear: map[int]string{0: "a"}, live: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, commandline.Options{})
			var mu sync.Mutex
			requested := map[string]*tfprotov6.ApplyResourceChangeRequest{}
			x := e.executor(&watched{
				Server: e.server,
				apply: func(
					_ context.Context, q *tfprotov6.ApplyResourceChangeRequest,
				) (*tfprotov6.ApplyResourceChangeResponse, error) {
					mu.Lock()
					defer mu.Unlock()
					requested[nameOf(q)] = q
					return nil, status.Error(codes.Unavailable, "the connection is lost")
				},
			})
			journal := &recording{}
			_, diags := x.ApplyJournaled(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a", "b")), journal.record)
			if !terraform.OutcomeUnknown(diags) || len(requested) != 2 {
				t.Fatalf("%d requests, and %v", len(requested), diags)
			}
			op := &instance.Operation{ID: "operation-1", Kind: instance.Create, Deadline: deadline, Journal: journal.last}
			for i, l := range test.looks {
				if name := test.appear[i]; name != "" {
					if _, err := e.server.ApplyResourceChange(t.Context(), requested[name]); err != nil {
						t.Fatal(err)
					}
				}
				out, diags := e.executor(e.server).Recover(t.Context(), e.resource(), instance.Instance{}, op, l.confirmed, l.now)
				if got := terraform.OutcomeUnknown(diags); got != (len(l.unknown) > 0) || !got && diags.HasErrors() {
					t.Fatalf("look %d: %v", i, diags)
				}
				if len(l.unknown) > 0 {
					for _, name := range []string{"a", "b"} {
						want := fmt.Sprintf("examplecloud_datastore.rack[%q] does not exist, but may still appear until 2026-05-04T12:00:00Z.", name)
						if got := strings.Contains(diags.String(), want); got != slices.Contains(l.unknown, name) {
							t.Errorf("look %d, %s: %v", i, name, diags)
						}
					}
					continue
				}
				if got := out.Exists(); got != (len(l.exist) > 0) {
					t.Fatalf("look %d: the module exists: %t", i, got)
				}
				if !out.Exists() {
					continue
				}
				if !out.Incomplete {
					t.Errorf("look %d: the apply was interrupted, and is complete", i)
				}
				// The found objects are tainted: what their creates left may be incomplete.
				var replaced []string
				for _, c := range e.plan(e.executor(e.server), out, e.config(1, "a", "b")).Contained {
					if c.Action.IsReplace() {
						replaced = append(replaced, strings.Split(c.Address, `"`)[1])
					}
				}
				if diff := cmp.Diff(l.exist, replaced); diff != "" {
					t.Errorf("look %d: tainted objects (-want +got):\n%s", i, diff)
				}
			}
			if got := e.cloud.Audit(t).Live; got != test.live {
				t.Errorf("%d objects are there, want %d", got, test.live)
			}
		})
	}
}
