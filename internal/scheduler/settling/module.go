package settling

import (
	"maps"
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// What an apply of a module has left of each object is not stored, so it is known only to the
// process that has made it. An object does not settle if an apply has created or changed it, and no
// plan since has left it as it is:
//
//	updates        wait. If something else of the module is to be changed, they are left out
//	replacements   are refused if the apply has left an argument otherwise than it has set it, if a
//	               plan right after a replacement shows another one, or if they were made
//	               maxReplacements times because of the same values. With one of them, the whole
//	               apply is refused
//
// If there is a suspicion, the plan follows the apply at once. Nothing else changes an object so
// fast.

// outputsAlone is the address of what a plan changes that changes no object, but outputs.
const outputsAlone = ""

// helpless reports whether a replacement is because of nothing but arguments that the apply has set
// to the same values already, and that it has left as they still are.
func (o objectLeft) helpless(c terraform.Contained) bool {
	replaces := false
	for _, x := range c.Changes {
		if a := x.Argument(); x.Replaces && (o.planned[a] == "" || o.planned[a] != c.Planned[a] || o.state[a] == "" || o.state[a] != c.Prior[a]) {
			return false
		}
		replaces = replaces || x.Replaces
	}
	return replaces
}

// changesContained reports whether a planned change is one of an object that exists, and is not
// replaced because its create has failed.
func changesContained(c terraform.Contained) bool {
	return c.Action == terraform.Update || c.Action.IsReplace() && c.Reason != terraform.ReplaceBecauseTainted
}

// containedChanges returns what a plan changes of objects that exist, or of the outputs alone.
// others is set when there are further changes.
func containedChanges(p *terraform.Plan) (changes []terraform.Contained, others bool) {
	if p == nil || p.Action != terraform.Update {
		return nil, p != nil && p.Action != terraform.NoOp
	}
	if len(p.Contained) == 0 {
		return []terraform.Contained{{Address: outputsAlone, Action: terraform.Update}}, false
	}
	changes = slices.DeleteFunc(slices.Clone(p.Contained), func(c terraform.Contained) bool { return !changesContained(c) })
	return changes, len(changes) < len(p.Contained)
}

// AppliedObjects returns what an apply of a module has left, which may have failed. changed are the
// addresses of the objects that it has changed all the same, and left is what it has left of each.
func (m Making) AppliedObjects(p *terraform.Plan, at time.Time, failed bool, changed []string, left map[string]map[string]string) *Left {
	out := &Left{config: m.Config(), at: at, objects: map[string]objectLeft{}}
	if !failed {
		out.objects[outputsAlone] = objectLeft{}
	}
	for _, c := range p.Contained {
		if c.Action != terraform.Delete && (!failed || slices.Contains(changed, c.Address)) {
			out.objects[c.Address] = objectLeft{state: left[c.Address], planned: c.Planned}
		}
	}
	return out
}

// Keeping adds what an earlier apply has left of the objects that a plan keeps, which do not
// settle.
func (a *Left) Keeping(p *terraform.Plan, before *Left) *Left {
	for _, address := range p.Keeps {
		var of objectLeft
		if before != nil && before.config == a.config {
			of = before.objects[address]
		}
		a.objects[address] = of
	}
	return a
}

// After adds what an earlier apply of the same configuration has left of the objects that this one,
// which has failed, has not changed.
func (a *Left) After(before *Left) *Left {
	if before == nil || before.config != a.config {
		return a
	}
	for address, of := range before.objects {
		if _, changed := a.objects[address]; !changed {
			a.objects[address] = of
		}
	}
	return a
}

// Planned notes which objects a plan leaves as they are, and which it would change right after they
// were changed. counts are those of the record.
func (a *Left) Planned(p *terraform.Plan, counts *instance.Unsettled, now time.Time) {
	if a == nil || a.objects == nil || p.Action == terraform.NoOp || p.Outdated {
		return
	}
	a.read = true
	planned, _ := containedChanges(p)
	left := map[string]objectLeft{}
	for _, c := range planned {
		if of, ok := a.objects[c.Address]; ok {
			of.atOnce = of.atOnce || isSuspected(counts) && now.Sub(a.at) <= readAtOnce
			left[c.Address] = of
		}
	}
	a.objects = left
}

// repeatsObject returns an object that the last apply of the same configuration has changed, and
// that no plan since has left as it is.
func (x *Settling) repeatsObject(address string) (of objectLeft, ok bool) {
	a := x.Last
	if a == nil {
		return objectLeft{}, false
	}
	if of, ok = a.objects[address]; !ok || a.config != x.Config() {
		return objectLeft{}, false
	}
	return of, true
}

// repeatsObjects reports whether a plan of a module changes nothing but what repeats.
func (x *Settling) repeatsObjects(p *terraform.Plan) bool {
	changes, others := containedChanges(p)
	return len(changes) > 0 && !others && !slices.ContainsFunc(changes, func(c terraform.Contained) bool {
		_, repeats := x.repeatsObject(c.Address)
		return !repeats
	})
}

// countedObjects returns the counts of the record for the configuration.
func (x *Settling) countedObjects() map[string]instance.Repeats {
	u := x.CountFor(x.Counts)
	if u == nil {
		return nil
	}
	out := map[string]instance.Repeats{outputsAlone: u.Repeats}
	maps.Copy(out, u.Objects)
	return out
}

// suspectedObjects reports whether an apply did not settle an object of a module.
func suspectedObjects(u *instance.Unsettled) bool {
	for _, of := range u.Objects {
		if of.Updates > 0 || of.Replacements > 0 || of.Alternations > 0 {
			return true
		}
	}
	return false
}

// countsObjects returns what the record counts when a plan of a module has been carried out; nil if
// nothing is counted.
func (x *Settling) countsObjects(p *terraform.Plan, now time.Time) *instance.Unsettled {
	was := x.countedObjects()
	out := instance.Unsettled{Config: x.Config(), Objects: x.alternatingObjects(&instance.Unsettled{Objects: was}, now)}
	changes, _ := containedChanges(p)
	for _, c := range changes {
		of := was[c.Address]
		_, repeats := x.repeatsObject(c.Address)
		of.Begun = false
		switch {
		case c.Action.IsReplace():
			of = replacedAgain(of, x.containedBecause(c))
		case repeats:
			of.Updates++
		case of.Alternations > 0:
		case x.Last != nil || of.Updates+of.Replacements == 0:
			continue // it is known to have settled, or it is not known what the last apply has left
		}
		if of.At = (time.Time{}); c.Address == outputsAlone {
			out.Repeats = of
		} else {
			out.Objects[c.Address] = of
		}
	}
	for _, address := range p.Keeps {
		if of := was[address]; of.Updates > 0 || of.Alternations > 0 {
			out.Objects[address] = of
		}
	}
	keepReplaced(&out, was, p)
	if out.Updates == 0 && len(out.Objects) == 0 {
		return nil
	}
	return &out
}

// keepReplaced keeps how often the objects were replaced that a plan creates, since these may be
// the second halves of replacements, or replaces because their creates have failed.
func keepReplaced(counts *instance.Unsettled, was map[string]instance.Repeats, p *terraform.Plan) {
	for _, c := range p.Contained {
		if of := was[c.Address].Gone(); of.Replacements > 0 && c.Action != terraform.Delete && !changesContained(c) {
			counts.Objects[c.Address] = replacements(of)
		}
	}
}

// unsettledObjects returns what a plan of a module repeats; nil if it repeats nothing.
func (x *Settling) unsettledObjects(p *terraform.Plan) *Unsettled {
	was := x.countedObjects()
	changes, others := containedChanges(p)
	out := &Unsettled{Plan: p, waiting: !others}
	for _, c := range changes {
		of := was[c.Address]
		left, repeats := x.repeatsObject(c.Address)
		o := UnsettledObject{Contained: c}
		switch {
		case of.Alternations > 0:
			o = x.alternatingObject(c, of)
		case c.Action.IsReplace():
			// Right after a replacement it is needed again, whatever the values are now.
			again := left.atOnce && of.Replacements > 0
			if o.Never = again || left.helpless(c) || of.Replacements >= maxReplacements && sameCause(of.Replaced, x.containedBecause(c)); !o.Never {
				out.waiting = false
				continue
			}
		case of.Updates == 0 || !repeats && x.Last != nil:
			out.waiting = false
			continue
		default:
			o.Updates, o.Since, o.NextAt, o.Never = of.Updates, of.Since, x.nextUpdate(of), of.Updates >= settlesWithin
		}
		out.Objects = append(out.Objects, o)
	}
	out.Objects = append(out.Objects, x.unseenObjects(changes, was)...)
	return out.summarized()
}

// summarized returns what is said of all objects of a module; nil without any.
func (u *Unsettled) summarized() *Unsettled {
	if len(u.Objects) == 0 {
		return nil
	}
	u.Alternates = true
	for _, o := range u.Objects {
		u.Never, u.Alternates = u.Never || o.Never, u.Alternates && o.Alternates
		unseen := o.Action == terraform.NoOp && !u.NextAt.IsZero() // it does not make the plan wait any shorter
		if !o.NextAt.IsZero() && !unseen && (u.NextAt.IsZero() || o.NextAt.Before(u.NextAt)) {
			u.Updates, u.Since, u.NextAt = o.Updates, o.Since, o.NextAt
		}
	}
	return u
}

// refused counts the refused replacements of objects as made as often as they may be. It reports
// whether that changes the counts.
func (u *Unsettled) refused(m Making, counts *instance.Unsettled) (changed bool) {
	counts.Objects = maps.Clone(counts.Objects)
	for _, o := range u.Objects {
		of, because := counts.Objects[o.Address], m.containedBecause(o.Contained)
		if !o.Replaces() || of.Replaced == because && of.Replacements >= maxReplacements {
			continue
		}
		if counts.Objects == nil {
			counts.Objects = map[string]instance.Repeats{}
		}
		of.Replaced, of.Replacements, changed = because, maxReplacements, true
		counts.Objects[o.Address] = of
	}
	return changed
}

// containedBecause is replacedBecause of an object of a module.
func (m Making) containedBecause(c terraform.Contained) string {
	replacing := slices.DeleteFunc(slices.Clone(c.Changes), func(x terraform.ContainedChange) bool { return !x.Replaces })
	if len(replacing) == 0 {
		replacing = c.Changes
	}
	known, lines := len(replacing) > 0, []string{string(c.Reason)}
	for _, x := range replacing {
		lines, known = append(lines, x.Path, string(x.Before), string(x.After)), known && x.After != nil
	}
	return m.digestOfValues(known, lines)
}

// Failure is an apply of a module that has failed.
type Failure struct {
	// Config is that of instance.Unsettled, and Counts would be counted if it had succeeded; nil
	// for nothing.
	Config string
	Counts *instance.Unsettled
	// Changed are the addresses of the objects that it has changed all the same.
	Changed     []string
	Diagnostics diagnostic.Diagnostics
}

// CountsAfter returns what is counted after the apply: what it has changed, and which objects it
// has created, but not as planned. before is what was counted before.
func (f Failure) CountsAfter(before *instance.Unsettled, now time.Time) *instance.Unsettled {
	counts := instance.Unsettled{Config: f.Config, Objects: map[string]instance.Repeats{}}
	if before != nil && keyed.OtherKey(before.Config, f.Config) {
		before = rekeyed(before, f.Config)
	}
	if f.Counts != nil {
		maps.Copy(counts.Objects, f.Counts.Objects)
	}
	changed := f.Changed
	for _, d := range f.Diagnostics {
		if d.Object != "" {
			changed = append(changed, d.Object)
			of := replacements(counts.Objects[d.Object])
			of.Inconsistent = true
			counts.Objects[d.Object] = of
		}
	}
	return counts.Ended(now).After(before, func(address string) bool { return slices.Contains(changed, address) })
}

// InconsistentCreate returns what is counted after a create that has left another object than was
// planned. counts would be counted if it had succeeded; nil for nothing.
func InconsistentCreate(config string, counts *instance.Unsettled, now time.Time) *instance.Unsettled {
	out := instance.Unsettled{Config: config}
	if counts != nil {
		out.Repeats = replacements(counts.Repeats)
	}
	out.Inconsistent = true
	return out.Ended(now)
}

// inconsistentObjects returns the addresses of the objects that a plan replaces though they are
// tainted only because their creates, of the same configuration, have left others than were
// planned.
func inconsistentObjects(u *instance.Unsettled, p *terraform.Plan) (out []string) {
	if u == nil {
		return nil
	}
	for _, address := range p.Tainted() {
		if u.Objects[address].Inconsistent {
			out = append(out, address)
		}
	}
	return out
}
