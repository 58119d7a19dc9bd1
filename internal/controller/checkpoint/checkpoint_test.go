package checkpoint_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	testclock "k8s.io/utils/clock/testing"

	"github.com/landbridge-io/landbridge/internal/controller/checkpoint"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

func mark(i int) (m scheduler.Mark) {
	binary.BigEndian.PutUint32(m[:], uint32(i*7919)) //nolint:gosec // small
	return m
}

// process is a process that keeps a checkpoint.
type process struct {
	*checkpoint.Checkpoint
	clock *testclock.FakeClock
	stop  func()

	mu       sync.Mutex
	from, to int // the marks of resources at rest
	checks   int
}

// start runs a process until the test ends, or stop is called.
func start(t *testing.T, secrets typedcorev1.SecretInterface, from, to int) *process {
	t.Helper()
	p := &process{clock: testclock.NewFakeClock(time.Now()), from: from, to: to}
	p.Checkpoint = &checkpoint.Checkpoint{Secrets: secrets, Name: "test-checkpoint", Marks: p.marks, Clock: p.clock, Logger: logr.Discard()}
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := p.Start(ctx); err != nil {
			t.Error(err)
		}
	})
	p.stop = func() { cancel(); ended.Wait() }
	t.Cleanup(p.stop)
	waittest.Eventually(t, "it has started", func(context.Context) bool { return p.clock.HasWaiters() })
	return p
}

func (p *process) marks(yield func(scheduler.Mark)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checks++
	for i := p.from; i < p.to; i++ {
		yield(mark(i))
	}
}

// check has a minute pass, and waits until it was checked what is to be saved.
func (p *process) check(t *testing.T) {
	t.Helper()
	checks := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.checks
	}
	before := checks()
	p.clock.Step(time.Minute)
	waittest.Eventually(t, "it is checked", func(context.Context) bool { return checks() > before })
}

func (p *process) rest(from, to int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from, p.to = from, to
}

// has counts the marks among some that an earlier process has left.
func (p *process) has(from, to int) (n int) {
	for i := from; i < to; i++ {
		if p.Has(mark(i)) {
			n++
		}
	}
	return n
}

// sizes returns the number of marks in each Secret.
func sizes(t *testing.T, secrets typedcorev1.SecretInterface) map[string]int {
	t.Helper()
	list, err := secrets.List(t.Context(), metav1.ListOptions{FieldSelector: "type=landbridge.io/checkpoint"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, s := range list.Items {
		out[s.Name] = len(s.Data["marks"]) / 16
	}
	return out
}

// What a process has found at rest is known to the next one, in as many Secrets as it takes.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	s := playgroundtest.Start(t).Secrets(t)
	first := start(t, s, 0, 40_000)
	if n := first.has(0, 10); n != 0 {
		t.Errorf("%d marks of earlier processes", n)
	}
	first.stop()
	if diff := cmp.Diff(map[string]int{"test-checkpoint.0": 32768, "test-checkpoint.1": 40_000 - 32768}, sizes(t, s)); diff != "" {
		t.Errorf("Secrets (-want +got):\n%s", diff)
	}
	second := start(t, s, 0, 0)
	if n := second.has(0, 50_000); n != 40_000 {
		t.Errorf("%d marks are known", n)
	}
	last, err := s.Get(t.Context(), "test-checkpoint.1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if before, since := first.Since(), second.Since(); before != "" || since != last.ResourceVersion {
		t.Errorf("the first process knows of version %q, the second of %q, and the Secret has %q", before, since, last.ResourceVersion)
	}
	// One that is stopped before it has found them at rest leaves them.
	second.stop()
	third := start(t, s, 0, 0)
	if n := third.has(0, 40_000); n != 40_000 {
		t.Errorf("%d marks are known to the third process", n)
	}
	// After an hour, whatever is not at rest was not for long.
	third.clock.Step(time.Hour)
	third.rest(40_000, 40_101)
	third.stop()
	if diff := cmp.Diff(map[string]int{"test-checkpoint.0": 101}, sizes(t, s)); diff != "" {
		t.Errorf("Secrets (-want +got):\n%s", diff)
	}
}

// Many new marks are saved within a minute, those of the end of a burst when it is over, a few
// within ten minutes, and nothing is written without any.
func TestCheckpointIsSavedRarely(t *testing.T) {
	t.Parallel()
	s := playgroundtest.Start(t).Secrets(t)
	version := func() string {
		secret, err := s.Get(t.Context(), "test-checkpoint.0", metav1.GetOptions{})
		if err != nil {
			return ""
		}
		return secret.ResourceVersion
	}
	p := start(t, s, 0, 1000)
	steps := 0
	step := func() {
		steps++
		p.clock.Step(time.Minute)
	}
	step()
	waittest.Eventually(t, "many marks are saved", func(context.Context) bool { return sizes(t, s)["test-checkpoint.0"] == 1000 })
	saved := version()
	for range 30 {
		step()
	}
	if version() != saved {
		t.Error("the same marks are written again")
	}
	p.rest(1, 1001)
	// The check after a step may be made only with the next one.
	waited := 0
	waittest.Eventually(t, "one new mark is saved", func(context.Context) bool {
		if version() != saved {
			return true
		}
		waited++
		step()
		return false
	})
	if waited > 40 {
		t.Errorf("one new mark is saved after %d minutes", waited)
	}
	if again := start(t, s, 0, 0); again.has(0, 1) != 0 || again.has(1, 1001) != 1000 {
		t.Errorf("known are %d", again.has(0, 1001))
	}
}

// What came to rest at the end of a burst is saved when the burst is over.
func TestCheckpointAfterBurst(t *testing.T) {
	t.Parallel()
	s := playgroundtest.Start(t).Secrets(t)
	p := start(t, s, 0, 1000)
	p.clock.Step(time.Minute)
	waittest.Eventually(t, "many marks are saved", func(context.Context) bool { return sizes(t, s)["test-checkpoint.0"] == 1000 })
	p.rest(0, 1060)
	for range 3 { // after ten minutes, any mark is saved
		p.check(t)
	}
	waittest.Eventually(t, "the marks of the end are saved", func(context.Context) bool { return sizes(t, s)["test-checkpoint.0"] == 1060 })
}

// Marks that cannot be read are none.
func TestCheckpointUnreadable(t *testing.T) {
	t.Parallel()
	s := playgroundtest.Start(t).Secrets(t)
	start(t, s, 0, 3).stop()
	secret, err := s.Get(t.Context(), "test-checkpoint.0", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"cut": secret.Data["marks"][:40], "none": nil} {
		t.Run(name, func(t *testing.T) {
			secret.Data["marks"] = data
			if secret, err = s.Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(start(t, s, 0, 0).has(0, 3)), fmt.Sprint(len(data)/16); got != want {
				t.Errorf("%s marks, want %s", got, want)
			}
		})
	}
}
