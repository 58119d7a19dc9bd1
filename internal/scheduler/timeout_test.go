package scheduler_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// timed is a provider that gives itself times for its operations, and whose calls last until
// they are cancelled.
type timed struct {
	*cloud
	timeouts cty.Value // of the object
	private  []byte
	deadline time.Time // of the last apply
}

var timeoutsType = cty.Object(map[string]cty.Type{"create": cty.String, "update": cty.String, "delete": cty.String, "default": cty.String})

func (p *timed) resource() terraform.ResourceType {
	attributes := map[string]*schema.Attribute{}
	for name := range timeoutsType.AttributeTypes() {
		attributes[name] = &schema.Attribute{Type: cty.String, Optional: true}
	}
	return terraform.ResourceType{Schema: &schema.Resource{Type: "test_timed", Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{"name": {Type: cty.String, Optional: true}},
		Blocks:     map[string]*schema.NestedBlock{"timeouts": {Nesting: schema.NestingSingle, Block: &schema.Block{Attributes: attributes}}},
	}}}
}

func (p *timed) state(name string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name), "timeouts": p.timeouts})
}

func (p *timed) Refresh(_ context.Context, _ terraform.ResourceType, in instance.Instance) (terraform.Refreshed, diagnostic.Diagnostics) {
	return terraform.Refreshed{Instance: in, Unchanged: true}, nil
}

func (p *timed) Plan(
	_ context.Context, r terraform.ResourceType, in instance.Instance, _ terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	out := terraform.Plan{Resource: r, Prior: in, Action: terraform.Create, State: p.state("new"), Config: p.state("new"), Private: p.private}
	if in.Exists() {
		out.Action = terraform.Update
	}
	return out, nil
}

func (p *timed) PlanDestroy(_ context.Context, r terraform.ResourceType, in instance.Instance) (terraform.Plan, diagnostic.Diagnostics) {
	null := cty.NullVal(r.Schema.ImpliedType())
	return terraform.Plan{Resource: r, Prior: in, Action: terraform.Delete, State: null, Config: null, Private: in.Private}, nil
}

func (p *timed) Apply(ctx context.Context, plan terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	p.deadline, _ = ctx.Deadline()
	<-ctx.Done()
	return p.silent(plan, ctx.Err())
}

