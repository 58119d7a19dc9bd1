package differential

import (
	"slices"

	"github.com/landbridge-io/landbridge/test/differential/internal/cases"
)

// shares says which style of provider each of ten cases has.
var shares = []cases.Style{
	cases.Hand, cases.HandNoPlan, cases.Hand, cases.HandNoPlan, cases.Hand,
	cases.Framework5, cases.Hand, cases.Framework6, cases.Hand, cases.SDK,
}

// Generate is one of a seed's cases.
func Generate(seed uint64, number int) *cases.Case {
	return cases.Generate(shares[number%len(shares)], int(seed*1_000_003+uint64(number)))
}

// Unmet are the deliberate differences that were never met.
func (h *Harness) Unmet() []string {
	var out []string
	for _, r := range deliberate {
		if h.Uses[r.Name] == 0 {
			out = append(out, r.Name)
		}
	}
	slices.Sort(out)
	return out
}
