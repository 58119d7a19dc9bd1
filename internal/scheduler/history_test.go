package scheduler_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

var instants = flag.Int("instants", 300, "at how many instants TestHistory compares the change record with what was seen from outside")

// secret is planted in the errors of the provider and in its private bytes.
const secret = "swordfish-4711"

// ownStore is what one process has of the store. When it is dead, it neither reads nor writes.
type ownStore struct {
	*memory
	dead atomic.Bool
}

func (p *ownStore) Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	if p.dead.Load() {
		return store.Record{}, errUnavailable
	}
	return p.memory.Load(ctx, k, r)
}

func (p *ownStore) Save(ctx context.Context, k store.Key, r *schema.Resource, rec store.Record) (store.Record, error) {
	if p.dead.Load() {
		return rec, errUnavailable
	}
	return p.memory.Save(ctx, k, r, rec)
}

// seen is a change that the provider was asked for, as the cloud has seen it. Outcomes are those
// that the record may have of it.
type seen struct {
	action   string
	at       time.Time
	outcomes map[history.Outcome]bool
}

func oneOf(o ...history.Outcome) map[history.Outcome]bool {
	out := map[history.Outcome]bool{}
	for _, x := range o {
		out[x] = true
	}
	return out
}

// recorder sees from outside what happens to a resource.
type recorder struct {
	*harness
	process *ownStore
	seen    []seen
	// told are the entries that were emitted.
	told []history.Entry
	// crashes says whether the process dies when the cloud has done what it is asked for next.
	crashes bool
	wrong   func(format string, args ...any)
}

// start starts a process.
func (x *recorder) start() {
	p := &ownStore{memory: x.store}
	x.process = p
	x.o.Store, x.o.HistorySize = p, 1<<20
	x.o.Leads = func() bool { return !p.dead.Load() }
	x.o.Recorded = func(_ store.Key, e history.Entry) { x.told = append(x.told, e) }
	x.restart()
}

// die ends the process.
func (x *recorder) die() {
	x.process.dead.Store(true)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = x.sched.Stop(ctx)
	synctest.Wait()
	x.start()
}

// describe describes operations as a kind does that conceals the field token.
func describe(before, after instance.Instance, diags diagnostic.Diagnostics) ([]history.Change, string) {
	message := ""
	if diags.HasErrors() {
		message = "it failed"
	}
	if !after.Exists() {
		return nil, message
	}
	var out []history.Change
	for _, path := range []string{"name", "size"} {
		c := history.Change{Path: path, After: valueOf(after, path)}
		if before.Exists() {
			c.Before = valueOf(before, path)
		}
		if string(c.Before) != string(c.After) {
			out = append(out, c)
		}
	}
	return out, message
}

func valueOf(in instance.Instance, path string) json.RawMessage {
	if path == "size" {
		return fmt.Append(nil, sizeOf(in.State))
	}
	return fmt.Appendf(nil, "%q", nameOf(in.State))
}

// step does something by chance.
func (x *recorder) step(r *rand.Rand) {
	time.Sleep(time.Duration(r.IntN(900)) * time.Millisecond)
	x.cloud.manner, x.crashes = inOrder, false
	switch r.IntN(10) {
	case 0, 1, 2:
		x.want([]string{"a", "b"}[r.IntN(2)], int64(1+r.IntN(3)))
	case 3:
		x.cloud.manner = []manner{refused, halfway}[r.IntN(2)]
	case 4, 5:
		x.crashes = true
	case 6:
		for _, id := range x.cloud.ids() {
			x.cloud.change(id, object{x.cloud.objects[id].name, int64(7 + r.IntN(3))})
		}
	case 7:
		for _, id := range x.cloud.ids() {
			x.cloud.remove(id)
		}
	case 8:
		x.die()
	case 9:
		time.Sleep(10 * time.Minute)
	}
	if _, err := x.sched.Observe(context.Background(), x.r); err == nil {
		_ = x.sched.Apply(context.Background(), x.r)
	}
	synctest.Wait()
	if x.process.dead.Load() {
		x.die()
	}
}

