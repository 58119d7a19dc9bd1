package settling

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A provider may want to change what an apply of the same configuration has just left: a default
// inside a set, an argument that its server writes in another way, a computed value that is unknown
// in each plan. Nothing that is done about it helps, so it would be done at each look for ever:
//
//	updates        are counted, and made more and more seldom. After settlesWithin of them, the resource never settles;
//	               after maxInARow, if it is not known what has made them necessary
//	reads          that alternate: what a look shows is not what another look shows right after it. This is counted, too, and
//	               is forgotten when it has not happened for long, whatever single looks find
//	replacements   are not made, if what the apply has left shows already that they would not help. Others are made
//	               maxReplacements times because of the same values
//
// What an apply has left is what it has answered, or what the first read afterwards has shown. That
// read may also show what was changed outside, so when there is a suspicion, it follows at once.
//
// The objects of a module are counted one by one, in module.go.

const (
	settlesWithin = 3
	// maxInARow is how many updates in a row are made before the resource never settles, if it is
	// not known whether something else changes the object or each read shows another one.
	maxInARow       = 6
	maxReplacements = 2
	// readAtOnce is the longest time after an apply in which a read shows what it has left, and not
	// what was changed since.
	readAtOnce = 10 * time.Second
	// maxSettleBackoff bounds the time between updates of what never settles, in poll intervals.
	maxSettleBackoff = 16
)

// Making is what an object is made from.
type Making struct {
	// Configuration returns the configuration of the object; nil if it has none.
	Configuration func() *terraform.Config
	// Release identifies the provider's release.
	Release string
	// Sums makes the hashes that are stored.
	Sums *keyed.Sums
	// Poll is the interval between looks at an unchanged object.
	Poll time.Duration
	// Module is set if an instance consists of several objects.
	Module bool
}

// Settling is what is known of whether an object settles.
type Settling struct {
	Making
	// Counts are those of the record; nil if there are none.
	Counts *instance.Unsettled
	// Deposed is set while an object exists that a replacement has set aside.
	Deposed bool
	// Last is what the last apply has left; nil if it has settled, or that is not known.
	Last *Left
	// Alternated is a change that a look has shown to be needed and the next one has not; nil if
	// there was none.
	Alternated *terraform.Plan
	// Changed are the objects of a module that were changed a short time ago; nil without any.
	Changed *Changed
}

// Config identifies what an object is made from: the arguments, which changes of them are ignored,
// and the provider's release. The hash of a resource's spec is of no use for that, since it changes
// with each edit of the resource, such as one of its policies.
func (m Making) Config() string {
	c := m.Configuration()
	if c == nil {
		return m.releaseText()
	}
	texts := []string{instance.Digest(c.Value)}
	if i := c.IgnoreChanges; i.All || len(i.Paths) > 0 {
		texts = append(texts, fmt.Sprintf("%#v", i))
	}
	return m.Sums.Of(texts...) + m.releaseText()
}

// releaseText is the end of Config.
func (m Making) releaseText() string { return " " + m.Release }

// changesObject reports whether a plan changes an object that exists, and is not to be replaced
// because its create has failed.
func changesObject(p *terraform.Plan) bool {
	return p != nil && p.Prior.Exists() && (p.Action == terraform.Update || p.Action.IsReplace()) &&
		p.Reason != terraform.ReplaceBecauseTainted
}

