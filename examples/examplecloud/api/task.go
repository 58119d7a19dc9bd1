package api

import (
	"fmt"
	"time"
)

// What a task does.
const (
	TaskCreate = "create"
	TaskDelete = "delete"
)

// How a task stands.
const (
	TaskRunning   = "running"
	TaskSucceeded = "succeeded"
	TaskFailed    = "failed"
	TaskCancelled = "cancelled"
)

// A Task is the creation or deletion of one object, under way or ended.
type Task struct {
	ID         string `json:"id"`
	Collection string `json:"collection"`
	Operation  string `json:"operation"`
	Status     string `json:"status"`
	// ObjectID is empty until the end of the creation where the cloud does not
	// know the id before.
	ObjectID   string     `json:"object_id,omitempty"`
	Error      *Error     `json:"error,omitempty"`
	CreatedAt  time.Time  `json:"created_at"`
	FinishedAt *time.Time `json:"finished_at,omitempty"`
}

// Codes of errors.
const (
	CodeInvalid      = "invalid"
	CodeImmutable    = "immutable"
	CodeNotFound     = "not_found"
	CodeExpired      = "expired"
	CodeConflict     = "conflict"
	CodeUnauthorized = "unauthorized"
	CodeTaskFailed   = "task_failed"
	CodeInjected     = "injected"
	CodeInternal     = "internal"
)

// An Error is the body of every answer that is not a success.
type Error struct {
	Status  int    `json:"status"` // the HTTP status
	Code    string `json:"code"`
	Message string `json:"message"`
	// TaskID is the task that already creates the object, of a conflict with one.
	TaskID string `json:"task_id,omitempty"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s (%s, status %d)", e.Message, e.Code, e.Status)
}
