package instance

import (
	"maps"
	"time"
)

// Unsettled counts the applies of one configuration that did not settle: after each of them, the
// same configuration wanted another change of what the apply had left. Of a create that was tainted
// for that it is one.
type Unsettled struct {
	// Config identifies the values of the configuration, and the provider's release.
	Config string `json:"config"`
	Repeats
	// Objects are the counts of the objects of a module, by address. Changes of its outputs alone
	// have none.
	Objects map[string]Repeats `json:"objects,omitempty"`
}

// Repeats are the counts of one object.
type Repeats struct {
	// Updates is the number of updates in a row.
	Updates int `json:"updates,omitempty"`
	// InARow is the number of updates after which no look has shown the object as it should be,
	// whether what the apply has left or something else is the cause.
	InARow int `json:"inARow,omitempty"`
	// Alternations is how often a look has shown the object otherwise than the look before it,
	// although nothing was done to it in between.
	Alternations int `json:"alternations,omitempty"`
	// Replaced identifies the values because of which the object was replaced last, and
	// Replacements is how often in a row.
	Replaced     string `json:"replaced,omitempty"`
	Replacements int    `json:"replacements,omitempty"`
	// Begun is set when another replacement was begun, and it is unknown whether it has destroyed
	// the object.
	Begun bool `json:"begun,omitempty"`
	// Inconsistent is set when the object is tainted only because its create has left another one
	// than was planned: the provider has reported no error.
	Inconsistent bool `json:"inconsistent,omitempty"`
	// Since is when the first one ended, and At when the last one did.
	Since time.Time `json:"since"`
	At    time.Time `json:"at"`
}

// Ended returns the count with the time at which its last apply has ended. Objects that have a time
// already were not changed by that.
func (u Unsettled) Ended(now time.Time) *Unsettled {
	u.Repeats = u.ended(now)
	u.Objects = maps.Clone(u.Objects)
	for address, r := range u.Objects {
		if r.At.IsZero() || r.Begun {
			u.Objects[address] = r.ended(now)
		}
	}
	return &u
}

// Equal reports whether the counts are the same.
func (u *Unsettled) Equal(other *Unsettled) bool {
	if u == nil || other == nil {
		return u == other
	}
	return u.Config == other.Config && u.Repeats == other.Repeats && maps.Equal(u.Objects, other.Objects)
}

func (r Repeats) ended(now time.Time) Repeats {
	r.Begun = false
	r.At = Moment(now)
	if r.Since.IsZero() {
		r.Since = r.At
	}
	return r
}

// Gone returns the counts if the object does not exist any more: a replacement that was begun has
// destroyed it.
func (r Repeats) Gone() Repeats {
	if r.Begun {
		r.Replacements++
	}
	r.Begun = false
	return r
}

// Beginning returns the counts before the replacement that was begun: it is not counted yet.
func (r Repeats) Beginning() Repeats {
	r.Replacements--
	return r
}

// After returns the counts after an operation on a module that has changed these objects only, and
// before which the counts were those of before. It is nil if nothing is counted.
func (u *Unsettled) After(before *Unsettled, changed func(address string) bool) *Unsettled {
	out := Unsettled{Objects: map[string]Repeats{}}
	for _, from := range []*Unsettled{before, u} {
		if from == nil {
			continue
		}
		if out.Config != from.Config {
			out.Config = from.Config
			clear(out.Objects)
		}
		for address, r := range from.Objects {
			if from == before || changed(address) {
				out.Objects[address] = r
			}
		}
	}
	if len(out.Objects) == 0 {
		return nil
	}
	return &out
}
