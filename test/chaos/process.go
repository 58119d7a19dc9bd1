package chaos

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

// Faults of the processes of controllers and providers.

// restart starts a new controller, in whatever state the last one is.
func (w *world) restart(s start) error {
	if w.running != nil && w.running.alive() {
		w.running.kill()
	}
	if text := w.crash(); text != "" {
		return fmt.Errorf("%s crashed:\n%s", w.running.name, text)
	}
	var err error
	w.running, err = w.startController(s)
	return err
}

// crash returns how the last controller ended, if it ended by itself because of a bug.
func (w *world) crash() string {
	if w.running == nil {
		return ""
	}
	return w.running.crashed()
}

// alive starts a new controller if the last one has ended, as Kubernetes does.
func (w *world) alive() error {
	if w.running != nil && w.running.alive() {
		return nil
	}
	return w.restart(start{})
}

// working waits until a controller works.
func (c *controller) working(ctx context.Context, limit time.Duration) error {
	for end := time.Now().Add(limit); !c.works(); pause(ctx, 20*time.Millisecond) {
		if time.Now().After(end) || ctx.Err() != nil || !c.alive() {
			return fmt.Errorf("%s does not begin to work within %s; see %s", c.name, limit, c.log)
		}
	}
	return nil
}

// ask makes users repeat an operation until the returned function is called.
func (w *world) ask(ctx context.Context, name string, fits func(*slot) bool) (enough func()) {
	d := &demand{name: name, fits: fits, left: make(chan struct{}, 3)}
	ctx, cancel := context.WithCancel(ctx)
	w.demand.Store(d)
	go func() {
		for ctx.Err() == nil {
			for range cap(d.left) {
				select {
				case d.left <- struct{}{}:
				default:
				}
			}
			pause(ctx, 2*time.Second)
		}
	}()
	return func() {
		cancel()
		w.demand.CompareAndSwap(d, nil)
	}
}

// killController kills the controller at a random time.
func (a *agenda) killController(ctx context.Context) error {
	pause(ctx, a.upTo(1500*time.Millisecond))
	a.running.kill()
	a.count("controller killed")
	return a.restart(start{})
}

// stopController stops the controller during creates that take longer than its grace period, or
// not.
func (a *agenda) stopController(ctx context.Context, grace time.Duration) error {
	if err := a.restart(start{grace: grace}); err != nil {
		return err
	}
	if err := a.slowCreates(ctx, 2500*time.Millisecond); err != nil {
		return err
	}
	err := a.running.stop(ctx, grace+15*time.Second)
	a.count(fmt.Sprintf("controller stopped, grace period %s", grace))
	if err != nil {
		return err
	}
	return a.restart(start{})
}

// slowCreates makes the running controller start creates of that duration.
func (a *agenda) slowCreates(ctx context.Context, long time.Duration) error {
	if err := a.running.working(ctx, a.begins()); err != nil {
		return err
	}
	earlier, err := a.cloud.creating(ctx)
	if err != nil {
		return err
	}
	if err := a.cloud.addFault(ctx, fault{"on": "create", "task_delay": long.String(), "count": 4}); err != nil {
		return err
	}
	enough := a.ask(ctx, opCreate, every)
	defer enough()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, 50*time.Millisecond) {
		under, err := a.cloud.creating(ctx)
		under = slices.DeleteFunc(under, func(t task) bool { return slices.Contains(earlier, t) })
		if err == nil && len(under) > 1 {
			return nil
		}
	}
	a.note("no creates are under way")
	return ctx.Err()
}

// hitProvider kills or pauses one of the providers' processes.
func (a *agenda) hitProvider(ctx context.Context, what string) error {
	if err := a.alive(); err != nil {
		return err
	}
	pause(ctx, a.upTo(time.Second))
	_, all := a.programs(a.running.pid())
	if len(all) == 0 {
		return nil
	}
	pid := all[a.random.IntN(len(all))]
	a.count("provider " + what)
	a.note("provider %d is %s", pid, what)
	switch what {
	case "killed":
		_ = syscall.Kill(pid, syscall.SIGKILL)
	case "paused":
		_ = syscall.Kill(pid, syscall.SIGSTOP)
		pause(ctx, time.Second+a.upTo(2*time.Second))
		_ = syscall.Kill(pid, syscall.SIGCONT)
	case "killed, then the controller":
		_ = syscall.Kill(pid, syscall.SIGKILL)
		pause(ctx, a.upTo(300*time.Millisecond))
		a.running.kill()
		return a.restart(start{})
	}
	return nil
}

// providersAt kills the providers' processes during a call.
func (a *agenda) providersAt(ctx context.Context, process faultpoint.Process) error {
	p := faultpoint.Point{Process: process, Step: faultpoint.InFlight}
	if err := a.restart(start{at: p.String() + ":1:" + string(faultpoint.KillProviders)}); err != nil {
		return err
	}
	ok, err := a.provoke(ctx, p, func(c *controller) bool { return c.reached(p) })
	if ok {
		a.count("provider killed in flight: " + string(process))
	}
	return err
}

// fence pauses a controller that has the lease at a point until another one has taken over, and
// then resumes it.
func (a *agenda) fence(ctx context.Context, p faultpoint.Point) error {
	a.suspended.Store(true)
	defer a.suspended.Store(false)
	if err := a.restart(start{elected: true, at: p.String() + ":1:" + string(faultpoint.Pause)}); err != nil {
		return err
	}
	first := a.running
	ok, err := a.provoke(ctx, p, func(c *controller) bool { return c.reached(p) })
	if err != nil || !ok {
		return err
	}
	second, err := a.startController(start{elected: true})
	if err != nil {
		return err
	}
	a.running = second
	defer first.kill()
	if err := second.working(ctx, 30*time.Second); err != nil {
		return err
	}
	// Enough time for it to find the state that the first one left.
	pause(ctx, 2*time.Second)
	first.signal(syscall.SIGCONT)
	a.count("controller paused beyond its lease: " + p.String())
	return first.ends(ctx, 30*time.Second)
}

// handOver stops a controller that has the lease during creates, while another one waits.
func (a *agenda) handOver(ctx context.Context) error {
	if err := a.restart(start{elected: true}); err != nil {
		return err
	}
	first := a.running
	if err := first.working(ctx, 30*time.Second); err != nil {
		return err
	}
	second, err := a.startController(start{elected: true})
	if err != nil {
		return err
	}
	defer first.kill()
	err = a.slowCreates(ctx, 2500*time.Millisecond)
	a.running = second
	if err != nil {
		return err
	}
	a.count("controller stopped, another one takes over")
	if err := first.stop(ctx, 30*time.Second); err != nil {
		return err
	}
	return second.working(ctx, 30*time.Second)
}