// CountFor returns what of a count is for the configuration; nil if nothing is. With
// another configuration of the same release, replacements are: they are because of the same values,
// whatever else has changed.
func (m Making) CountFor(u *instance.Unsettled) *instance.Unsettled {
	if u == nil {
		return nil
	}
	config := m.Config()
	if u.Config == config {
		return u
	}
	if !strings.HasSuffix(u.Config, m.releaseText()) {
		return nil
	}
	if keyed.OtherKey(u.Config, config) {
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

// rekeyed returns a count that was made with another key as one of the configuration now. It is not
// known any more because of which values objects were replaced. Updates are counted anew: another
// one destroys nothing.
func rekeyed(u *instance.Unsettled, config string) *instance.Unsettled {
	return filtered(u, config, func(of instance.Repeats) instance.Repeats {
		of.Updates, of.InARow, of.Alternations, of.Replaced = 0, 0, 0, ""
		return of
	})
}

// sameCause reports whether an object was replaced because of these values. It was if that is not
// known any more.
func sameCause(stored, now string) bool { return stored == "" || stored == now }

// Beginning returns what the record counts while an operation is under way, after which counts
// would be counted: its replacements have only begun. If they fail, or are interrupted, they count
// if a plan shows that the object is gone. before was counted before the operation.
func (m Making) Beginning(before, counts *instance.Unsettled) *instance.Unsettled {
	if counts == nil {
		return before
	}
	out, begins := instance.Unsettled{Config: counts.Config}, counts.Begun
	if was := m.CountFor(before); was != nil {
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

// Counted returns the count of the record for the configuration, unless the object was
// changed otherwise since.
func (x *Settling) Counted() *instance.Unsettled {
	u := x.CountFor(x.Counts)
	if u == nil || x.Last != nil && x.Last.state == "" && x.Last.objects == nil {
		return nil
	}
	return u
}

// CountsAfter returns what the record counts when a plan has been carried out; nil if nothing is
// counted.
func (x *Settling) CountsAfter(p *terraform.Plan, now time.Time) *instance.Unsettled {
	was := x.Counted()
	if x.Module {
		return x.countsObjects(p, now)
	}
	out := instance.Unsettled{Config: x.Config()}
	if was != nil {
		out = *was
	}
	switch {
	case !changesObject(p) && x.Deposed: // it is not replaced yet, and takes its place again if this is destroyed
	case !changesObject(p):
		out.Repeats = out.Gone() // such as the create of a replacement
	case p.Action.IsReplace():
		out.Repeats = replacedAgain(out.Repeats, x.replacedBecause(p))
	case x.repeats(p):
		out.Updates++
		out.InARow++
		out.Begun = false
	case x.Last != nil:
		return x.another()
	default:
		out.Begun = false // it is not known what the last apply has left
	}
	if out.Repeats == (instance.Repeats{}) {
		return nil
	}
	return &out
}

// another returns the count after another update in a row, of which it is not known what has made
// it necessary.
func (x *Settling) another() *instance.Unsettled {
	out := instance.Unsettled{Config: x.Config(), Repeats: instance.Repeats{InARow: 1}}
	if was := x.CountFor(x.Counts); was != nil {
		out.Alternations, out.Since = was.Alternations, was.Since
		if was.InARow > 0 {
			out.InARow = was.InARow + 1
		}
	}
	return &out
}

// replacedBecause identifies the values because of which a plan replaces an object. If these are
// not known, or not in a state (write-only), it is because of the configuration, and another one
// counts anew.
func (m Making) replacedBecause(p *terraform.Plan) string {
	known, values := len(p.RequiresReplace) > 0, []string{}
	for _, path := range p.RequiresReplace {
		before, after := digestAt(p.Prior.State, path), digestAt(p.State, path)
		known = known && after != "" && after != before
		values = append(values, fmt.Sprintf("%#v", path), before, after)
	}
	return m.digestOfValues(known, values)
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
func (m Making) digestOfValues(known bool, values []string) string {
	if !known {
		values = append(values, m.Config())
	}
	return m.Sums.Of(values...)
}

// Unsettled returns what a plan repeats; nil if it repeats nothing.
func (x *Settling) Unsettled(p *terraform.Plan) *Unsettled {
	if x.Module {
		return x.unsettledObjects(p)
	}
	if u := x.alternating(p); u != nil || !changesObject(p) {
		return u
	}
	was, repeats := x.Counted(), x.repeats(p)
	if row := x.CountFor(x.Counts); p.Action == terraform.Update && row != nil && row.InARow >= maxInARow {
		of := row.Repeats
		of.Updates = max(of.Updates, of.InARow-maxInARow+settlesWithin)
		return &Unsettled{Plan: p, Updates: of.InARow, Since: of.Since, NextAt: x.nextUpdate(of), Never: true, waiting: true}
	}
	switch {
	case p.Action.IsReplace() &&
		(repeats || was != nil && was.Replacements >= maxReplacements && sameCause(was.Replaced, x.replacedBecause(p))):
		return &Unsettled{Plan: p, Never: true}
	case p.Action.IsReplace() || was == nil || was.Updates == 0 || !repeats && x.Last != nil:
		return nil
	}
	return &Unsettled{
		Plan: p, Updates: was.Updates, Since: was.Since, NextAt: x.nextUpdate(was.Repeats),
		Never: was.Updates >= settlesWithin, waiting: true,
	}
}

// nextUpdate returns when what did not settle is updated again.
func (m Making) nextUpdate(of instance.Repeats) time.Time {
	wait := min(1<<min(of.Updates-1, 10), maxSettleBackoff)
	return of.At.Add(time.Duration(wait) * m.Poll)
}

// Refused returns the counts with a refused replacement, which would not help, as made as often as
// it may be, so that a process that does not know what the last apply has left refuses it, too.
func (x *Settling) Refused(p *terraform.Plan) (out instance.Unsettled, changed bool) {
	u := x.Unsettled(p)
	out = instance.Unsettled{Config: x.Config()}
	if was := x.Counted(); was != nil {
		out = *was
	}
	changed = u.refused(x.Making, &out)
	if of := x.replacedBecause(p); p.Action.IsReplace() && (of != out.Replaced || out.Replacements < maxReplacements) {
		out.Replaced, out.Replacements, changed = of, maxReplacements, true
	}
	return out, changed
}

// Inconsistent reports whether a plan replaces an object that is tainted only because its create,
// of the same configuration, has left another one than was planned. The next one would be the same.
func (x *Settling) Inconsistent(p *terraform.Plan) bool {
	u := x.Counted()
	if len(inconsistentObjects(u, p)) > 0 {
		return true
	}
	return u != nil && u.Inconsistent && p.Reason == terraform.ReplaceBecauseTainted
}

// InconsistentObjects returns the addresses of the objects of a module that a plan replaces though
// they are tainted only because their creates, of the same configuration, have left others than
// were planned.
func (x *Settling) InconsistentObjects(p *terraform.Plan) []string {
	return inconsistentObjects(x.Counted(), p)
}
