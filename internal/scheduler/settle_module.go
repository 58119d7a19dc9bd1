package scheduler

import (
	"maps"
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// What an apply of a module has left of each object is not stored, so it is known only to the
// process that has made it. An object does not settle if an apply has created or changed it, and no
// plan since has left it as it is:
//
//	updates        wait only if nothing else of the module is to be changed, since one apply makes
//	               all changes
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

// noteAppliedObjects notes which objects of a module an apply has changed.
func (e *entry) noteAppliedObjects(r *Request, res result, p *terraform.Plan) {
	if r.Config == nil || p == nil || res.op.Kind == instance.Delete || res.undispatched || res.record == nil {
		return
	}
	left := map[string]objectLeft{}
	if !res.diags.HasErrors() {
		left[outputsAlone] = objectLeft{}
	}
	for _, c := range p.Contained {
		if c.Action != terraform.Delete && (!res.diags.HasErrors() || slices.Contains(res.changed, c.Address)) {
			left[c.Address] = objectLeft{state: res.left[c.Address], planned: c.Planned}
		}
	}
	e.lastApply = &lastApply{config: settlingConfig(r), at: e.last.At, objects: left}
}

// notePlanned notes which objects a plan leaves as they are, and which it would change right after
// they were changed.
func (e *entry) notePlanned(r *Request, p *terraform.Plan, now time.Time) {
	a := e.lastApply
	if a == nil || a.objects == nil || p.Action == terraform.NoOp || p.Outdated {
		return
	}
	a.read = true
	planned, _ := containedChanges(p)
	left := map[string]objectLeft{}
	for _, c := range planned {
		if of, ok := a.objects[c.Address]; ok {
			of.atOnce = of.atOnce || e.suspected() && now.Sub(a.at) <= readAtOnce
			left[c.Address] = of
		}
	}
	a.objects = left
}

// repeatsObject returns an object that the last apply of the same configuration has changed, and
// that no plan since has left as it is.
func (e *entry) repeatsObject(r *Request, address string) (of objectLeft, ok bool) {
	a := e.lastApply
	if a == nil {
		return objectLeft{}, false
	}
	if of, ok = a.objects[address]; !ok || a.config != settlingConfig(r) {
		return objectLeft{}, false
	}
	return of, true
}

// repeatsObjects reports whether a plan of a module changes nothing but what repeats.
func (e *entry) repeatsObjects(r *Request, p *terraform.Plan) bool {
	changes, others := containedChanges(p)
	return len(changes) > 0 && !others && !slices.ContainsFunc(changes, func(c terraform.Contained) bool {
		_, repeats := e.repeatsObject(r, c.Address)
		return !repeats
	})
}

// countedObjects returns the counts of the record for the request's configuration.
func (e *entry) countedObjects(r *Request) map[string]instance.Repeats {
	u := countFor(e.record.Instance.Unsettled, r)
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
		if of.Updates > 0 || of.Replacements > 0 {
			return true
		}
	}
	return false
}

// countsObjects returns what the record counts when a plan of a module has been carried out; nil if
// nothing is counted.
func (e *entry) countsObjects(r *Request, p *terraform.Plan) *instance.Unsettled {
	was := e.countedObjects(r)
	out := instance.Unsettled{Config: settlingConfig(r), Objects: map[string]instance.Repeats{}}
	changes, _ := containedChanges(p)
	for _, c := range changes {
		of := was[c.Address]
		_, repeats := e.repeatsObject(r, c.Address)
		of.Begun = false
		switch {
		case c.Action.IsReplace():
			of = replacedAgain(of, containedBecause(r, c))
		case repeats:
			of.Updates++
		case e.lastApply != nil || of.Updates+of.Replacements == 0:
			continue // it is known to have settled, or it is not known what the last apply has left
		}
		if c.Address == outputsAlone {
			out.Repeats = of
		} else {
			out.Objects[c.Address] = of
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
func (e *entry) unsettledObjects(r *Request, p *terraform.Plan) *Unsettled {
	was := e.countedObjects(r)
	changes, others := containedChanges(p)
	out := &Unsettled{Plan: p, waiting: !others}
	for _, c := range changes {
		of := was[c.Address]
		left, repeats := e.repeatsObject(r, c.Address)
		o := UnsettledObject{Contained: c}
		switch {
		case c.Action.IsReplace():
			// Right after a replacement it is needed again, whatever the values are now.
			again := left.atOnce && of.Replacements > 0
			if o.Never = again || left.helpless(c) || of.Replacements >= maxReplacements && sameCause(of.Replaced, containedBecause(r, c)); !o.Never {
				out.waiting = false
				continue
			}
		case of.Updates == 0 || !repeats && e.lastApply != nil:
			out.waiting = false
			continue
		default:
			o.Updates, o.Since, o.NextAt, o.Never = of.Updates, of.Since, nextUpdate(r, of), of.Updates >= settlesWithin
			if out.NextAt.IsZero() || o.NextAt.Before(out.NextAt) {
				out.Updates, out.Since, out.NextAt = o.Updates, o.Since, o.NextAt
			}
		}
		out.Never = out.Never || o.Never
		out.Objects = append(out.Objects, o)
	}
	if len(out.Objects) == 0 {
		return nil
	}
	return out
}

// refused counts the refused replacements of objects as made as often as they may be. It reports
// whether that changes the counts.
func (u *Unsettled) refused(r *Request, counts *instance.Unsettled) (changed bool) {
	counts.Objects = maps.Clone(counts.Objects)
	for _, o := range u.Objects {
		of, because := counts.Objects[o.Address], containedBecause(r, o.Contained)
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
func containedBecause(r *Request, c terraform.Contained) string {
	replacing := slices.DeleteFunc(slices.Clone(c.Changes), func(x terraform.ContainedChange) bool { return !x.Replaces })
	if len(replacing) == 0 {
		replacing = c.Changes
	}
	known, lines := len(replacing) > 0, []string{string(c.Reason)}
	for _, x := range replacing {
		lines, known = append(lines, x.Path, string(x.Before), string(x.After)), known && x.After != nil
	}
	return digestOfValues(r, known, lines)
}

// contained returns the changes of a module's objects that the task makes.
func (t *task) contained() []terraform.Contained {
	if t.plan == nil || t.kind == instance.Delete {
		return nil
	}
	return t.plan.Contained
}

// afterFailure returns what is counted of a module after an apply that has failed: what it has
// changed nevertheless, and which objects it has created, but not as planned.
func (s *Scheduler) afterFailure(before *instance.Unsettled, t *task, diags diagnostic.Diagnostics) *instance.Unsettled {
	counts := instance.Unsettled{Config: t.config, Objects: map[string]instance.Repeats{}}
	if before != nil && otherKey(before.Config, t.config) {
		before = rekeyed(before, t.config)
	}
	if t.counts != nil {
		maps.Copy(counts.Objects, t.counts.Objects)
	}
	changed := t.changed
	for _, d := range diags {
		if d.Object != "" {
			changed = append(changed, d.Object)
			of := replacements(counts.Objects[d.Object])
			of.Inconsistent = true
			counts.Objects[d.Object] = of
		}
	}
	return counts.Ended(s.o.Clock.Now()).After(before, func(address string) bool { return slices.Contains(changed, address) })
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
