package scheduler

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A provider may want to change what an apply of the same configuration has just left: a default
// inside a set, an argument that its server writes in another way, a computed value that is unknown
// in each plan. Nothing that is done about it helps, so it would be done at each look for ever:
//
//	updates        are counted, and made more and more seldom. After settlesWithin of them, the resource never settles
//	replacements   are not made, if what the apply has left shows already that they would not help. Others are made
//	               maxReplacements times because of the same values
//
// What an apply has left is what it has answered, or what the first read afterwards has shown. That
// read may also show what was changed outside, so when there is a suspicion, it follows at once.
//
// The objects of a module are counted one by one, in settle_module.go.

const (
	settlesWithin   = 3
	maxReplacements = 2
	// readAtOnce is the longest time after an apply in which a read shows what it has left, and not
	// what was changed since.
	readAtOnce = 10 * time.Second
	// maxSettleBackoff bounds the time between updates of what never settles, in poll intervals.
	maxSettleBackoff = 16
)

// settlingConfig identifies what an object is made from: the arguments, which changes of them are
// ignored, and the provider's release. ConfigHash is of no use for that, since it changes with each
// edit of the resource, such as one of its policies.
func settlingConfig(r *Request) string {
	c := r.Configuration()
	if c == nil {
		return releaseOf(r)
	}
	texts := []string{instance.Digest(c.Value)}
	if i := c.IgnoreChanges; i.All || len(i.Paths) > 0 {
		texts = append(texts, fmt.Sprintf("%#v", i))
	}
	return r.sums.of(texts...) + releaseOf(r)
}

// releaseOf is the end of settlingConfig.
func releaseOf(r *Request) string { return " " + r.Release }

// noteApplied notes what an operation on the current object has left.
func (e *entry) noteApplied(r *Request, res result, p *terraform.Plan) {
	if res.op.Kind == instance.Delete && res.op.Deposed != "" {
		return
	}
	e.lastApply = nil
	if r.Consists != nil {
		e.noteAppliedObjects(r, res, p)
		return
	}
	if r.Config != nil && res.op.Kind != instance.Delete && !res.undispatched && res.record != nil && !res.diags.HasErrors() {
		e.lastApply = &lastApply{config: settlingConfig(r), state: instance.Digest(e.record.Instance.State), at: e.last.At}
	}
}

// noteRead notes a read that has found the object, which it shows changed or as it was left.
func (e *entry) noteRead(state cty.Value, changed bool, now time.Time) {
	a := e.lastApply
	if e.updated != nil {
		e.updated.shown = false
	}
	switch {
	case a == nil || a.objects != nil: // a plan shows it
	case !changed:
		a.read, a.outdated = true, ""
	case a.unsteady:
		a.state = instance.Digest(state)
	case a.outdated != "" && a.outdated == instance.Digest(state):
		a.read, a.state, a.unsteady = true, a.outdated, e.suspected()
	case a.read, e.suspected() && now.Sub(a.at) > readAtOnce:
		a.read, a.state = true, "" // something else may have changed it
	default:
		a.read, a.state, a.unsteady = true, instance.Digest(state), e.suspected()
	}
}

// suspects reports whether the object is read as soon as the last apply has ended, since an earlier
// one did not settle.
func (e *entry) suspects() bool {
	return e.suspected() && e.lastApply != nil && !e.lastApply.read
}

// suspected reports whether an apply did not settle.
func (e *entry) suspected() bool {
	u := e.record.Instance.Unsettled
	return u != nil && (u.Updates > 0 || suspectedObjects(u))
}

// repeats reports whether a plan changes what an apply of the same configuration has left.
func (e *entry) repeats(r *Request, p *terraform.Plan) bool {
	a := e.lastApply
	return a != nil && a.state != "" && changesObject(p) && instance.Digest(p.Prior.State) == a.state &&
		a.config == settlingConfig(r)
}

