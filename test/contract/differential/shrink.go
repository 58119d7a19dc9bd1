package differential

import (
	"context"

	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// Shrink makes a case smaller for as long as it has the same difference. All that is smaller by
// one step is tried in one run of tofu.
func (h *Harness) Shrink(ctx context.Context, c *cases.Case, d Difference) (*cases.Case, Difference, error) {
	if d.Step+1 < len(c.Steps) {
		c.Steps = c.Steps[:d.Step+1]
	}
	for {
		smaller := c.Smaller()
		found, err := h.Run(ctx, smaller)
		if ctx.Err() != nil {
			return c, d, err
		}
		if err != nil {
			return c, d, nil // one of them cannot be run, such as a value that lost its type; this one is small enough
		}
		next := -1
		for i := range smaller {
			if x := found[i]; len(x) > 0 && x[0].What == d.What && x[0].kind == d.kind {
				next, d = i, x[0]
				break
			}
		}
		if next < 0 {
			return c, d, nil
		}
		c = smaller[next]
	}
}
