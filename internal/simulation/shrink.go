package simulation

import (
	"slices"
	"testing"
)

// attempts bounds the schedules that a shrink carries out.
const attempts = 600

// Shrink returns the trace of the simplest schedule that it finds with a violation of the same kind: with
// as few operations and faults as possible.
func Shrink(t *testing.T, f Failure) string {
	kind, made := f.Violations[0].Kind, f.Choices
	left := attempts
	fails := func(candidate []uint32) bool {
		if left == 0 {
			return false
		}
		left--
		return slices.ContainsFunc(run(t, replay(candidate), nil), func(v Violation) bool { return v.Kind == kind })
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
	run(t, replay(made), tr)
	return tr.String()
}