// changesObject reports whether a plan changes an object that exists, and is not to be replaced
// because its create has failed.
func changesObject(p *terraform.Plan) bool {
	return p != nil && p.Prior.Exists() && (p.Action == terraform.Update || p.Action.IsReplace()) && p.Reason != terraform.ReplaceBecauseTainted
}

// countFor returns what of a count is for the configuration of a request; nil if nothing is. With
// another configuration of the same release, replacements are: they are because of the same values,
// whatever else has changed.
func countFor(u *instance.Unsettled, r *Request) *instance.Unsettled {
	if u == nil {
		return nil
	}
	config := settlingConfig(r)
	if u.Config == config {
		return u
	}
	if !strings.HasSuffix(u.Config, releaseOf(r)) {
		return nil
	}
	if otherKey(u.Config, config) {
		return rekeyed(u, config)
	}
	return filtered(u, config, replacements)
}

// filtered returns what is left of a count, for a configuration; nil if nothing is.
func filtered(u *instance.Unsettled, config string, left func(instance.Repeats) instance.Repeats) *instance.Unsettled {
	out := instance.Unsettled{Config: config, Repeats: left(u.Repeats), Objects: map[string]instance.Repeats{}}
	for address, of := range u.Objects {
		if of = left(of); of.Replacements > 0 || of.Begun || of.Inconsistent {
			out.Objects[address] = of
		}
	}
	if out.Replacements == 0 && !out.Begun && !out.Inconsistent && len(out.Objects) == 0 {
		return nil
	}
	return &out
}

func replacements(of instance.Repeats) instance.Repeats {
	return instance.Repeats{Replaced: of.Replaced, Replacements: of.Replacements, Begun: of.Begun}
}

// replacedAgain counts another replacement because of values, which is begun with that.
func replacedAgain(of instance.Repeats, because string) instance.Repeats {
	if !sameCause(of.Replaced, because) {
		of.Replacements = 0
	}
	of.Replaced, of.Begun = because, true
	of.Replacements++
	return of
}

// beginning returns what the record counts while an operation is under way: its replacements have
// only begun. If they fail, or are interrupted, they count if a plan shows that the object is gone.
func beginning(before *instance.Unsettled, r *Request, t *task) *instance.Unsettled {
	counts := t.counts
	if counts == nil || t.deposed != "" && !t.replacement {
		return before
	}
	out, begins := instance.Unsettled{Config: counts.Config}, counts.Begun
	if was := countFor(before, r); was != nil {
		out = *was
	}
	if begins {
		out.Repeats = counts.Beginning()
	}
	objects := map[string]instance.Repeats{}
	maps.Copy(objects, out.Objects)
	for address, of := range counts.Objects {
		if of.Begun {
			objects[address], begins = of.Beginning(), true
		}
	}
	if out.Objects = objects; !begins {
		return before
	}
	return &out
}

// counted returns the count of the record for the request's configuration, unless the object was
// changed otherwise since.
func (e *entry) counted(r *Request) *instance.Unsettled {
	u := countFor(e.record.Instance.Unsettled, r)
	if u == nil || e.lastApply != nil && e.lastApply.state == "" && e.lastApply.objects == nil {
		return nil
	}
	return u
}

// counts returns what the record counts when a plan has been carried out; nil if nothing is
// counted.
func (e *entry) counts(r *Request, p *terraform.Plan) *instance.Unsettled {
	was := e.counted(r)
	if r.Consists != nil {
		return e.countsObjects(r, p)
	}
	out := instance.Unsettled{Config: settlingConfig(r)}
	if was != nil {
		out = *was
	}
	switch {
	case !changesObject(p):
		out.Repeats = out.Gone() // such as the create of a replacement
	case p.Action.IsReplace():
		out.Repeats = replacedAgain(out.Repeats, replacedBecause(r, p))
	case e.repeats(r, p):
		out.Updates++
		out.Begun = false
	case e.lastApply != nil:
		return nil
	default:
		out.Begun = false // it is not known what the last apply has left
	}
	if out.Repeats == (instance.Repeats{}) {
		return nil
	}
	return &out
}

