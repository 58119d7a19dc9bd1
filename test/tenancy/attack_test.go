package tenancy_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// attack is something that a user tries to do without the right to.
type attack struct {
	attacker, means string
	// refusal is what is expected instead.
	refusal string
	// try reports whether the attack succeeds.
	try func(t *testing.T, x *world) bool
	// control reports whether the same means succeed where they are allowed. It must, since the
	// refusal would prove nothing otherwise.
	control func(t *testing.T, x *world) bool
}

// tally counts the attacks that were decided.
type tally struct {
	mu                 sync.Mutex
	refused, succeeded int
}

var results tally

func (r *tally) add(success bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if success {
		r.succeeded++
	} else {
		r.refused++
	}
}

// line returns the closing line.
func (r *tally) line() string {
	return fmt.Sprintf("tenancy: %d attacks, %d refused, %d succeeded", r.refused+r.succeeded, r.refused, r.succeeded)
}

// tables are all attacks, by what they are about.
var tables = []map[string]attack{
	apiServer, token, references, objects, accounts, strangers, configurations, secrets, modules, plans, stops,
	imports, conversions, load, failures, queries, actions,
}

func TestTenancy(t *testing.T) {
	attacks := map[string]attack{}
	for _, table := range tables {
		for name, a := range table {
			if _, taken := attacks[name]; taken {
				t.Fatalf("two attacks are called %q", name)
			}
			attacks[name] = a
		}
	}
	x := newWorld(t)
	for _, name := range slices.Sorted(maps.Keys(attacks)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attacks[name].run(t, x, name)
		})
	}
}

func (a attack) run(t *testing.T, x *world, name string) {
	success := a.try(t, x.called(name+" attack"))
	results.add(success)
	verdict := "refused: " + a.refusal
	if success {
		verdict = "SUCCEEDED instead of: " + a.refusal
		t.Errorf("%s %s, and succeeds; want: %s", a.attacker, a.means, a.refusal)
	}
	fmt.Printf("%s | %s | %s | %s\n", name, a.attacker, a.means, verdict)
	if !a.control(t, x.called(name+" control")) {
		t.Error("the control does not succeed, so the refusal proves nothing")
	}
}

// objectName returns the name of a resource for a text.
func objectName(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(text)), "-")
}
