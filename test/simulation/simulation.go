package simulation

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// perSchedule is the number of operations of a schedule.
const perSchedule = 100

// Options of a simulation.
type Options struct {
	Seed       uint64
	Operations int
	// Lists has objects looked at by listing. Approvals has resources with approval policies, and
	// providers that cannot be started for a while. Their schedules are others than those without,
	// and cannot be shrunk.
	Lists, Approvals bool
	// References has resources that refer to each other, whose objects are replaced. Their
	// schedules cannot be shrunk.
	References bool
	// Brake limits how much is destroyed, and has everything deleted now and then. Such schedules
	// are others, too.
	Brake bool
	// Accounts has a cloud with several accounts, and provider configurations that are changed. Its
	// schedules cannot be shrunk either.
	Accounts bool
	// Triggers has resources with actions that are invoked before and after changes. Its schedules
	// cannot be shrunk either.
	Triggers bool
	// Versions has the provider's version changed to and fro, and its schedules cannot be shrunk.
	Versions bool
	// Replicas is the number of replicas that share the work by shards. With at most one, a leader
	// does all of it.
	Replicas int
	// First ends the simulation with the first schedule that violates an invariant.
	First bool
	// Shard is which of Shards parts of the schedules are carried out. Defaults to all of them.
	Shard, Shards uint64
}

// Result is what a simulation found.
type Result struct {
	Operations, Schedules int
	// Approvals, References, Brake, Accounts, Triggers, Versions and Replicas are those of Options.
	Approvals, References, Brake, Accounts, Triggers, Versions bool
	Replicas                                                   int
	// Unmanaged is set for the simulation of actions, ephemeral resources and data sources.
	Unmanaged bool
	// Failures are in the order of their schedules.
	Failures []Failure
}

// Failure is a schedule that violated invariants.
type Failure struct {
	Seed, Schedule uint64
	// Replicas is that of Options.
	Replicas   int
	Choices    []uint32
	Violations []Violation
}

// String names the schedule, and what it violated.
func (f Failure) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "schedule %d of seed %d:", f.Schedule, f.Seed)
	for _, v := range f.Violations {
		fmt.Fprintf(&out, "\n  %s: %.300s", v.Kind, v.Text)
	}
	return out.String()
}

// Count returns the number of violations of a kind.
func (r *Result) Count(kind ViolationKind) int {
	n := 0
	for _, f := range r.Failures {
		for _, v := range f.Violations {
			if v.Kind == kind {
				n++
			}
		}
	}
	return n
}

// String is the closing line.
func (r *Result) String() string {
	if r.Unmanaged {
		return fmt.Sprintf("simulate: %d operations, %d schedules, %d invoked again, %d outcomes lost, %d left "+
			"open, %d closed in use, %d wrong results, %d secrets shown, %d stuck",
			r.Operations, r.Schedules, r.Count(InvokedAgain), r.Count(OutcomeLost), r.Count(LeftOpen),
			r.Count(ClosedInUse), r.Count(WrongResult), r.Count(SecretShown), r.Count(Stuck))
	}
	out := fmt.Sprintf("simulate: %d operations, %d schedules, %d duplicates, %d orphans, %d lost secrets, %d "+
		"destroyed unasked, %d second writers, %d stuck",
		r.Operations, r.Schedules, r.Count(Duplicate), r.Count(Orphan), r.Count(LostSecret), r.Count(Destroyed),
		r.Count(SecondWriter), r.Count(Stuck))
	if r.Approvals {
		out += fmt.Sprintf(", %d unapproved", r.Count(Unapproved))
	}
	if r.References {
		out += fmt.Sprintf(", %d dependents", r.Count(Dependents))
	}
	if r.Brake {
		out += fmt.Sprintf(", %d unbraked", r.Count(Unbraked))
	}
	if r.Accounts {
		out += fmt.Sprintf(", %d of strangers changed", r.Count(Strange))
	}
	if r.Triggers {
		out += fmt.Sprintf(", %d invoked again, %d untriggered", r.Count(InvokedAgain), r.Count(Untriggered))
	}
	if r.Versions {
		out += fmt.Sprintf(", %d not rolled back", r.Count(NotRolledBack))
	}
	if r.Replicas > 1 {
		out += fmt.Sprintf(", %d double work", r.Count(DoubleWork))
	}
	return out
}

// Bubbles runs a program that is not a test with a testing.T, which synctest needs, and ends the
// process.
func Bubbles(program func(t *testing.T) (failed bool)) {
	main := func(t *testing.T) {
		status := 0
		if program(t) {
			status = 1
		}
		os.Exit(status) // without the messages of package testing
	}
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "simulation", F: main}}, nil, nil)
}

// run carries out one schedule, and returns its violations.
func run(t *testing.T, c *choices, tr *trace) []Violation { return runUntil(t, c, tr, "") }

// runUntil carries out one schedule until a violation of a kind, and returns the violations of the
// kind; all without one.
func runUntil(t *testing.T, c *choices, tr *trace, kind ViolationKind) []Violation {
	var out []Violation
	sameRandomness(func() {
		t.Run("schedule", func(t *testing.T) {
			synctest.Test(t, func(*testing.T) {
				w := newWorld(c, tr)
				w.check.sought = kind
				w.run(perSchedule)
				out = slices.DeleteFunc(w.check.violations, func(v Violation) bool { return kind != "" && v.Kind != kind })
			})
		})
	})
	return out
}

// Trace carries out one schedule, and returns its trace.
func Trace(t *testing.T, o Options, schedule uint64) (string, []Violation) {
	tr := &trace{}
	violations := run(t, newChoices(o, schedule), tr)
	return tr.String(), violations
}

// Run carries out schedules, one after the other.
func Run(t *testing.T, o Options) *Result {
	out := &Result{
		Approvals: o.Approvals, References: o.References, Brake: o.Brake, Accounts: o.Accounts, Triggers: o.Triggers,
		Versions: o.Versions,
		Replicas: o.Replicas,
	}
	total := uint64((o.Operations + perSchedule - 1) / perSchedule)
	for n := o.Shard; n < total && !(o.First && len(out.Failures) > 0); n += max(1, o.Shards) {
		c := newChoices(o, n)
		violations := run(t, c, nil)
		out.Operations += perSchedule
		out.Schedules++
		if len(violations) > 0 {
			out.Failures = append(out.Failures, Failure{o.Seed, n, o.Replicas, c.made, violations})
		}
	}
	return out
}

// Add adds the result of another shard.
func (r *Result) Add(other *Result) {
	r.Operations += other.Operations
	r.Schedules += other.Schedules
	r.Approvals, r.Accounts = r.Approvals || other.Approvals, r.Accounts || other.Accounts
	r.Versions = r.Versions || other.Versions
	r.References, r.Brake = r.References || other.References, r.Brake || other.Brake
	r.Triggers = r.Triggers || other.Triggers
	r.Replicas = max(r.Replicas, other.Replicas)
	r.Unmanaged = r.Unmanaged || other.Unmanaged
	r.Failures = append(r.Failures, other.Failures...)
	slices.SortFunc(r.Failures, func(a, b Failure) int { return cmp.Compare(a.Schedule, b.Schedule) })
}
