package main

import "testing"

// Each fault still has the code that it changes.
func TestFaultsCanBeMade(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		if _, err := m.changed("../../../.."); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}
