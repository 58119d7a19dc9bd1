package simulation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// attempts bounds the schedules that a shrink carries out.
const attempts = 600

// Shrink returns the simplest schedule that it finds with a violation of the same kind: with as few
// operations and faults as possible.
func Shrink(t *testing.T, f Failure) Kept {
	kind, made := f.Violations[0].Kind, f.Choices
	left := attempts
	fails := func(candidate []uint32) bool {
		if left == 0 {
			return false
		}
		left--
		return len(runUntil(t, replay(candidate, f.Replicas), nil, kind)) > 0
	}
	// A schedule goes on with harmless choices where its choices end.
	for cut := len(made) / 2; cut > 0; cut /= 2 {
		for len(made) > cut && fails(made[:len(made)-cut]) {
			made = made[:len(made)-cut]
		}
	}
	for chunk := len(made) / 4; chunk > 0; chunk /= 2 {
		for i := 0; i+chunk <= len(made); {
			zeros := slices.Clone(made)
			clear(zeros[i : i+chunk])
			switch removed := slices.Delete(slices.Clone(made), i, i+chunk); {
			case fails(removed):
				made = removed
			case !slices.Equal(zeros, made) && fails(zeros):
				made = zeros
				i += chunk
			default:
				i += chunk
			}
		}
	}
	tr := &trace{}
	violations := runUntil(t, replay(made, f.Replicas), tr, kind)
	return Kept{Replicas: f.Replicas, Choices: made, Violations: violations, Trace: tr.String()}
}

// Kept is a schedule that is kept, so that it is tried again.
type Kept struct {
	// Replicas is the number of replicas that share the work.
	Replicas   int
	Choices    []uint32
	Violations []Violation
	// Trace is that of the defect.
	Trace string
}

const choicesLine, replicasLine = "choices:", "replicas:"

// String is the form in which a schedule is kept.
func (k Kept) String() string {
	var out strings.Builder
	for _, v := range k.Violations {
		fmt.Fprintf(&out, "%s: %s\n", v.Kind, v.Text)
	}
	fmt.Fprintf(&out, "\n%s\n\n", k.Trace)
	if k.Replicas > 1 {
		fmt.Fprintf(&out, "%s %d\n", replicasLine, k.Replicas)
	}
	fmt.Fprintf(&out, "%s %d\n", choicesLine, k.Choices)
	return out.String()
}

// Replay carries out a schedule that was kept, and returns its trace.
func Replay(t *testing.T, kept string) (string, []Violation) {
	_, line, _ := strings.Cut(kept, choicesLine)
	replicas := 0
	if _, after, ok := strings.Cut(kept, "\n"+replicasLine); ok {
		if _, err := fmt.Sscan(after, &replicas); err != nil {
			t.Fatalf("The schedule cannot be read: %s", err)
		}
	}
	var made []uint32
	for _, text := range strings.Fields(strings.Trim(strings.TrimSpace(line), "[]")) {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			t.Fatalf("The schedule cannot be read: %s", err)
		}
		made = append(made, uint32(n))
	}
	if len(made) == 0 {
		t.Fatal("The schedule has no choices.")
	}
	tr := &trace{}
	violations := run(t, replay(made, replicas), tr)
	return tr.String(), violations
}
