package instance

import "time"

// Unsettled counts the applies of one configuration that did not settle: after each of them, the
// same configuration wanted another change of what the apply had left. Of a create that was tainted
// for that it is one.
type Unsettled struct {
	// Config identifies the configuration, and the provider's release.
	Config string `json:"config"`
	// Updates is the number of updates in a row.
	Updates int `json:"updates,omitempty"`
	// Replaced identifies the values because of which the object was replaced last, and
	// Replacements is how often in a row.
	Replaced     string `json:"replaced,omitempty"`
	Replacements int    `json:"replacements,omitempty"`
	// Inconsistent is set when the object is tainted only because its create has left another one
	// than was planned: the provider has reported no error.
	Inconsistent bool `json:"inconsistent,omitempty"`
	// Since is when the first one ended, and At when the last one did.
	Since time.Time `json:"since"`
	At    time.Time `json:"at"`
}

// Ended returns the count with the time at which its last apply has ended.
func (u Unsettled) Ended(now time.Time) *Unsettled {
	u.At = Moment(now)
	if u.Since.IsZero() {
		u.Since = u.At
	}
	return &u
}
