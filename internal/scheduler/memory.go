package scheduler

import (
	"crypto/sha256"
	"time"
	"unique"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// This is what memory has of a resource besides its record: plain data. Each is made and read in
// the file of its concept.

// absence is what is known of an object that was not found.
type absence struct {
	// since is when it was not found first, and looks is how often it was not found since.
	since time.Time
	looks int
	// recent is set if that was within its grace period.
	recent bool
	// destroyed is set when its destruction was requested, and succeeded.
	destroyed bool
	// lookAt is when to look again.
	lookAt time.Time
}

// destroyed is an object that was destroyed. Its API may show it for some time.
type destroyed struct {
	object instance.Deposed
	at     time.Time
}

// updated is what an object was before it was updated. A replica of its API may answer with it for
// some time.
type updated struct {
	before cty.Value
	at     time.Time
	// shown is set when the last read has answered with before.
	shown bool
}

// drifts is the drift of a resource in memory.
type drifts struct {
	// found is the drift that the last plan has found; planned is set when there was a plan since
	// the record was loaded.
	found   *instance.Drift
	planned bool
	// read is set when the last read has found changes that were not planned yet.
	read bool
	// observed has the changes of an object without a configuration that were not told yet.
	observed *instance.Drift
}

// confirmation is what is known of an object that was read and found unchanged, and that nothing
// has happened to since.
type confirmation struct {
	// at is a time at which the object was as it is stored.
	at time.Time
	// listed counts the looks by surveys since the last read.
	listed int
	// requested is the Request.LookRequested of the last read.
	requested string
}

// unsavedTokens are tokens of a retry and of an interrupt that were handled, but are not in the
// store yet. Held is that of store.Tokens.
type unsavedTokens struct {
	Retry, Interrupt string
	Held             int64
}

// claimed identifies the request that claims were made for. Another generation of the resource may
// have other claims.
type claimed struct {
	generation int64
	hash       string
	known      string
	// named is the import id that is known beforehand. It may turn out to be wrong.
	named string
	// through is the same value for many resources.
	through unique.Handle[claimedThrough]
}

// claimedThrough is what claims of many resources have in common.
type claimedThrough struct {
	configuration string
	account       ownership.Account
	manages       bool
	// maps is set when the configuration maps an identity, which may turn out to be wrong.
	maps bool
}

// sameApartFromConfiguration reports whether claims are for the same, apart from the configuration
// of the object.
func (c claimed) sameApartFromConfiguration(other claimed) bool {
	other.hash = c.hash
	return c == other
}

// attempts counts consecutive creates of one configuration that failed after they had made an
// object, or may have.
type attempts struct {
	count int64
	basis string // of the request
}

// failure delays the next attempt of an operation.
type failure struct {
	count int
	basis string // of the request that failed
	// tainted is attemptsBasis of a create that has left a tainted object: the next attempt
	// destroys that.
	tainted  string
	policies desired.Policies
	approve  string // the approval that was given
	reapply  string // the last request to set arguments again
	retryAt  time.Time
	reason   Reason
	diags    diagnostic.Diagnostics
}

// flap has the corrections of one resource.
type flap struct {
	// hash is that of the configuration that was applied last.
	hash string
	// pending is the correction of the running operation, last the latest one, which was made count
	// times in a row.
	pending, last correction
	count         int
	// steady counts reads in a row without a change.
	steady int
}

// correction identifies a change of an object. Values are hashed, since they may be secret.
type correction struct {
	attributes    string
	before, after [sha256.Size]byte
}

// presence is whether a place is needed.
type presence uint8

const (
	// idle: as long as its resource exists.
	idle presence = iota
	// working: an operation runs.
	working
	// leaving: an operation runs, and the resource is gone. The place goes when it has ended.
	leaving
)
