package settling

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Reads of an object of a module may alternate as those of any object. What a read shows of it is
// known by its planned change.

// steadyAfter is the number of looks after which an object of a module counts as one that was not
// changed a short time ago.
const steadyAfter = 3

// Changed are the objects of a module that applies of a configuration have changed a short time
// ago.
type Changed struct {
	config string
	// looks is the number of looks since that have found nothing to change, by address.
	looks map[string]int
}

// Applied adds the objects that an apply has changed.
func (c *Changed) Applied(left *Left) *Changed {
	if left == nil || len(left.objects) == 0 {
		return c
	}
	if c == nil || c.config != left.config {
		c = &Changed{config: left.config, looks: map[string]int{}}
	}
	for address := range left.objects {
		if address != outputsAlone {
			c.looks[address] = 0
		}
	}
	return c
}

// Looked counts a look, and returns what is left. p is nil if it has found nothing to change.
func (c *Changed) Looked(p *terraform.Plan) *Changed {
	if c == nil || p != nil && p.Outdated {
		return c
	}
	planned, _ := containedChanges(p)
	for address := range c.looks {
		if indexOf(planned, address) >= 0 {
			continue
		}
		if c.looks[address]++; c.looks[address] >= steadyAfter {
			delete(c.looks, address)
		}
	}
	if len(c.looks) == 0 {
		return nil
	}
	return c
}

// has reports whether an object was changed a short time ago.
func (c *Changed) has(address, config string) bool {
	if c == nil || c.config != config {
		return false
	}
	_, ok := c.looks[address]
	return ok
}

// indexOf returns the index of the change of an object; -1 if there is none.
func indexOf(changes []terraform.Contained, address string) int {
	return slices.IndexFunc(changes, func(c terraform.Contained) bool { return c.Address == address })
}

// looksAgainAtObjects is LooksAgain for a module.
func (x *Settling) looksAgainAtObjects(p *terraform.Plan, now time.Time) bool {
	if p == nil || p.Outdated || x.Unsettled(p).Waits(now) {
		return false
	}
	changes, _ := containedChanges(p)
	was := x.countedObjects()
	return slices.ContainsFunc(changes, func(c terraform.Contained) bool {
		if _, repeats := x.repeatsObject(c.Address); repeats || c.Address == outputsAlone {
			return false
		}
		return was[c.Address].Alternations > 0 || x.Changed.has(c.Address, x.Config())
	})
}

// AfterObjectsAlternated returns what the record counts after two looks at a module, by their
// plans; nil if they have shown the same objects.
func (x *Settling) AfterObjectsAlternated(first, second *terraform.Plan, now time.Time) *instance.Unsettled {
	alternated := alternatedObjects(first, second)
	if len(alternated) == 0 {
		return nil
	}
	out := instance.Unsettled{Config: x.Config(), Objects: map[string]instance.Repeats{}}
	if was := x.Counted(); was != nil {
		out.Repeats = was.Repeats
		maps.Copy(out.Objects, was.Objects)
	}
	for _, c := range alternated {
		of := out.Objects[c.Address]
		of.Alternations++
		of.At = time.Time{}
		out.Objects[c.Address] = of
	}
	ended := out.Ended(now)
	ended.Repeats = out.Repeats // the outputs are as they were
	return ended
}

// alternatedObjects returns the changes of the objects that two looks, one right after the other,
// have shown otherwise.
func alternatedObjects(first, second *terraform.Plan) (out []terraform.Contained) {
	one, _ := containedChanges(first)
	other, _ := containedChanges(second)
	for i, c := range slices.Concat(one, other) {
		kept := slices.Contains(first.Keeps, c.Address) || slices.Contains(second.Keeps, c.Address)
		if c.Address == outputsAlone || kept || i >= len(one) && indexOf(one, c.Address) >= 0 {
			continue
		}
		at := indexOf(other, c.Address)
		if i >= len(one) || at < 0 || !slices.EqualFunc(c.Changes, other[at].Changes, sameBefore) {
			out = append(out, c)
		}
	}
	return out
}

// sameBefore reports whether two changes are of the same value.
func sameBefore(a, b terraform.ContainedChange) bool {
	return a.Path == b.Path && bytes.Equal(a.Before, b.Before)
}

// AlternatedObjects returns a plan with the last known change of each object that alternates, which
// two further looks have shown.
func (x *Settling) AlternatedObjects(first, second *terraform.Plan) *terraform.Plan {
	out := *first
	out.Contained = alternatedObjects(first, second)
	if x.Alternated != nil {
		for _, c := range x.Alternated.Contained {
			if indexOf(out.Contained, c.Address) < 0 {
				out.Contained = append(out.Contained, c)
			}
		}
	}
	return &out
}

// alternatingObjects returns the counts of the objects of which reads have alternated so recently
// that a look which finds nothing to change does not show that they have settled.
func (m Making) alternatingObjects(u *instance.Unsettled, now time.Time) map[string]instance.Repeats {
	out := map[string]instance.Repeats{}
	for address, of := range u.Objects {
		if m.alternates(of, now) {
			out[address] = instance.Repeats{Alternations: of.Alternations, Since: of.Since, At: of.At}
		}
	}
	return out
}

// alternatingObject returns what is said of an object of which reads alternate.
func (m Making) alternatingObject(c terraform.Contained, of instance.Repeats) UnsettledObject {
	of.Updates = max(of.Updates, of.Alternations)
	return UnsettledObject{
		Contained: c, Updates: of.Updates, Alternates: true, Since: of.Since, NextAt: m.nextUpdate(of),
		Never: c.Action.IsReplace() || of.Updates >= settlesWithin,
	}
}

// unseenObjects returns what is said of the objects that never settle since reads alternate, and
// that a plan leaves as they are.
func (x *Settling) unseenObjects(changes []terraform.Contained, was map[string]instance.Repeats) (out []UnsettledObject) {
	for _, address := range slices.Sorted(maps.Keys(was)) {
		if of := was[address]; of.Alternations < settlesWithin || address == outputsAlone || indexOf(changes, address) >= 0 {
			continue
		}
		c := terraform.Contained{Address: address}
		if x.Alternated != nil {
			if i := indexOf(x.Alternated.Contained, address); i >= 0 {
				c.Changes = x.Alternated.Contained[i].Changes
			}
		}
		c.Action = terraform.NoOp
		out = append(out, x.alternatingObject(c, was[address]))
	}
	return out
}
