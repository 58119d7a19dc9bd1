package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// Counters counts what was compared.
type Counters struct {
	// Steps counts the steps compared, Runs the runs of tofu.
	Steps, Runs int
	// Ours and Theirs are the time that the two sides took.
	Ours, Theirs time.Duration
	// Covered counts the steps for each situation that has to be covered. Seen counts sequences of
	// calls and faults, Uses how often each deliberate difference occurred.
	Covered, Seen, Uses map[string]int
}

// NewCounters returns counters at zero.
func NewCounters() Counters {
	c := Counters{Covered: map[string]int{}, Seen: map[string]int{}, Uses: map[string]int{}}
	for name := range covers {
		c.Covered[name] = 0
	}
	return c
}

// Add adds others.
func (c *Counters) Add(others Counters) {
	c.Steps += others.Steps
	c.Runs += others.Runs
	c.Ours += others.Ours
	c.Theirs += others.Theirs
	for _, pair := range [][2]map[string]int{{c.Covered, others.Covered}, {c.Seen, others.Seen}, {c.Uses, others.Uses}} {
		for name, n := range pair[1] {
			pair[0][name] += n
		}
	}
}

// Uncovered returns the situations that were not covered.
func (c *Counters) Uncovered() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Covered)) {
		if c.Covered[name] == 0 {
			out = append(out, name)
		}
	}
	return out
}

// Unmet returns the deliberate differences that did not occur.
func (c *Counters) Unmet() []string {
	var out []string
	for _, r := range deliberate {
		if c.Uses[r.Name] == 0 {
			out = append(out, r.Name)
		}
	}
	return out
}

// Lines returns the counts of a map, in order.
func Lines(m map[string]int) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%6d  %s", m[name], name))
	}
	return out
}

// covers has each situation that has to be covered, and whether a step was in it.
var covers = func() map[string]func(*compared) bool {
	calls := func(rpc string) func(*compared) bool {
		return func(x *compared) bool { return slices.Contains(names(x.ours.Calls()), rpc) }
	}
	isPlanned := func(action, reason string) func(*compared) bool {
		return func(x *compared) bool {
			return slices.Contains(x.engine.planned, tofu.Change{Action: action, Reason: reason})
		}
	}
	imports := func(by cases.Import) func(*compared) bool {
		return func(x *compared) bool { return x.step().Import == by && calls("Import")(x) }
	}
	says := func(is func(said) bool) func(*compared) bool {
		return func(x *compared) bool { return slices.ContainsFunc(x.engine.said, is) }
	}
	out := map[string]func(*compared) bool{
		"through a manifest": func(x *compared) bool { return !x.track.c.Direct },
		"engine alone":       func(x *compared) bool { return x.track.c.Direct },
		"landbridge program": func(x *compared) bool { return x.engine.shown != "" },
		"legacy type system": func(x *compared) bool { return x.track.c.Legacy || x.track.c.Style == cases.SDK },
		"plan: create":       isPlanned("create", ""),
		"plan: update":       isPlanned("update", ""),
		"plan: no-op": func(x *compared) bool {
			return x.engine.reached == applies && calls("Plan")(x) && len(x.engine.planned) == 0
		},
		"plan: delete":                 isPlanned("delete", ""),
		"plan: replace, tainted":       isPlanned("replace", "tainted"),
		"plan: replace, cannot update": isPlanned("replace", "cannot_update"),
		"plan: import only":            isPlanned("import", ""),
		"drift":                        func(x *compared) bool { return len(x.engine.drift) > 0 },
		"create before destroy":        func(x *compared) bool { return x.after.CreateBeforeDestroy },
		"ends tainted":                 func(x *compared) bool { return x.after.Status == instance.Tainted },
		"begins with a deposed object": func(x *compared) bool { return len(x.before.Deposed) > 0 },
		"ends with a deposed object":   func(x *compared) bool { return len(x.after.Deposed) > 0 },
		"upgrade of a state":           func(x *compared) bool { return len(x.before.RawState) > 0 && calls("Upgrade")(x) },
		"upgrade of an identity":       calls("UpgradeIdentity"),
		"import by id":                 imports(cases.ImportByID),
		"import by identity":           imports(cases.ImportByIdentity),
		"move from another type":       calls("Move"),
		"provider_meta":                func(x *compared) bool { return x.track.c.Direct && (calls("Read")(x) || calls("Plan")(x)) },
		"sensitive: marked by user":    func(x *compared) bool { return x.track.c.Direct && len(x.marks(x.after)) > 0 },
		"sensitive: from Secrets":      func(x *compared) bool { return !x.track.c.Direct && len(x.after.SensitivePaths) > 0 },
		"diagnostics: error":           says(said.isError),
		"diagnostics: warning":         says(func(s said) bool { return !s.isError() }),
		"diagnostics: with attribute":  says(func(s said) bool { return len(s.Path) > 0 }),
		"ignore_changes: some":         func(x *compared) bool { return len(x.step().IgnoreChanges) > 0 && x.before.Exists() },
		"ignore_changes: all": func(x *compared) bool {
			return slices.Equal(x.step().IgnoreChanges, []string{"*"}) && x.before.Exists()
		},
	}
	for provider := range makers {
		out["provider: "+provider] = func(x *compared) bool { return x.track.provider == provider }
	}
	for rpc := range cases.Faults {
		out["fault: "+rpc] = func(x *compared) bool { return x.fault(rpc) != "" && calls(rpc)(x) }
	}
	for _, phase := range []phase{validates, plans, applies} {
		out["reached: "+string(phase)] = func(x *compared) bool { return x.engine.reached == phase }
	}
	return out
}()

// see counts the situations that a step was in.
func (h *Harness) see(x *compared) {
	for name, is := range covers {
		if is(x) {
			h.Covered[name]++
		}
	}
	calls := names(x.ours.Calls())
	h.Seen["calls "+strings.Join(calls, " ")]++
	for rpc, kind := range x.step().Faults {
		if slices.Contains(calls, rpc) {
			h.Seen["fault "+rpc+" "+kind]++
		}
	}
}
