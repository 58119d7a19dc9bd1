package settling

import (
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Unsettled describes an object that its configuration wants to be changed again and again.
type Unsettled struct {
	// Plan is the next change.
	Plan *terraform.Plan
	// Updates is how often it was made, or shown to be needed by a look and not by the next one if
	// Alternates is set. Since is when for the first time, and NextAt when it is made again. The
	// times are zero for a replacement, which is not made again.
	Updates    int
	Alternates bool
	Since      time.Time
	NextAt     time.Time
	// Never is set when it was made so often that the resource never settles.
	Never bool
	// Objects are those of a module that the change is about. Updates, Since and NextAt are those
	// of the one that is changed again first.
	Objects []UnsettledObject
	// waiting is set when the rest of the plan can wait, too.
	waiting bool
}

// UnsettledObject is an object of a module that its configuration wants to be changed again and
// again.
type UnsettledObject struct {
	terraform.Contained
	// Updates, Alternates, Since, NextAt and Never are as in Unsettled. The action is NoOp for an
	// object that alternates and that the plan leaves as it is.
	Updates       int
	Alternates    bool
	Since, NextAt time.Time
	Never         bool
}

// Replaces reports whether the change is a replacement.
func (o UnsettledObject) Replaces() bool { return o.Action.IsReplace() }

// Replaces reports whether the change is a replacement, of the object or of one that it consists
// of.
func (u *Unsettled) Replaces() bool {
	return u.Plan.Action.IsReplace() || slices.ContainsFunc(u.Objects, UnsettledObject.Replaces)
}

// Refuses reports whether the change is never made again by itself.
func (u *Unsettled) Refuses() bool { return u != nil && u.Replaces() }

// Repeated are the objects of a module whose replacements are never made again by themselves.
func (u *Unsettled) Repeated() (out []terraform.Contained) {
	for _, o := range u.Objects {
		if o.Replaces() {
			out = append(out, o.Contained)
		}
	}
	return out
}

// Early returns the addresses of the objects of a module that it is too early to update again,
// though other changes are made.
func (u *Unsettled) Early(now time.Time) (out []string) {
	if u == nil || u.Refuses() || u.Waits(now) {
		return nil
	}
	for _, o := range u.Objects {
		if o.Address != outputsAlone && o.Action != terraform.NoOp && now.Before(o.NextAt) {
			out = append(out, o.Address)
		}
	}
	return out
}

// Waits reports whether it is too early to make the change again.
func (u *Unsettled) Waits(now time.Time) bool {
	return u != nil && !u.Refuses() && u.waiting && now.Before(u.NextAt)
}