// replacedBecause identifies the values because of which a plan replaces an object. If these are
// not known, or not in a state (write-only), it is because of the configuration, and another one
// counts anew.
func replacedBecause(r *Request, p *terraform.Plan) string {
	known, values := len(p.RequiresReplace) > 0, []string{}
	for _, path := range p.RequiresReplace {
		before, after := digestAt(p.Prior.State, path), digestAt(p.State, path)
		known = known && after != "" && after != before
		values = append(values, fmt.Sprintf("%#v", path), before, after)
	}
	return digestOfValues(r, known, values)
}

// digestAt identifies the value at a path; empty if it is not wholly known, or does not exist.
func digestAt(v cty.Value, path cty.Path) string {
	at, err := path.Apply(v)
	if err != nil {
		return ""
	}
	return instance.Digest(at)
}

// digestOfValues identifies the values because of which an object is replaced, also by the
// configuration if they are not all known.
func digestOfValues(r *Request, known bool, values []string) string {
	if !known {
		values = append(values, settlingConfig(r))
	}
	return r.sums.of(values...)
}

// unsettled returns what a plan repeats; nil if it repeats nothing.
func (e *entry) unsettled(r *Request, p *terraform.Plan) *Unsettled {
	if r.Consists != nil {
		return e.unsettledObjects(r, p)
	}
	if !changesObject(p) {
		return nil
	}
	was, repeats := e.counted(r), e.repeats(r, p)
	switch {
	case p.Action.IsReplace() && (repeats || was != nil && was.Replacements >= maxReplacements && sameCause(was.Replaced, replacedBecause(r, p))):
		return &Unsettled{Plan: p, Never: true}
	case p.Action.IsReplace() || was == nil || was.Updates == 0 || !repeats && e.lastApply != nil:
		return nil
	}
	return &Unsettled{
		Plan: p, Updates: was.Updates, Since: was.Since, NextAt: nextUpdate(r, was.Repeats),
		Never: was.Updates >= settlesWithin, waiting: true,
	}
}

// nextUpdate returns when what did not settle is updated again.
func nextUpdate(r *Request, of instance.Repeats) time.Time {
	wait := min(1<<min(of.Updates-1, 10), maxSettleBackoff)
	return of.At.Add(time.Duration(wait) * r.Poll)
}

// countRefused counts a refused replacement, which would not help, as made as often as it may be,
// so that a process that does not know what the last apply has left refuses it, too.
func (s *Scheduler) countRefused(ctx context.Context, e *entry, r Request, p *terraform.Plan) error {
	u := e.unsettled(&r, p)
	out := instance.Unsettled{Config: settlingConfig(&r)}
	if was := e.counted(&r); was != nil {
		out = *was
	}
	counts := u.refused(&r, &out)
	if of := replacedBecause(&r, p); p.Action.IsReplace() && (of != out.Replaced || out.Replacements < maxReplacements) {
		out.Replaced, out.Replacements, counts = of, maxReplacements, true
	}
	if counts {
		in := e.record.Instance
		in.Unsettled = out.Ended(s.o.Clock.Now())
		if err := s.save(ctx, e, r, in); err != nil {
			return err
		}
	}
	return nil
}

// inconsistent reports whether a plan replaces an object that is tainted only because its create,
// of the same configuration, has left another one than was planned. The next one would be the same.
func (e *entry) inconsistent(r *Request, p *terraform.Plan) bool {
	u := e.counted(r)
	if len(inconsistentObjects(u, p)) > 0 {
		return true
	}
	return u != nil && u.Inconsistent && p.Reason == terraform.ReplaceBecauseTainted
}

// settled notes a plan without changes. It reports whether the record counts something.
func (e *entry) settled() bool {
	e.lastApply = nil
	return e.record.Instance.Unsettled != nil
}
