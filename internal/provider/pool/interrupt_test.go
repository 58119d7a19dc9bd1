package pool_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// stoppable makes servers whose changes last until they are stopped: StopProvider ends all calls of
// a server, as those of both SDKs do. The answer of a change is how it ended.
func stoppable() *inprocess.Launcher {
	return &inprocess.Launcher{Name: "stoppable", Protocol6: func() (tfprotov6.ProviderServer, error) {
		var mu sync.Mutex
		stopped := make(chan struct{})
		return testprovider.Server{
			Core: &testprovider.Core{
				Protocol: 6, Schema: testprovider.Schema(),
				Behave: func(ctx context.Context, method string, request any) (any, error) {
					mu.Lock()
					stop := stopped
					mu.Unlock()
					switch method {
					case "StopProvider":
						mu.Lock()
						defer mu.Unlock()
						close(stopped)
						stopped = make(chan struct{})
						return &tfprotov6.StopProviderResponse{}, nil
					case "ApplyResourceChange":
						out := "done"
						select { // ctx is cancelled, too, right before StopProvider
						case <-stop:
							out = "stopped"
						case <-time.After(time.Hour):
						}
						return &tfprotov6.ApplyResourceChangeResponse{NewState: &tfprotov6.DynamicValue{MsgPack: []byte(out)}}, nil
					}
					return testprovider.Behave(ctx, method, request)
				},
			},
		}, nil
	}}
}

// operation is one operation with a lease.
type operation struct {
	lease     *pool.Lease
	interrupt context.CancelFunc
	answer    chan string
}

// operate begins a change. Its lease is released with the answer.
func operate(t *testing.T, p *pool.Pool, key pool.Key) *operation {
	t.Helper()
	interrupted, interrupt := context.WithCancel(t.Context())
	l, diags := p.Acquire(provider.WithInterrupt(t.Context(), interrupted), key)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	o := &operation{lease: l, interrupt: interrupt, answer: make(chan string, 1)}
	go func() {
		defer l.Release()
		a, err := l.Server().ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{TypeName: "test_thing"})
		if err != nil {
			o.answer <- err.Error()
			return
		}
		o.answer <- string(a.NewState.MsgPack)
	}()
	return o
}

// ended returns the answer; empty if there is none yet.
func (o *operation) ended() string {
	synctest.Wait()
	select {
	case a := <-o.answer:
		return a
	default:
		return ""
	}
}

func bubblePool(t *testing.T, f func(t *testing.T, p *pool.Pool, key pool.Key)) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(pool.Options{IdleTimeout: 24 * time.Hour})
		defer closePool(t, p)
		f(t, p, pool.Prepare(pool.Configuration{Launcher: stoppable(), Config: config("", "")}))
	})
}

func TestInterruptStopsOnlyOne(t *testing.T) {
	bubblePool(t, func(t *testing.T, p *pool.Pool, key pool.Key) {
		other := operate(t, p, key)
		time.Sleep(30 * time.Minute)
		mine := operate(t, p, key)
		mine.interrupt()
		synctest.Wait()
		later := operate(t, p, key)
		if later.lease.Server() == mine.lease.Server() || other.lease.Server() != mine.lease.Server() {
			t.Error("a later operation has the server that is to be stopped")
		}
		time.Sleep(29 * time.Minute)
		if m, o, l := mine.ended(), other.ended(), later.ended(); m+o+l != "" {
			t.Fatalf("while the other one runs: %q, %q, %q", m, o, l)
		}
		time.Sleep(time.Minute)
		if m, o := mine.ended(), other.ended(); m != "stopped" || o != "done" {
			t.Errorf("got %q, and %q of the other one", m, o)
		}
		time.Sleep(time.Hour)
		if a := later.ended(); a != "done" {
			t.Errorf("got %q of the later one", a)
		}
		if s := p.Stats(); s.Interrupts != 1 || s.Crashes != 0 || s.Servers != 1 || s.Starts != 2 {
			t.Errorf("got %+v", s)
		}
	})
}

func TestInterruptAll(t *testing.T) {
	bubblePool(t, func(t *testing.T, p *pool.Pool, key pool.Key) {
		one, two := operate(t, p, key), operate(t, p, key)
		synctest.Wait()
		one.interrupt()
		two.interrupt()
		if a, b := one.ended(), two.ended(); a != "stopped" || b != "stopped" {
			t.Errorf("got %q and %q", a, b)
		}
	})
}

// An interrupt after the end of an operation changes nothing.
func TestInterruptAfterRelease(t *testing.T) {
	bubblePool(t, func(t *testing.T, p *pool.Pool, key pool.Key) {
		one := operate(t, p, key)
		time.Sleep(time.Hour)
		if a := one.ended(); a != "done" {
			t.Fatal(a)
		}
		one.interrupt()
		synctest.Wait()
		if s := p.Stats(); s.Interrupts != 0 || s.Starts != 1 {
			t.Errorf("got %+v", s)
		}
	})
}

// A call that is not at the provider yet is stopped when it arrives, and its answer is received.
func TestInterruptProcess(t *testing.T) {
	for name, mode := range map[string]string{"protocol 6": testprovider.Good, "protocol 5": testprovider.Good5, "late": testprovider.Late} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, pool.Options{})
			l := processes(t)
			l.Env = testprovider.Env(mode, "")
			key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
			interrupted, interrupt := context.WithCancel(t.Context())
			lease, diags := p.Acquire(provider.WithInterrupt(t.Context(), interrupted), key)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			interrupt()
			if a, err := read(lease.Server(), "wait"); err != nil || len(a) == 0 {
				t.Errorf("the interrupted call: %q, %v; want its answer", a, err)
			}
			next := acquire(t, p, key)
			defer next.Release()
			if next.Server() == lease.Server() {
				t.Error("the server that is being stopped is leased again")
			}
			lease.Release()
			select {
			case <-lease.Server().Done():
			case <-time.After(20 * time.Second):
				t.Error("the server is still there")
			}
		})
	}
}
