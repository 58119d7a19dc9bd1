package api

import "time"

// An Audit tells what was done to the cloud since its data began, and what is
// there now.
type Audit struct {
	Collections map[string]*Counts `json:"collections"`
	Total       Counts             `json:"total"`
}

// Counts of one collection. Requests that were refused count only where said so.
type Counts struct {
	CreateRequests int `json:"create_requests"` // creations begun
	Repeats        int `json:"repeats"`         // create requests answered with the task of an earlier one (create token)
	Conflicts      int `json:"conflicts"`       // requests refused for an object with the same natural key
	Creates        int `json:"creates"`         // objects that came into being
	Updates        int `json:"updates"`
	Deletes        int `json:"deletes"`         // objects that ceased to be
	FailedTasks    int `json:"failed_tasks"`    // of either operation
	CancelledTasks int `json:"cancelled_tasks"` //
	DuplicatesEver int `json:"duplicates_ever"` // objects created beside a live one with the same natural key

	Live       int `json:"live"`       // objects there now
	Running    int `json:"running"`    // creations under way now
	Duplicates int `json:"duplicates"` // live objects beyond the first of each natural key
	Orphans    int `json:"orphans"`    // live objects not named as managed; all of them, if none were named

	LiveIDs   []string `json:"live_ids,omitempty"`
	OrphanIDs []string `json:"orphan_ids,omitempty"`
}

// Managed names, by collection, the ids of the objects that a resource manages.
// An audit counts all others as orphans.
type Managed map[string][]string

// An Event is one change, in the order in which they happened.
type Event struct {
	Sequence   uint64    `json:"sequence"`
	Time       time.Time `json:"time"`
	What       string    `json:"what"` // a field name of Counts, such as "creates", or "by_hand"
	Collection string    `json:"collection"`
	ObjectID   string    `json:"object_id,omitempty"`
	Key        string    `json:"key,omitempty"` // the natural key
	TaskID     string    `json:"task_id,omitempty"`
}

// Settings of a running cloud.
type Settings struct {
	TaskDelay Duration `json:"task_delay"` // how long tasks take
}

// TaskEnd ends a running task by hand.
type TaskEnd struct {
	Outcome string `json:"outcome"` // "succeed" or OutcomeFail
	Message string `json:"message,omitempty"`
}
