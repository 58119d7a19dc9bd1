package history

import (
	"cmp"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/text"
)

// Action is what an entry is about.
type Action string

// The actions.
const (
	// Create, Update and Delete are operations.
	Create Action = "Create"
	Update Action = "Update"
	Delete Action = "Delete"
	// Invoke: an action was invoked.
	Invoke Action = "Invoke"
	// Import: an existing object was imported.
	Import Action = "Import"
	// TakeOver: the object of another resource was taken over.
	TakeOver Action = "TakeOver"
	// Move: the object was moved from another cluster.
	Move Action = "Move"
	// Drift: the object was changed outside Landbridge.
	Drift Action = "Drift"
	// Gone: the object was destroyed outside Landbridge.
	Gone Action = "Gone"
	// Leave: the object was left in its account, since another account was confirmed.
	Leave Action = "Leave"
)

// Outcome is how an operation has ended.
type Outcome string

// The outcomes.
const (
	// Running: the operation has begun, and its outcome is not stored yet.
	Running   Outcome = "Running"
	Succeeded Outcome = "Succeeded"
	Failed    Outcome = "Failed"
	// Recovered: the operation was interrupted, and what it has done was found out afterwards.
	Recovered Outcome = "Recovered"
	// Unknown: it is not known what the operation has done.
	Unknown Outcome = "Unknown"
)

// Entry is one operation on a resource, or one event.
type Entry struct {
	// At is when it began. Took is its duration in milliseconds.
	At   time.Time `json:"at"`
	Took int64     `json:"tookMilliseconds,omitempty"`
	// Action is what it is, and Outcome how it has ended; empty for an event.
	Action  Action  `json:"action"`
	Outcome Outcome `json:"outcome,omitempty"`
	// Replacement is set if it is one half of a replacement. Deposed is the key of the deposed
	// object that a Delete destroys.
	Replacement bool   `json:"replacement,omitempty"`
	Deposed     string `json:"deposed,omitempty"`
	// Because is by whose wish it was carried out: if by that of the spec, its author has made that
	// generation of it. By is who approved it.
	Because string `json:"because,omitempty"`
	Author
	By string `json:"approvedBy,omitempty"`
	// Changes are the changed fields. MoreChanges is the number of those that are left out.
	Changes     []Change `json:"changes,omitempty"`
	MoreChanges int      `json:"moreChanges,omitempty"`
	// Message is why an operation has failed, without secrets.
	Message string `json:"message,omitempty"`
	// UID is that of the resource, which tells resources of one name apart.
	UID types.UID `json:"uid,omitempty"`
	// Provider is the provider's address and version, and Account what the account is known by.
	Provider string `json:"provider,omitempty"`
	Account  string `json:"account,omitempty"`
	// Operation identifies the operation, and Trace its trace.
	Operation string `json:"operation,omitempty"`
	Trace     string `json:"trace,omitempty"`
}

// Change is a changed field.
type Change struct {
	// Path is the path of the field, as in status.plan.
	Path string `json:"path"`
	// Before and After are JSON values; absent for none, and for those that are not kept.
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	// BeforeSensitive and AfterSensitive are set if there is a value, which is sensitive.
	BeforeSensitive bool `json:"beforeSensitive,omitempty"`
	AfterSensitive  bool `json:"afterSensitive,omitempty"`
	// BeforeCut and AfterCut are set if there is a value, which is too long to be kept.
	BeforeCut bool `json:"beforeCut,omitempty"`
	AfterCut  bool `json:"afterCut,omitempty"`
}

// Limits of an entry. The size of a record bounds it further.
const (
	maxChanges = 20
	maxValue   = 64
	maxText    = 240
)

// bounded returns the entry with what may be kept of it.
func (e Entry) bounded() Entry {
	e.At = e.At.UTC().Truncate(time.Millisecond)
	e.Because, e.By, e.Message = short(e.Because), short(e.By), short(e.Message)
	e.ChangedBy, e.FieldManager = short(e.ChangedBy), short(e.FieldManager)
	e.Provider, e.Account, e.Deposed = short(e.Provider), short(e.Account), short(e.Deposed)
	if more := len(e.Changes) - maxChanges; more > 0 {
		e.Changes, e.MoreChanges = e.Changes[:maxChanges], e.MoreChanges+more
	}
	changes := make([]Change, len(e.Changes))
	for i, c := range e.Changes {
		c.Path = short(c.Path)
		c.Before, c.BeforeCut = kept(c.Before, c.BeforeCut)
		c.After, c.AfterCut = kept(c.After, c.AfterCut)
		changes[i] = c
	}
	if e.Changes = changes; len(changes) == 0 {
		e.Changes = nil
	}
	return e
}

// kept returns a value that may be kept, and whether it is left out.
func kept(value json.RawMessage, tooLong bool) (json.RawMessage, bool) {
	if len(value) > maxValue || len(value) > 0 && !json.Valid(value) {
		return nil, true
	}
	return value, tooLong
}

// ended returns what is known of an operation after another entry about it.
func (e Entry) ended(by Entry) Entry {
	if len(by.Changes) == 0 {
		by.Changes, by.MoreChanges = e.Changes, e.MoreChanges
	}
	by.Because, by.By, by.Author = cmp.Or(by.Because, e.Because), cmp.Or(by.By, e.By), cmp.Or(by.Author, e.Author)
	by.Provider, by.Account, by.Trace = cmp.Or(by.Provider, e.Provider), cmp.Or(by.Account, e.Account), cmp.Or(by.Trace, e.Trace)
	by.Replacement = by.Replacement || e.Replacement
	return by
}

func short(s string) string { return text.Shorten(s, maxText) }
