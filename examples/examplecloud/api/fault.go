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

	Delay      Duration `json:"delay,omitempty"`       // answers so much later
	Drop       bool     `json:"drop,omitempty"`        // does nothing and closes the connection
	Status     int      `json:"status,omitempty"`      // does nothing and answers with this status
	LoseAnswer bool     `json:"lose_answer,omitempty"` // does what was asked, then closes the connection

	TaskDelay    Duration `json:"task_delay,omitempty"`    // the task takes so long
	TaskOutcome  string   `json:"task_outcome,omitempty"`  // OutcomeFail or OutcomeHang
	VisibleAfter Duration `json:"visible_after,omitempty"` // reads answer 404 for so long after the creation
}

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
