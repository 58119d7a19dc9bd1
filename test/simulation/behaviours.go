package simulation

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// behaviour is a way in which real clouds behave. It has the name that docs/faults.md has for it,
// under Clouds.
type behaviour string

const (
	// lateRead: reads and lists show some objects some time after their create, or by some replicas
	// only.
	lateRead behaviour = "late-read"
	// lateDisappearance: some objects are shown for some time after their destruction.
	lateDisappearance behaviour = "late-disappearance"
	// nullCreate: some creates are answered with neither an object nor an error.
	nullCreate behaviour = "null-create"
	// normalisedValue: the size of some objects is shown as another one.
	normalisedValue behaviour = "normalised-value"
	// normalisedReplacement: the zone of some objects is shown as another one, and its change
	// replaces them.
	normalisedReplacement behaviour = "normalised-replacement"
	// oscillatingValues: each read of some objects shows another one of two or three sizes, one of
	// which is what was set.
	oscillatingValues behaviour = "oscillating-values"
	// staleRead: some objects are shown for some time as they were before their last update.
	staleRead behaviour = "stale-read"
	// partialCreate: some objects cannot be read for some time, which their creates answer with a
	// warning.
	partialCreate behaviour = "partial-create"
	// inconsistentCreate: some objects are made with another size than planned, without an error.
	inconsistentCreate behaviour = "inconsistent-create"
	// errorAfterSuccess: some updates and destroys are done, and answered with an error.
	errorAfterSuccess behaviour = "error-after-success"
	// reservedName: the name of an object stays taken for some time after its destruction.
	reservedName behaviour = "reserved-name"
	// secondDelete: some objects are destroyed by a second request only.
	secondDelete behaviour = "second-delete"
	// blockingDependents: some objects cannot be destroyed for some time.
	blockingDependents behaviour = "blocking-dependents"
	// exhaustedQuota: no object can be created for some time.
	exhaustedQuota behaviour = "exhausted-quota"
)

// behavioursOf returns how the cloud of a schedule behaves. Every other schedule has a cloud
// without them.
func behavioursOf(schedule uint64) []behaviour {
	all := [][]behaviour{
		{lateRead, lateDisappearance},
		{nullCreate},
		{normalisedValue, normalisedReplacement, oscillatingValues},
		{staleRead, errorAfterSuccess},
		{partialCreate, inconsistentCreate},
		{reservedName, secondDelete, blockingDependents, exhaustedQuota},
		{lateRead, staleRead, normalisedValue, partialCreate, secondDelete},
		{nullCreate, lateDisappearance, normalisedReplacement, reservedName, inconsistentCreate, errorAfterSuccess},
	}
	switch {
	case schedule%2 == 0:
		return nil
	case modulesIn(schedule):
		return []behaviour{lateRead, lateDisappearance, reservedName}
	}
	return all[schedule/4%uint64(len(all))]
}

// modulesIn reports whether users of a schedule change modules nearly always.
func modulesIn(schedule uint64) bool { return schedule%16 == 1 }

// behaves reports whether the cloud behaves in a way now: in one of n cases.
func (c *cloud) behaves(b behaviour, n int) bool {
	return !c.w.calm && slices.Contains(c.w.choices.behaviours, b) && c.w.choices.one(n)
}

// quirks are the behaviours of the cloud with one object.
type quirks struct {
	// shown is when reads show it for certain, and listedFrom when lists do. Before, reads show it
	// never or, if it alternates, every other time: replicas of an API do not learn of it at once.
	shown, listedFrom time.Time
	alternates        bool
	// shownUntil is until when reads show it, though it was destroyed.
	shownUntil time.Time
	asked      int
	// destroyedBy is the process that was told that it is destroyed.
	destroyedBy *process
	// normalised is the way in which reads show an argument otherwise than it was set; empty if
	// there is none.
	normalised behaviour
	// sizes is how many sizes reads show in turns, of an object with oscillatingValues.
	sizes int
	// former is its size before its last update, which is shown until formerUntil.
	former      int64
	formerUntil time.Time
	// updatedBy is the process that has its last update from former confirmed.
	updatedBy *process
	// shownUpdated is set when the status of its resource has been written since, and touched is
	// how often it was touched since.
	shownUpdated bool
	touched      int
	// unreadableUntil is until when reads of it fail.
	unreadableUntil time.Time
	// inconsistent is set when it was made with another size than planned.
	inconsistent bool
	// disabled is set when its destruction was requested once, and has to be requested again.
	disabled bool
	// blockedUntil is until when it cannot be destroyed.
	blockedUntil time.Time
}

// assignQuirks decides how the cloud behaves with an object that is created.
func (c *cloud) assignQuirks(o *object) {
	// The longest time is so short that it ends within the grace period also by a clock that is
	// ahead.
	if c.behaves(lateRead, 3) {
		after := pick(c.w.choices, time.Second, 5*time.Second, 10*time.Second, 20*time.Second)
		o.alternates = c.w.choices.one(3)
		o.shown = c.w.now().Add(after)
		o.listedFrom = o.shown.Add(pick(c.w.choices, 0, 0, 2*time.Second))
		c.w.note("the cloud does not show %s for %s", o, after)
	}
	// What replaces an object is shown as that was.
	of := o.resourceType + o.tag
	for _, b := range []behaviour{normalisedValue, normalisedReplacement, oscillatingValues} {
		if c.normalised[of] == "" && c.behaves(b, 3) {
			c.normalised[of] = b
		}
	}
	if o.normalised = c.normalised[of]; o.normalised == oscillatingValues {
		o.sizes = pick(c.w.choices, 2, 3)
	}
	if o.normalised != "" {
		c.w.note("the cloud shows %s in another way: %s", o, o.normalised)
	}
	if c.behaves(blockingDependents, 4) {
		o.blockedUntil = c.w.now().Add(pick(c.w.choices, 5*time.Second, time.Minute, 10*time.Minute))
		c.w.note("the cloud does not destroy %s until %s", o, o.blockedUntil.Format(time.TimeOnly))
	}
}

