package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

// bringer is an operation on some resources that makes a controller reach the fault points of a
// process.
type bringer struct {
	operation string
	fits      func(*slot) bool
}

func foreseen(s *slot) bool { return s.kind.foreseen }

func createsFirst(s *slot) bool { return s.createFirst }

func destroysFirst(s *slot) bool {
	return s.kind.replace != nil && !s.createFirst && !s.kind.module // a module is updated
}

var bringers = map[faultpoint.Process]bringer{
	faultpoint.Create:         {opCreate, every},
	faultpoint.Update:         {opUpdate, every},
	faultpoint.Delete:         {opRecreate, every},
	faultpoint.Destroy:        {opReplace, destroysFirst},
	faultpoint.Recreate:       {opReplace, destroysFirst},
	faultpoint.CreateFirst:    {opReplace, createsFirst},
	faultpoint.DestroyDeposed: {opReplace, createsFirst},
	faultpoint.RecoverCreate:  {opCreate, foreseen},
	faultpoint.Recover:        {opUpdate, every},
	faultpoint.Import:         {opLoseStored, every},
	faultpoint.Asked:          {opTaint, every},
	faultpoint.Annotate:       {opCreate, every},
	faultpoint.Status:         {opUpdate, every},
	faultpoint.Finalize:       {opRecreate, every},
	faultpoint.CommandLine:    {opRecreate, every},
}

// before has the preparations without which a controller does not reach the points of a process.
var before = map[faultpoint.Process]faultpoint.Point{
	faultpoint.RecoverCreate: {Process: faultpoint.Create, Step: faultpoint.InFlight},
	faultpoint.Recover:       {Process: faultpoint.Update, Step: faultpoint.InFlight},
}

// dieAt makes a controller die at a point, and then starts the next one. It is not an error if the
// point is not reached in time: the report lists points that were not reached.
func (a *agenda) dieAt(ctx context.Context, p faultpoint.Point) error {
	if first, ok := before[p.Process]; ok {
		if ok, err := a.die(ctx, first, bringers[p.Process]); err != nil || !ok {
			return err
		}
	}
	if p.Process == faultpoint.Import {
		// The next process lacks the stored state.
		enough := a.ask(ctx, opLoseStored, every)
		n := a.injections(opLoseStored)
		for end := time.Now().Add(15 * time.Second); a.injections(opLoseStored) == n && time.Now().Before(end) && ctx.Err() == nil; {
			pause(ctx, 20*time.Millisecond)
		}
		enough()
		pause(ctx, 100*time.Millisecond)
	}
	ok, err := a.die(ctx, p, bringers[p.Process])
	if ok {
		a.reached[p] = true
	}
	return err
}

func (w *world) injections(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.injected[what]
}

// die starts a controller that dies at a point, and waits until it has died.
func (a *agenda) die(ctx context.Context, p faultpoint.Point, by bringer) (bool, error) {
	if err := a.restart(start{at: p.String() + ":1:" + string(faultpoint.Kill)}); err != nil {
		return false, err
	}
	ok, err := a.provokeBy(ctx, p, by, func(c *controller) bool { return !c.alive() })
	if err != nil || !ok {
		return false, err
	}
	if !a.running.reached(p) {
		return false, fmt.Errorf("%s ended before it got to %s: %w; see %s", a.running.name, p, a.running.err, a.running.log)
	}
	return true, nil
}

// provoke makes users do the operation that leads the controller to a point, until it is reached.
func (a *agenda) provoke(ctx context.Context, p faultpoint.Point, there func(*controller) bool) (bool, error) {
	return a.provokeBy(ctx, p, bringers[p.Process], there)
}

func (a *agenda) provokeBy(ctx context.Context, p faultpoint.Point, by bringer, there func(*controller) bool) (bool, error) {
	if p.Step == faultpoint.InFlight && p.Process == faultpoint.Update {
		// Updates are instantaneous otherwise.
		if err := a.cloud.addFault(ctx, fault{"on": "update", "delay": "300ms", "count": 6}); err != nil {
			return false, err
		}
	}
	defer a.ask(ctx, by.operation, by.fits)()
	for end := time.Now().Add(20 * time.Second); ; pause(ctx, 15*time.Millisecond) {
		switch {
		case there(a.running):
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case time.Now().After(end):
			a.note("%s was not reached in time", p)
			return false, nil
		}
	}
}
