package history

import "slices"

// Log are the entries of a resource, oldest first.
type Log struct {
	// Cut is the number of older entries that are not kept any more.
	Cut     int     `json:"cut,omitempty"`
	Entries []Entry `json:"entries,omitempty"`
}

// With returns the log with an entry. An entry about an operation takes the place of the earlier
// one about the same operation.
func (l Log) With(e Entry) Log {
	e = e.bounded()
	i := -1
	if e.Operation != "" {
		i = slices.IndexFunc(l.Entries, func(o Entry) bool { return o.Operation == e.Operation && o.UID == e.UID })
	}
	l.Entries = slices.Clone(l.Entries)
	if e.Outcome == Running {
		l.forgo()
	}
	if i >= 0 {
		l.Entries[i] = l.Entries[i].ended(e)
	} else {
		l.Entries = append(l.Entries, e)
	}
	return l
}

// forgo makes the outcomes of operations unknown that have not ended: a resource has one operation
// at a time, so when another one begins they were given up.
func (l *Log) forgo() {
	for i, e := range l.Entries {
		if e.Outcome == Running {
			l.Entries[i].Outcome = Unknown
		}
	}
}

// Add returns the encoding of a stored log with an entry, in at most size bytes. What does not fit
// is left out, and counted: the oldest entries first, and then changes of the only entry.
func Add(stored []byte, e Entry, size int) []byte {
	l, err := Decode(stored)
	if err != nil {
		l = Log{Cut: 1} // it is of another version
	}
	l = l.With(e)
	for {
		out := l.encode()
		switch last := len(l.Entries) - 1; {
		case len(out) <= size:
			return out
		case last > 0:
			// Entries have about the same size.
			n := max(1, min(last, last*(len(out)-size)/len(out)))
			l.Entries, l.Cut = l.Entries[n:], l.Cut+n
		case last == 0 && l.Entries[0].smaller():
		case last == 0:
			l = Log{Cut: l.Cut + 1}
		default:
			return nil // not even the number of entries fits
		}
	}
}

// smaller leaves something out of an entry. It returns false if nothing can be left out.
func (e *Entry) smaller() bool {
	switch n := len(e.Changes); {
	case n > 0:
		e.Changes, e.MoreChanges = e.Changes[:n/2], e.MoreChanges+n-n/2
	case e.Message != "" || e.Because != "" || e.Account != "" || e.Author != Author{}:
		e.Message, e.Because, e.Account, e.Author = "", "", "", Author{}
	default:
		return false
	}
	return true
}
