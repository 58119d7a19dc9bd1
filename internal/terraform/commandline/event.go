package commandline

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// Event is one line of the output with -json. OpenTofu and Terraform share the format.
type Event struct {
	Type       string      `json:"type"`
	Diagnostic *Diagnostic `json:"diagnostic"`
	Change     *Change     `json:"change"`
	Hook       *Hook       `json:"hook"`
}

// Diagnostic is a diagnostic of the program. Its snippet of the configuration is not read, since it
// may contain secrets.
type Diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	// Address is the resource that the diagnostic is about; empty for none.
	Address string `json:"address"`
	Range   *Range `json:"range"`
}

// Range is the place in the configuration that a Diagnostic is about.
type Range struct {
	Filename string             `json:"filename"`
	Start    struct{ Line int } `json:"start"`
}

// Diagnostic returns the severity, summary and detail.
func (d Diagnostic) Diagnostic() diagnostic.Diagnostic {
	out := diagnostic.Diagnostic{Severity: diagnostic.Warning, Summary: d.Summary, Detail: d.Detail}
	if d.Severity == "error" {
		out.Severity = diagnostic.Error
	}
	return out
}

// Change is a planned change.
type Change struct {
	Action string `json:"action"`
	Reason string `json:"reason"`
}

// Hook describes an operation on a resource instance.
type Hook struct {
	Resource ResourceAddress `json:"resource"`
	Action   string          `json:"action"`
	Elapsed  float64         `json:"elapsed_seconds"`
}

// ResourceAddress identifies a resource instance.
type ResourceAddress struct {
	Address string `json:"addr"`
	Module  string `json:"module"`
	Type    string `json:"resource_type"`
	Name    string `json:"resource_name"`
	Key     any    `json:"resource_key"`
}

// Progress describes a change in progress, such as "create, 10s elapsed"; empty for other events.
// It contains nothing of the object.
func (e Event) Progress() string {
	if e.Type != "apply_progress" || e.Hook == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s elapsed", e.Hook.Action, time.Duration(e.Hook.Elapsed*float64(time.Second)).Round(time.Second))
}

// parseEvent reports whether a line of output is an event.
func parseEvent(line []byte) (Event, bool) {
	var e Event
	err := json.Unmarshal(line, &e)
	return e, err == nil
}

// Validation is the output of validate -json.
type Validation struct {
	Valid       bool
	Diagnostics []Diagnostic
}

// ParseValidation returns the output of validate -json; false if it is not one document.
func ParseValidation(stdout []byte) (Validation, bool) {
	var answer struct {
		Valid       *bool        `json:"valid"`
		Diagnostics []Diagnostic `json:"diagnostics"`
	}
	if err := json.Unmarshal(stdout, &answer); err != nil || answer.Valid == nil {
		return Validation{}, false
	}
	return Validation{*answer.Valid, answer.Diagnostics}, true
}