func TestTimeouts(t *testing.T) {
	const legacy = `{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":7200000000000,"default":1200000000000},"schema_version":"1"}`
	null := cty.NullVal(timeoutsType)
	set := func(name, value string) cty.Value {
		values := map[string]cty.Value{}
		for n := range timeoutsType.AttributeTypes() {
			values[n] = cty.NullVal(cty.String)
		}
		values[name] = cty.StringVal(value)
		return cty.ObjectVal(values)
	}
	cases := map[string]struct {
		kind              instance.OperationKind
		asked, configured desired.Timeouts
		timeouts          cty.Value
		private           string
		want              time.Duration
	}{
		"not set":       {kind: instance.Create, timeouts: null, want: time.Hour},
		"asked, create": {kind: instance.Create, asked: desired.Timeouts{Create: time.Minute}, timeouts: null, want: time.Minute},
		"asked, update": {
			kind: instance.Update, asked: desired.Timeouts{Create: time.Minute, Update: 2 * time.Minute},
			timeouts: null, want: 2 * time.Minute,
		},
		"asked, delete": {
			kind: instance.Delete, asked: desired.Timeouts{Create: time.Minute, Delete: 3 * time.Hour},
			timeouts: null, want: 3 * time.Hour,
		},
		"asked, another":               {kind: instance.Delete, asked: desired.Timeouts{Create: time.Minute}, timeouts: null, want: time.Hour},
		"given to the provider":        {kind: instance.Create, timeouts: set("create", "10m"), want: 11 * time.Minute},
		"given to the provider, short": {kind: instance.Create, timeouts: set("create", "2s"), want: 32 * time.Second},
		"given to the provider, long":  {kind: instance.Update, timeouts: set("update", "10h"), want: 11 * time.Hour},
		"given to the provider, all":   {kind: instance.Update, timeouts: set("default", "10m"), want: 11 * time.Minute},
		"given to the provider, other": {kind: instance.Update, timeouts: set("create", "10m"), want: time.Hour},
		"of the object to be deleted":  {kind: instance.Delete, timeouts: set("delete", "10m"), want: 11 * time.Minute},
		"no duration":                  {kind: instance.Create, timeouts: set("create", "soon"), want: time.Hour},
		"asked wins": {
			kind: instance.Create, asked: desired.Timeouts{Create: time.Minute}, timeouts: set("create", "10m"),
			want: time.Minute,
		},
		"configured, create": {
			kind: instance.Create, configured: desired.Timeouts{Create: time.Minute}, timeouts: null, want: time.Minute,
		},
		"configured, update": {
			kind: instance.Update, configured: desired.Timeouts{Create: time.Minute, Update: 2 * time.Minute},
			timeouts: null, want: 2 * time.Minute,
		},
		"configured, delete": {
			kind: instance.Delete, configured: desired.Timeouts{Delete: 3 * time.Hour}, timeouts: null,
			want: 3 * time.Hour,
		},
		"configured, another": {
			kind: instance.Delete, configured: desired.Timeouts{Create: time.Minute}, timeouts: null, want: time.Hour,
		},
		"configured, and asked": {
			kind: instance.Create, asked: desired.Timeouts{Create: time.Minute},
			configured: desired.Timeouts{Create: time.Second}, timeouts: null, want: time.Minute,
		},
		"configured, and given": {
			kind: instance.Create, configured: desired.Timeouts{Create: time.Minute}, timeouts: set("create", "10m"),
			want: 11 * time.Minute,
		},
		"configured, and chosen": {
			kind: instance.Create, configured: desired.Timeouts{Create: time.Minute}, timeouts: null, private: legacy,
			want: time.Minute,
		},
		"chosen by the authors": {kind: instance.Create, timeouts: null, private: legacy, want: 2*time.Hour + 12*time.Minute},
		// What they chose does not shorten anything: some providers take it for each of several
		// waits.
		"chosen by the authors, shorter": {kind: instance.Update, timeouts: null, private: legacy, want: time.Hour},
		"private bytes of others":        {kind: instance.Create, timeouts: null, private: "\x00\x01", want: time.Hour},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				p := &timed{cloud: h.cloud, timeouts: tc.timeouts, private: []byte(tc.private)}
				h.r.Type, h.r.Timeouts, h.r.DefaultTimeouts = p.resource(), tc.asked, tc.configured
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) { return p, func() {}, nil }
				if tc.kind != instance.Create {
					h.stores(instance.Instance{State: p.state("old"), Status: instance.Full, Private: p.private})
				}
				h.observe()
				begin := time.Now()
				if tc.kind == instance.Delete {
					if err := h.sched.Delete(t.Context(), h.r); err != nil {
						t.Fatal(err)
					}
				} else {
					h.apply()
				}
				synctest.Wait()
				op := h.observe().Operation
				if got := p.deadline.Sub(begin); op == nil || op.Kind != tc.kind || got != tc.want ||
					!op.Deadline.Equal(p.deadline) || !h.stored().Instance.Operation.Deadline.Equal(p.deadline) {
					t.Fatalf("the provider has %s, want %s; operation %+v", got, tc.want, op)
				}
				time.Sleep(tc.want)
				synctest.Wait()
				last := h.told.take()
				if len(last) != 1 || !strings.HasPrefix(last[0], "Failed "+string(tc.kind)) || !strings.Contains(last[0], "(Operation timed out)") {
					t.Errorf("told %q", last)
				}
				// By the rules: only of a create is the outcome unknown; else reading tells it.
				if in := h.stored().Instance; (in.Operation != nil) != (tc.kind == instance.Create) {
					t.Errorf("the journal holds %+v", in.Operation)
				}
			})
		})
	}
}

// A provider that answers when its time is over is listened to: what it made is known.
func TestTimeoutAnswered(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.Timeouts.Create = time.Minute
		h.cloud.manner = halfway
		h.cloud.before = func() { time.Sleep(time.Minute + time.Second) }
		h.observe()
		h.apply()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if in := h.stored().Instance; in.Status != instance.Tainted || in.Operation != nil {
			t.Errorf("it is %s, with operation %+v", in.Status, in.Operation)
		}
		if diff := cmp.Diff([]string{"Failed Create (Halfway) (Operation timed out)", "Tainted"}, h.told.take()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// The wait for others is not part of an operation's time.
func TestTimeoutCountsFromDispatch(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.o.OperationsPerConfiguration = 1
		h.restart()
		h.r.Timeouts.Create = time.Minute
		block := make(chan struct{})
		h.cloud.block = block
		h.observe()
		h.apply()
		synctest.Wait()
		second := h.r
		second.UID, second.Key.Name = "uid-2", "two"
		if _, err := h.sched.Observe(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		if err := h.sched.Apply(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		waiting, err := h.sched.Observe(t.Context(), second)
		if err != nil || waiting.Operation == nil || !waiting.Operation.Deadline.IsZero() {
			t.Fatalf("while it waits: %+v, %v", waiting, err)
		}
		time.Sleep(40 * time.Second)
		h.cloud.mu.Lock()
		h.cloud.block = make(chan struct{})
		h.cloud.mu.Unlock()
		close(block)
		synctest.Wait()
		begun, err := h.sched.Observe(t.Context(), second)
		if err != nil || begun == waiting || begun.Operation == nil || time.Until(begun.Operation.Deadline) != time.Minute {
			t.Errorf("when its turn has come: %+v, %v", begun, err)
		}
	})
}
