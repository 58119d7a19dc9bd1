package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/landbridge-io/landbridge/test/simulation"
	"github.com/landbridge-io/landbridge/test/simulation/unmanaged"
)

var (
	operations = flag.Int("ops", 100000, "number of operations of users")
	seed       = flag.Uint64("seed", 1, "seed of all schedules")
	schedule   = flag.Int64("schedule", -1, "print the trace of this schedule alone")
	first      = flag.Bool("first", false, "stop after the first schedule that violates an invariant")
	replay     = flag.String("replay", "", "print the trace of the schedule in this file")
	lists      = flag.Bool("lists", false, "have objects looked at by listing; without -shrink")
	approvals  = flag.Bool("approvals", false,
		"have resources with approval policies, and providers that cannot be started for a while; without -shrink")
	references = flag.Bool("references", false, "have resources that refer to each other, whose objects are replaced; without -shrink")
	brake      = flag.Bool("brake", false, "have the brake limit how much is destroyed, and everything deleted now and then; without -shrink")
	accounts   = flag.Bool("accounts", false,
		"have a cloud with several accounts, and provider configurations that are changed; without -shrink")
	triggers = flag.Bool("triggers", false, "have resources with actions that are invoked before and after changes; without -shrink")
	versions = flag.Bool("versions", false,
		"have the provider's version changed to and fro, also while objects are changed; without -shrink")
	kinds = flag.Bool("unmanaged", false, "simulate actions, ephemeral resources and data sources instead; "+
		"without -shrink, and the other kinds of schedules")
	replicas = flag.Int("replicas", 1, "have this number of replicas share the work by shards; 1 is a leader that does all of it")
	keep     = flag.String("keep", "", "with -shrink, write the schedule to this file")
	shard    = flag.Uint64("shard", 0, "with -shards, the number of this one")
	shards   = flag.Uint64("shards", 0, "carry out one of this number of parts, and print the result as JSON")
	shrink   = flag.Bool("shrink", false, "print the trace of the first schedule that violates an invariant, shrunk")
)

func main() {
	debug.SetGCPercent(400)
	simulation.Bubbles(func(t *testing.T) bool {
		options := simulation.Options{
			Seed: *seed, Operations: *operations, First: *first, Lists: *lists, Approvals: *approvals,
			References: *references, Brake: *brake, Accounts: *accounts, Triggers: *triggers, Versions: *versions, Replicas: *replicas,
			Shard: *shard, Shards: *shards,
		}
		runs, traces := simulation.Run, simulation.Trace
		if *kinds {
			runs, traces = unmanaged.Run, unmanaged.Trace
		}
		if *schedule >= 0 {
			trace, violations := traces(t, options, uint64(*schedule))
			fmt.Println(trace)
			return len(violations) > 0
		}
		if *replay != "" {
			kept, err := os.ReadFile(*replay)
			if err != nil {
				t.Fatal(err)
			}
			trace, violations := simulation.Replay(t, string(kept))
			fmt.Println(trace)
			return len(violations) > 0
		}
		if *shards > 0 {
			result := runs(t, options)
			if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
				t.Fatal(err)
			}
			return false
		}
		result, err := runShards(runtime.NumCPU())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range result.Failures[:min(20, len(result.Failures))] {
			fmt.Println(f)
		}
		if *shrink && len(result.Failures) > 0 {
			kept := simulation.Shrink(t, result.Failures[0])
			fmt.Println(kept)
			if *keep != "" {
				if err := os.WriteFile(*keep, []byte(kept.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		fmt.Println(result)
		return len(result.Failures) > 0
	})
}

// runShards runs a process for each processor: what is random in a schedule is the same each time,
// and that is a matter of a whole process.
func runShards(n int) (*simulation.Result, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	type outcome struct {
		result *simulation.Result
		err    error
	}
	outcomes := make(chan outcome)
	var running []*exec.Cmd
	for i := range n {
		cmd := exec.Command(program, append(slices.Clone(os.Args[1:]), fmt.Sprintf("-shard=%d", i), fmt.Sprintf("-shards=%d", n))...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		running = append(running, cmd)
		go func() {
			result := &simulation.Result{}
			err := cmd.Wait()
			if err == nil {
				err = json.Unmarshal(out.Bytes(), result)
			}
			outcomes <- outcome{result, err}
		}()
	}
	all := &simulation.Result{}
	stopped := false
	for range n {
		o := <-outcomes
		switch {
		case stopped: // its result is not wanted any more
		case o.err != nil:
			return nil, o.err
		default:
			all.Add(o.result)
		}
		if *first && len(all.Failures) > 0 {
			stopped = true
			for _, cmd := range running {
				_ = cmd.Process.Kill()
			}
		}
	}
	return all, nil
}
