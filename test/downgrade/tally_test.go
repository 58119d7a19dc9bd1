package downgrade_test

import (
	"fmt"
	"testing"
)

// tally counts what was tried and what is wrong.
type tally struct {
	resources, upgrades, downgrades int
	// lost are objects, values and secrets that are not as declared; doubled are objects that
	// existed beside another one of their resource; unasked are writes that nothing asked for.
	lost, doubled, unasked int
}

var results tally

// found reports something that is wrong, and counts it.
func found(t *testing.T, n *int, format string, args ...any) {
	t.Helper()
	*n++
	t.Errorf(format, args...)
}

// line returns the closing line.
func (r *tally) line() string {
	return fmt.Sprintf("downgrade: %d resources, %d upgrades, %d downgrades, %d lost, %d doubled, %d unasked writes",
		r.resources, r.upgrades, r.downgrades, r.lost, r.doubled, r.unasked)
}
