package decision

import "time"

// Verdict is what a look at an object does.
type Verdict string

const (
	// ReadObject: the object is read.
	ReadObject Verdict = "read"
	// UseSurvey: the latest survey decides whether the object is unchanged.
	UseSurvey Verdict = "use"
	// NewSurvey: a new survey is needed.
	NewSurvey Verdict = "new"
)

// LookInput is what the choice between a read and a survey depends on.
type LookInput struct {
	Now time.Time
	// Known is a time at which the object was as it is stored; zero if it was not read since
	// something happened to it.
	Known time.Time
	// Listed counts the looks by surveys since the last read.
	Listed int
	// ReadEvery is the number of looks of which one reads the object. Phase spreads the reads of
	// several objects.
	ReadEvery int
	Phase     uint64
	// Interval is the interval between looks.
	Interval time.Duration
	// Any is set if there is a survey. Began is when it began, Serial its number.
	Any    bool
	Began  time.Time
	Serial uint64
}

// Look decides what a look at an object does. A survey is used if it is newer than all that is
// known of the object, and no older than an interval. At most one is made in four fifths of an
// interval: the intervals of resources differ by a tenth, so that one survey serves about one look
// at each object.
func Look(in LookInput) Verdict {
	age := in.Now.Sub(in.Began)
	switch {
	case in.Known.IsZero(), in.Interval <= 0, in.Listed+1 >= in.ReadEvery:
		return ReadObject
	case in.Any && in.Began.After(in.Known) && age >= 0 && age <= in.Interval:
		if (in.Serial+in.Phase)%uint64(in.ReadEvery) == 0 {
			return ReadObject
		}
		return UseSurvey
	case !in.Any, age >= in.Interval*4/5:
		return NewSurvey
	}
	return ReadObject
}
