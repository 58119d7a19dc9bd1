package history

import (
	"slices"
	"strings"
	"time"
)

// Value is a value of a field that was known at a time.
type Value struct {
	Change
	// Since is when the entry began that has set it.
	Since time.Time `json:"since"`
}

// At returns the entries that had begun at a time.
func (l Log) At(t time.Time) Log {
	l.Entries = slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool { return e.At.After(t) })
	return l
}

// Values returns what the entries tell of the values of the object, sorted by path: the last change
// of each field since the object exists.
func (l Log) Values() []Value {
	known := map[string]Value{}
	for _, e := range l.Entries {
		switch {
		case e.Deposed != "":
			continue // another object
		case e.Outcome == Running || e.Outcome == Unknown:
			continue
		case e.Action == Delete && e.Outcome != Failed, e.Action == Gone, e.Action == Leave, e.Action == Create, e.Action == Import:
			clear(known)
		}
		for _, c := range e.Changes {
			known[c.Path] = Value{Change: c, Since: e.At}
		}
	}
	out := make([]Value, 0, len(known))
	for _, v := range known {
		if len(v.After) > 0 || v.AfterSensitive || v.AfterCut {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b Value) int { return strings.Compare(a.Path, b.Path) })
	return out
}
