package kinds_test

import (
	"fmt"
	"sync"
	"testing"
)

// what is tried, by the words of the closing line.
type what int

const (
	dataSources what = iota
	actions
	queries
	ephemeral
	functions
	numberOfWhat
)

// tally counts what was tried and what failed.
type tally struct {
	mu     sync.Mutex
	tried  [numberOfWhat]int
	failed int
}

var results tally

// count counts a trial, and its failure when its test ends.
func (r *tally) count(t *testing.T, of what) {
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tried[of]++
		if t.Failed() {
			r.failed++
		}
	})
}

// line returns the closing line.
func (r *tally) line() string {
	return fmt.Sprintf("kinds: %d data sources, %d actions, %d queries, %d ephemeral, %d functions, %d failed",
		r.tried[dataSources], r.tried[actions], r.tried[queries], r.tried[ephemeral], r.tried[functions], r.failed)
}
