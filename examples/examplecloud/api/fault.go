package api

import (
	"encoding/json"
	"fmt"
	"time"
)

// FaultHeader carries one Fault, as JSON, for the request that it is on.
const FaultHeader = "X-Examplecloud-Fault"

// What a request does, for choosing which requests a fault is for.
const (
	OnCreate = "create"
	OnRead   = "read"
	OnList   = "list"
	OnUpdate = "update"
	OnDelete = "delete"
	OnTask   = "task" // polls a task
)

// Outcomes of tasks that faults can ask for.
const (
	OutcomeFail = "fail" // the task ends, failed
	OutcomeHang = "hang" // the task never ends, unless it is cancelled or ended by hand
)

// A Fault is something that goes wrong on request. Empty choices choose everything;
// effects add up, in the order in which they are listed here.
type Fault struct {
	ID string `json:"id,omitempty"` // set by the cloud

	On         string            `json:"on,omitempty"`
	Collection string            `json:"collection,omitempty"`
	Match      map[string]string `json:"match,omitempty"` // fields of the object, or of the query
	Skip       int               `json:"skip,omitempty"`  // lets so many chosen requests pass first
	Count      int               `json:"count,omitempty"` // and then is for so many; 0: all, until removed
	Lasts      Duration          `json:"lasts,omitempty"` // ends so long after it was used first; 0: never by itself

	Delay      Duration `json:"delay,omitempty"`       // answers so much later
	Drop       bool     `json:"drop,omitempty"`        // does nothing and closes the connection
	Status     int      `json:"status,omitempty"`      // does nothing and answers with this status
	LoseAnswer bool     `json:"lose_answer,omitempty"` // does what was asked, then closes the connection

	StatusAfter int      `json:"status_after,omitempty"`  // does what was asked, then answers with this status
	Code        string   `json:"code,omitempty"`          // of the answer with a status; CodeInjected if empty
	Message     string   `json:"message,omitempty"`       // of the answer with a status
	RetryAfter  Duration `json:"retry_after,omitempty"`   // the header Retry-After of the answer with a status
	RetryAtDate bool     `json:"retry_at_date,omitempty"` // Retry-After is a date of the cloud's clock

	TaskDelay    Duration `json:"task_delay,omitempty"`    // the task takes so long
	TaskOutcome  string   `json:"task_outcome,omitempty"`  // OutcomeFail or OutcomeHang
	VisibleAfter Duration `json:"visible_after,omitempty"` // reads answer 404 for so long after the creation
	HiddenFrom   string   `json:"hidden_from,omitempty"`   // until then: OnRead (and changes) or OnList; both if empty
	SeenFirst    int      `json:"seen_first,omitempty"`    // so many reads find it nevertheless
	GoneAfter    Duration `json:"gone_after,omitempty"`    // reads and lists still show it for so long after the deletion
	ReservedFor  Duration `json:"reserved_for,omitempty"`  // its unique name stays taken for so long after the deletion
	StaleFor     Duration `json:"stale_for,omitempty"`     // reads and lists show the object before the update for so long
	NewID        bool     `json:"new_id,omitempty"`        // the update gives the object another id
	ExpiresAfter Duration `json:"expires_after,omitempty"` // the token expires so long after its creation or renewal, whatever it says
	Clock        Duration `json:"clock,omitempty"`         // the cloud's clock is ahead by so much, or behind

	// Normalise is how the cloud rewrites the values of Fields before it stores them.
	Normalise string   `json:"normalise,omitempty"`
	Fields    []string `json:"fields,omitempty"`
	// Values are what reads answer in these fields, one after the other, whatever is stored.
	Values map[string][]any `json:"values,omitempty"`
}

// How a cloud rewrites values.
const (
	NormaliseCase       = "case"       // lower case
	NormaliseWhitespace = "whitespace" // one space between words, none around them
	NormaliseOrder      = "order"      // lists are sorted
	NormaliseJSON       = "json"       // JSON in texts is written without spaces, with sorted keys
	NormaliseDefaults   = "defaults"   // elements of lists get their defaults
)

// Normalisations lists all.
var Normalisations = []string{NormaliseCase, NormaliseWhitespace, NormaliseOrder, NormaliseJSON, NormaliseDefaults}

// Duration is a time.Duration, written as "1.5s".
type Duration time.Duration

// MarshalJSON writes a string such as "1.5s".
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// UnmarshalJSON reads what time.ParseDuration reads.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf(`a duration is a string such as "1.5s"`)
	}
	parsed, err := time.ParseDuration(s)
	*d = Duration(parsed)
	return err
}
