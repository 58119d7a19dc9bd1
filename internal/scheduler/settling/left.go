package settling

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Left is what an apply has left. No plan without changes was made since.
type Left struct {
	// config is that of instance.Unsettled.
	config string
	// state is the digest of the object as it was left; empty if it was changed since.
	state string
	// at is when it has ended, and read is set when the object was read since.
	at   time.Time
	read bool
	// outdated is the digest of the object before the apply, if the last read has shown it: either
	// the read was of before, or the apply has left it so.
	outdated string
	// unsteady is set when a read at once has shown another object than the apply has answered.
	// Then each read may.
	unsteady bool
	// objects are those of a module that the apply has changed, and that no plan since has left as
	// they are.
	objects map[string]objectLeft
}

// objectLeft is an object that an apply has changed.
type objectLeft struct {
	// state identifies its arguments as the apply has left them, and planned as the apply wanted
	// them.
	state, planned map[string]string
	// atOnce is set when a plan right after the apply has shown that it would be changed again.
	atOnce bool
}

// Applied returns what an apply of an object has left, which has succeeded.
func (m Making) Applied(state cty.Value, at time.Time) *Left {
	return &Left{config: m.Config(), state: instance.Digest(state), at: at}
}

// Read notes a read that has found the object, which it shows changed or as it was left. counts are
// those of the record. What an apply of a module has left is shown by a plan.
func (a *Left) Read(state cty.Value, changed bool, counts *instance.Unsettled, now time.Time) {
	suspected := isSuspected(counts)
	switch {
	case a == nil || a.objects != nil:
	case !changed:
		a.read, a.outdated = true, ""
	case a.unsteady:
		a.state = instance.Digest(state)
	case a.outdated != "" && a.outdated == instance.Digest(state):
		a.read, a.state, a.unsteady = true, a.outdated, suspected
	case a.read, suspected && now.Sub(a.at) > readAtOnce:
		a.read, a.state = true, "" // something else may have changed it
	default:
		a.read, a.state, a.unsteady = true, instance.Digest(state), suspected
	}
}

// ReadOutdated notes a read that has shown the object as it was before the apply. If it goes on, it
// is what the apply has left.
func (a *Left) ReadOutdated(before cty.Value) {
	if a != nil && a.objects == nil {
		a.outdated = instance.Digest(before)
	}
}

// Suspects reports whether the object is read as soon as the apply has ended, since an earlier one
// did not settle. counts are those of the record.
func (a *Left) Suspects(counts *instance.Unsettled) bool {
	return a != nil && !a.read && isSuspected(counts)
}

// isSuspected reports whether an apply did not settle.
func isSuspected(u *instance.Unsettled) bool {
	return u != nil && (u.Updates > 0 || u.Alternations > 0 || suspectedObjects(u))
}

// Repeats reports whether a plan changes nothing but what an apply of the same configuration has
// left.
func (x *Settling) Repeats(p *terraform.Plan) bool {
	return x.repeats(p) || x.repeatsObjects(p)
}

// repeats is Repeats of an object that is one.
func (x *Settling) repeats(p *terraform.Plan) bool {
	a := x.Last
	return a != nil && a.state != "" && changesObject(p) && instance.Digest(p.Prior.State) == a.state &&
		a.config == x.Config()
}