// see has the cloud tell the recorder what it is asked for.
func (x *recorder) see() {
	x.cloud.refusal = diagnostic.Errorf("Refused", "The token %s is refused.", secret)
	x.cloud.asked = func(p terraform.Plan) {
		s := seen{action: string(p.Action), at: time.Now().UTC(), outcomes: oneOf(history.Succeeded)}
		if x.cloud.manner != inOrder {
			s.outcomes = oneOf(history.Failed)
		}
		if x.crashes {
			s.outcomes = oneOf(history.Running, history.Recovered, history.Unknown)
		}
		x.seen = append(x.seen, s)
	}
	x.cloud.before = func() {
		if x.crashes && len(x.seen)%2 == 0 {
			x.process.dead.Store(true) // before anything is done
		}
	}
	x.cloud.after = func() {
		if x.crashes {
			x.process.dead.Store(true)
		}
	}
}

// check compares the record with what was seen.
func (x *recorder) check() {
	rec, ok := x.record()
	if !ok {
		if len(x.seen) > 0 {
			x.wrong("nothing is stored, and %d changes were seen", len(x.seen))
		}
		return
	}
	raw := x.store.records[x.r.Key].history
	log, err := history.Decode(raw)
	if err != nil {
		x.wrong("%v", err)
		return
	}
	if !slices.IsSortedFunc(log.Entries, func(a, b history.Entry) int { return a.At.Compare(b.At) }) {
		x.wrong("the entries are not in the order of their times: %v", log.Entries)
	}
	var got, want []string
	for i, e := range operations(log.Entries) {
		got = append(got, fmt.Sprint(e.Action, e.At))
		if i < len(x.seen) && !x.seen[i].outcomes[e.Outcome] {
			x.wrong("the outcome of operation %d, %s, is recorded as %s, and must be one of %v", i, e.Action, e.Outcome, x.seen[i].outcomes)
		}
	}
	for _, s := range x.seen {
		want = append(want, fmt.Sprint(s.action, s.at.Truncate(time.Millisecond)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		x.wrong("operations (-seen +recorded):\n%s", diff)
	}
	if n := len(log.Entries); n > 0 && log.Entries[n-1].Outcome == history.Succeeded && rec.Instance.Exists() {
		values := map[string]string{}
		for _, v := range log.Values() {
			values[v.Path] = string(v.After)
		}
		if diff := cmp.Diff(map[string]string{
			"name": string(valueOf(rec.Instance, "name")), "size": string(valueOf(rec.Instance, "size")),
		}, values); diff != "" && !drifted(log) {
			x.wrong("values (-stored +recorded):\n%s", diff)
		}
	}
}

// tells reports whether a text is in the record, or in what was emitted.
func (x *recorder) tells(text string) bool {
	log, err := history.Decode(x.store.records[x.r.Key].history)
	if err != nil {
		return false // that is reported already
	}
	all, err := json.Marshal([]any{log, x.told})
	return err != nil || strings.Contains(string(all), text)
}

// drifted reports whether the object was changed from outside, which only paths tell of.
func drifted(l history.Log) bool {
	for _, e := range l.Entries {
		if e.Action == history.Drift || e.Outcome == history.Recovered || e.Outcome == history.Unknown || e.Outcome == history.Failed {
			return true
		}
	}
	return false
}

// operations returns the entries of operations that their provider was asked for.
func operations(entries []history.Entry) []history.Entry {
	var out []history.Entry
	for _, e := range entries {
		if e.Operation != "" && e.Message != "The provider was not asked for a change." {
			out = append(out, e)
		}
	}
	return out
}

// TestHistory checks at random instants that the change record is what was seen from outside: the
// same operations in the same order at the same times, with their outcomes, also after crashes.
func TestHistory(t *testing.T) {
	wrong, n, secrets := 0, 0, 0
	for seed := uint64(0); n < *instants && wrong == 0; seed++ {
		r := rand.New(rand.NewPCG(seed, 51))
		bubble(t, derivable, func(h *harness) {
			x := &recorder{harness: h}
			x.wrong = func(format string, args ...any) {
				wrong++
				t.Errorf("seed %d: "+format, append([]any{seed}, args...)...)
			}
			h.r.Describe = describe
			x.start()
			x.see()
			for range 25 {
				if n++; n > *instants || wrong > 0 {
					n = min(n, *instants)
					return
				}
				x.step(r)
				x.check()
				if x.tells(secret) {
					secrets++
					t.Errorf("seed %d: the record has a secret", seed)
				}
			}
		})
	}
	t.Logf("history: %d instants, %d wrong, %d secrets", n, wrong, secrets)
}

// TestHistoryWrites checks which entries there are, and that they are stored in writes that are
// made anyway.
func TestHistoryWrites(t *testing.T) {
	cases := map[string]struct {
		do   func(h *harness)
		want []string
	}{
		"create": {do: func(h *harness) { h.settle() }, want: []string{"Create Succeeded"}},
		"update": {do: func(h *harness) { h.settle(); h.want("a", 2); h.settle() }, want: []string{"Create Succeeded", "Update Succeeded"}},
		"replace": {
			do: func(h *harness) { h.settle(); h.want("b", 1); h.settle() }, want: []string{
				"Create Succeeded", "Delete Succeeded", "Create Succeeded",
			},
		},
		"refused": {do: func(h *harness) { h.cloud.manner = refused; h.observe(); h.apply(); synctest.Wait() }, want: []string{"Create Failed"}},
		"interrupted": {do: func(h *harness) {
			h.settle()
			h.want("a", 2)
			prior := h.stored().Instance
			delete(h.store.records, h.r.Key)
			h.interrupted(instance.Update, prior)
			h.restart()
			h.settle()
		}, want: []string{"Update Recovered", "Update Succeeded"}},
		"gone": {do: func(h *harness) { h.settle(); h.cloud.remove("i-1"); h.observe() }, want: []string{"Create Succeeded", "Gone "}},
		"drift": {
			do: func(h *harness) { h.settle(); h.cloud.change("i-1", object{"a", 5}); h.settle() }, want: []string{
				"Create Succeeded", "Drift ", "Update Succeeded",
			},
		},
		"put to rest": {
			do: func(h *harness) { h.settle(); h.sched.Rest(h.r); h.want("a", 2); h.settle() }, want: []string{
				"Create Succeeded", "Update Succeeded",
			},
		},
		"new process": {
			do: func(h *harness) { h.settle(); h.restart(); h.want("a", 2); h.settle() }, want: []string{
				"Create Succeeded", "Update Succeeded",
			},
		},
		"store's loss": {
			do:   func(h *harness) { h.settle(); delete(h.store.records, h.r.Key); h.sched.Lost(h.r.Key); h.settle() },
			want: []string{"Create Succeeded"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				var told []history.Entry
				h.o.Recorded = func(_ store.Key, e history.Entry) { told = append(told, e) }
				h.restart()
				tc.do(h)
				log, err := history.Decode(h.store.records[h.r.Key].history)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, e := range log.Entries {
					if got = append(got, fmt.Sprint(e.Action, " ", e.Outcome)); e.UID != h.r.UID {
						t.Errorf("an entry of the resource %s", e.UID)
					}
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("entries (-want +got):\n%s", diff)
				}
				var emitted []string
				for _, e := range told {
					emitted = append(emitted, fmt.Sprint(e.Action, " ", e.Outcome))
				}
				if diff := cmp.Diff(tc.want, emitted); diff != "" && name != "interrupted" {
					t.Errorf("emitted (-want +got):\n%s", diff)
				}
			})
		})
	}
}
