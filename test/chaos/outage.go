package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// Faults of the API server and the cloud.

// apiServer stops the API server for a while.
func (a *agenda) apiServer(ctx context.Context, how string, elected bool) error {
	if err := a.restart(start{elected: elected}); err != nil {
		return err
	}
	if err := a.running.working(ctx, a.begins()); err != nil {
		return err
	}
	pause(ctx, a.upTo(time.Second))
	a.count("API server " + how)
	a.note("the API server is %s", how)
	// Longer than the lease, so that its holder must give it up.
	away := a.lease() + time.Second + a.upTo(time.Second)
	if how == "paused" {
		_ = syscall.Kill(a.server.PID, syscall.SIGSTOP)
		pause(ctx, away)
		_ = syscall.Kill(a.server.PID, syscall.SIGCONT)
		a.note("the API server goes on")
		return a.alive()
	}
	var err error
	if how == "killed" {
		a.server.Kill()
	} else {
		err = a.server.Stop()
	}
	pause(ctx, away)
	if err = errors.Join(err, a.startAPIServer(ctx)); err != nil {
		return err
	}
	a.note("the API server is back")
	return a.alive()
}

func (w *world) startAPIServer(ctx context.Context) error {
	o := playgroundtest.Options{Dir: filepath.Join(w.dir, "cluster"), Port: w.port}
	server, err := playgroundtest.Run(ctx, o)
	if err != nil {
		return fmt.Errorf("the API server does not come back: %w", err)
	}
	w.server = server
	return nil
}

// cloudAway stops the cloud for a while.
func (a *agenda) cloudAway(ctx context.Context) error {
	if err := a.alive(); err != nil {
		return err
	}
	a.count("cloud killed")
	a.note("the cloud is killed")
	a.cloud.kill()
	pause(ctx, time.Second+a.upTo(2*time.Second))
	defer a.note("the cloud is back")
	return a.cloud.start(ctx)
}

// weather lists faults of the cloud. Faults apply to a number of requests, or until the next
// weather.
var weather = map[string][]fault{
	"refuses everything for a moment": {{"status": 503, "count": 40}},
	"throttles":                       {{"status": 429, "count": 25}, {"on": "create", "status": 429, "count": 4}},
	"drops connections": {
		{"drop": true, "count": 30}, {"on": "create", "drop": true, "count": 3}, {
			"on": "update", "drop": true, "count": 5,
		},
	},
	"is slow": {{"delay": "400ms", "count": 60}, {"task_delay": "1500ms", "count": 10}},
	"fails tasks": {
		{"on": "create", "task_outcome": "fail", "count": 3}, {"on": "delete", "task_outcome": "fail", "count": 2},
	},
	"never ends tasks": {{"on": "create", "task_outcome": "hang", "count": 2}},
	"loses answers": {
		{"on": "create", "collection": "datastores", "lose_answer": true, "count": 2},
		{"on": "create", "collection": "tickets", "lose_answer": true, "count": 2},
		{"on": "update", "lose_answer": true, "count": 6}, {"on": "delete", "lose_answer": true, "count": 4},
		{"on": "task", "lose_answer": true, "count": 6},
	},
	"shows what it made later": {{"on": "create", "visible_after": "600ms", "count": 6}},
}

// drawn are the behaviours of the catalogue that leave what users see of the cloud's objects, and
// what is stored of them, as it is. The others are tried by test/world, where it is known which
// object each is about.
var drawn = []string{
	"stale-read", "reserved-name", "throttled-with-time", "throttled-without-time", "exhausted-quota", "skewed-clock", "second-delete",
	"blocking-dependents",
}

func init() {
	for _, b := range examplecloudtest.Catalogue {
		if !slices.Contains(drawn, b.Name) {
			continue
		}
		for _, f := range b.Faults {
			limited := maps.Clone(fault(f))
			limited["count"] = 8
			weather["behaves: "+b.Name] = append(weather["behaves: "+b.Name], limited)
		}
	}
}

// cloudWeather lets users work during faults of the cloud.
func (a *agenda) cloudWeather(ctx context.Context, name string) error {
	if err := a.alive(); err != nil {
		return err
	}
	if err := a.running.working(ctx, a.begins()); err != nil {
		return err
	}
	// Unknown outcomes of earlier processes are resolved first, because faults may hide existing
	// objects.
	pause(ctx, time.Second)
	a.count("cloud " + name)
	a.note("the cloud %s", name)
	for _, f := range weather[name] {
		if err := a.cloud.addFault(ctx, f); err != nil {
			return err
		}
	}
	for _, by := range []string{opUpdate, opRecreate} {
		enough := a.ask(ctx, by, every)
		pause(ctx, 1200*time.Millisecond)
		enough()
	}
	a.note("the cloud is well again")
	return a.calm(ctx)
}

// calm ends all faults of the cloud and removes their effects.
func (a *agenda) calm(ctx context.Context) error {
	if err := a.cloud.clearFaults(ctx); err != nil {
		return err
	}
	under, err := a.cloud.creating(ctx)
	if err != nil {
		return err
	}
	for _, t := range under {
		outcome := "succeed"
		if a.random.IntN(2) == 0 {
			outcome = "fail"
		}
		var gone *cloudError
		if err := a.cloud.endTask(ctx, t.ID, outcome); err != nil && !errors.As(err, &gone) {
			return err
		}
	}
	return nil
}
