package managed

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// moment is the time for which observations of a resource may fail without an event. Conditions
// report failures at once.
const moment = 3 * time.Second

// trouble is since when observations of a resource have failed, and whether there was an event of
// that.
type trouble struct {
	since time.Time
	told  bool
}

// young is called for an observation that failed. It reports whether it is too early for an event;
// if not, it records that there is one.
func (t *resources) young(of subject) (young bool) {
	t.update(of, func(x tracked) tracked {
		now := trouble{since: time.Now()}
		if x.trouble != nil {
			now = *x.trouble
		}
		young = x.trouble == nil || time.Since(now.since) < moment
		now.told = now.told || !young
		x.trouble = &now
		return x
	})
	return young
}

// old reports whether there was an event for failed observations.
func (t *resources) old(of subject) bool {
	x := t.get(of).trouble
	return x != nil && x.told
}

// over is called for an observation that succeeded.
func (t *resources) over(name types.NamespacedName) {
	t.revise(name, func(x tracked) tracked {
		x.trouble = nil
		return x
	})
}
