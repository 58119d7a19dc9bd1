package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
)

// Faults of the command line programs with spec.execution CLI.

// programs returns the child processes of a controller that run in a workspace; the others are
// providers.
func (w *world) programs(pid int) (programs, providers []int) {
	for _, child := range processtest.Children(pid) {
		dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", child))
		switch {
		case err != nil: // it is gone
		case strings.HasPrefix(dir, w.workspaces()+"/"):
			programs = append(programs, child)
		default:
			providers = append(providers, child)
		}
	}
	return programs, providers
}

// workspaces is the directory for the controllers' workspaces.
func (w *world) workspaces() string { return filepath.Join(w.dir, "cli") }

// cliFaults returns all of them. Small runs try them, too.
func (a *agenda) cliFaults() []item {
	out := []item{
		{name: "kill the command line", do: a.killPrograms},
		{name: "kill the command line while it creates", do: a.killCreating},
		{name: "pause the command line", do: a.pausePrograms},
		{name: "remove the command line's directories", do: a.removeWorkspaces},
	}
	for _, p := range []faultpoint.Point{
		{Process: faultpoint.CommandLine, Step: faultpoint.BeforeAsk},
		{Process: faultpoint.CommandLine, Step: faultpoint.BeforeAnswer},
	} {
		out = append(out, item{
			name: "kill the command line: " + string(p.Step), do: func(ctx context.Context) error {
				return a.programsAt(ctx, p)
			},
		})
	}
	return out
}

// working keeps the running controller busy with user operations until the returned function is
// called.
func (a *agenda) busy(ctx context.Context, operation string) (enough func(), err error) {
	if err := a.alive(); err != nil {
		return nil, err
	}
	if err := a.running.working(ctx, 30*time.Second); err != nil {
		return nil, err
	}
	return a.ask(ctx, operation, every), nil
}

// killPrograms kills every other program for a while, at random ages.
func (a *agenda) killPrograms(ctx context.Context) error {
	for _, operation := range []string{opUpdate, opRecreate} {
		enough, err := a.busy(ctx, operation)
		if err != nil {
			return err
		}
		due := map[int]time.Time{} // zero: it may live
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end) && ctx.Err() == nil; pause(ctx, 3*time.Millisecond) {
			all, _ := a.programs(a.running.pid())
			for _, pid := range all {
				at, ok := due[pid]
				if !ok {
					if a.random.IntN(2) == 0 {
						at = time.Now().Add(a.upTo(400 * time.Millisecond))
					}
					due[pid] = at
				}
				if !at.IsZero() && time.Now().After(at) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
					due[pid] = time.Time{}
					a.count("command line killed")
				}
			}
		}
		enough()
	}
	return a.alive()
}

// killCreating kills the programs that wait for a create.
func (a *agenda) killCreating(ctx context.Context) error {
	if err := a.alive(); err != nil {
		return err
	}
	if err := a.slowCreates(ctx, 2*time.Second); err != nil {
		return err
	}
	all, _ := a.programs(a.running.pid())
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		a.count("command line killed while it creates")
	}
	return nil
}

// pausePrograms pauses running programs and resumes them later.
func (a *agenda) pausePrograms(ctx context.Context) error {
	enough, err := a.busy(ctx, opUpdate)
	if err != nil {
		return err
	}
	defer enough()
	pause(ctx, time.Second+a.upTo(time.Second))
	all, _ := a.programs(a.running.pid())
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
		a.count("command line paused")
	}
	pause(ctx, 3*time.Second)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	return nil
}

// removeWorkspaces removes the workspaces, including those in use.
func (a *agenda) removeWorkspaces(ctx context.Context) error {
	enough, err := a.busy(ctx, opUpdate)
	if err != nil {
		return err
	}
	defer enough()
	pause(ctx, a.upTo(time.Second))
	a.count("command line's directories removed")
	a.note("the command line's directories are removed")
	err = os.RemoveAll(a.workspaces())
	for range 20 {
		if !errors.Is(err, syscall.ENOTEMPTY) {
			break
		}
		err = os.RemoveAll(a.workspaces()) // a program has made a file meanwhile
	}
	if err != nil {
		return err
	}
	pause(ctx, 2*time.Second)
	return nil
}

// programsAt kills the programs at a certain time of a change.
func (a *agenda) programsAt(ctx context.Context, p faultpoint.Point) error {
	if err := a.restart(start{at: p.String() + ":1:" + string(faultpoint.KillPrograms)}); err != nil {
		return err
	}
	ok, err := a.provoke(ctx, p, func(c *controller) bool { return c.reached(p) })
	if ok {
		a.count("command line killed: " + string(p.Step))
	}
	return err
}