// makeInconsistent gives some objects another size than planned.
func (c *cloud) makeInconsistent(o *object) {
	if c.behaves(inconsistentCreate, 3) {
		o.inconsistent = true
		o.size++
		c.w.note("the cloud makes %s with size %d", o, o.size)
	}
}

// created returns the diagnostics of a create that succeeded.
func (c *cloud) created(o *object) []*tfprotov6.Diagnostic {
	if !c.behaves(partialCreate, 3) {
		return nil
	}
	o.unreadableUntil = c.w.now().Add(pick(c.w.choices, 0, time.Second, 10*time.Second, time.Minute))
	c.w.note("the cloud cannot read %s until %s", o, o.unreadableUntil.Format(time.TimeOnly))
	return []*tfprotov6.Diagnostic{{
		Severity: tfprotov6.DiagnosticSeverityWarning, Summary: "The object was created, and cannot be read.",
	}}
}

// refusesCreate returns why no object of a type and name can be created in an account now; empty if
// one can.
func (c *cloud) refusesCreate(account, resourceType, name string) string {
	now := c.w.now()
	if !c.w.calm && resourceType == named && now.Before(c.reserved[account+name]) {
		return nameTaken
	}
	if !now.Before(c.full) && c.behaves(exhaustedQuota, 8) {
		c.full = now.Add(pick(c.w.choices, 5*time.Second, time.Minute, 10*time.Minute))
	}
	if !c.w.calm && now.Before(c.full) {
		return "The quota is exhausted."
	}
	return ""
}

// refusesDestroy returns why an object is not destroyed; empty if it is.
func (c *cloud) refusesDestroy(o *object) string {
	if !c.w.calm && c.w.now().Before(o.blockedUntil) {
		return "Other objects depend on it."
	}
	if !o.disabled && c.behaves(secondDelete, 3) {
		o.disabled = true
		return "The object is disabled now. Delete it again."
	}
	return ""
}

// updated notes that an object gets another size.
func (c *cloud) updated(o *object, size int64) {
	if c.behaves(staleRead, 2) {
		o.former, o.formerUntil = o.size, c.w.now().Add(pick(c.w.choices, 5*time.Second, 10*time.Second, 20*time.Second))
		c.w.note("the cloud shows size %d of %s until %s", o.former, o, o.formerUntil.Format(time.TimeOnly))
	}
	o.size, o.updatedBy, o.shownUpdated, o.touched = size, nil, false, 0
}

// told is called when a process writes the status of a resource.
func (c *cloud) told(p *process, r *unstructured.Unstructured) {
	for _, o := range c.objects {
		o.shownUpdated = o.shownUpdated || o.updatedBy == p && string(r.GetUID()) == "uid-"+o.tag
	}
	c.w.check.rivalsOf(p, r)
}

// outdated returns the objects that are shown as they were before their last updates, of whose
// success a process knows and tells.
func (c *cloud) outdated() []*object {
	return slices.DeleteFunc(slices.Clone(c.objects), func(o *object) bool {
		return !o.shownUpdated || o.updatedBy == nil || o.updatedBy.dead.Load() || o.touched == maxTouches || !c.w.now().Before(o.formerUntil)
	})
}

// maxTouches is how often a resource is touched after an update.
const maxTouches = 3

// destroyed lets some objects be shown for some time after they were destroyed, and some names be
// taken.
func (c *cloud) destroyed(o *object) {
	often := 4
	if c.w.choices.modules {
		often = 2
	}
	if c.behaves(lateDisappearance, often) {
		after := pick(c.w.choices, time.Second, 5*time.Second, 15*time.Second)
		o.shownUntil = c.w.now().Add(after)
		c.ghosts = append(c.ghosts, o)
		c.w.note("the cloud shows %s for another %s", o, after)
	}
	if o.resourceType == named && c.behaves(reservedName, 3) {
		c.reserved[o.account+o.name] = c.w.now().Add(pick(c.w.choices, time.Second, 10*time.Second, time.Minute))
		c.w.note("the cloud reserves the name %s until %s", o.name, c.reserved[o.account+o.name].Format(time.TimeOnly))
	}
}

// shows reports whether a request for an object finds it.
func (c *cloud) shows(o *object) bool {
	if !c.w.now().Before(o.shown) {
		return true
	}
	o.asked++
	return o.alternates && o.asked%2 == 1
}

// unreadable reports whether an object cannot be read now.
func (c *cloud) unreadable(o *object) bool { return !c.w.calm && c.w.now().Before(o.unreadableUntil) }

// read is an object as a read shows it.
func (c *cloud) read(o *object, password cty.Value) state {
	v := stateOf(o, password)
	if c.w.calm {
		return v
	}
	if c.w.now().Before(o.formerUntil) {
		v["size"] = cty.NumberIntVal(o.former)
	}
	switch o.normalised {
	case normalisedValue:
		v["size"] = cty.NumberIntVal(o.size + 1)
	case oscillatingValues:
		o.asked++
		v["size"] = cty.NumberIntVal(o.size + int64(o.asked%o.sizes))
	case normalisedReplacement:
		v["zone"] = cty.StringVal(fmt.Sprintf("%s.", o.zone))
	}
	return v
}
