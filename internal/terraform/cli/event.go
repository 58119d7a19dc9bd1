package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// event is a line of what the program tells with -json. Both programs share the format.
type event struct {
	Type       string     `json:"type"`
	Message    string     `json:"@message"`
	Diagnostic *diagnosed `json:"diagnostic"`
	Change     *change    `json:"change"`
	Hook       *hook      `json:"hook"`
}

// diagnosed is a diagnostic. Its snippet of the configuration is not read: it may hold secrets.
type diagnosed struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
}

func (d diagnosed) diagnostic() diagnostic.Diagnostic {
	out := diagnostic.Diagnostic{Severity: diagnostic.Warning, Summary: d.Summary, Detail: d.Detail}
	if d.Severity == "error" {
		out.Severity = diagnostic.Error
	}
	return out
}

// change is a planned change.
type change struct {
	Action string `json:"action"`
	Reason string `json:"reason"`
}

// hook is what happens to the object.
type hook struct {
	Action  string  `json:"action"`
	Elapsed float64 `json:"elapsed_seconds"`
}

// told is what the program told in one run.
type told struct {
	diagnostics diagnostic.Diagnostics
	changes     []change
	// strange is the first line that is no JSON.
	strange string
}

// take reads a line, and returns what it tells of a change that is under way; nothing of the object is in it.
func (t *told) take(line []byte) (progress string) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		if text := strings.TrimSpace(string(line)); t.strange == "" && text != "" {
			t.strange = text
		}
		return ""
	}
	switch e.Type {
	case "diagnostic":
		if e.Diagnostic != nil {
			t.diagnostics = append(t.diagnostics, e.Diagnostic.diagnostic())
		}
	case "planned_change":
		if e.Change != nil {
			t.changes = append(t.changes, *e.Change)
		}
	case "apply_progress":
		if e.Hook != nil {
			return fmt.Sprintf("%s, %s elapsed", e.Hook.Action, time.Duration(e.Hook.Elapsed*float64(time.Second)).Round(time.Second))
		}
	}
	return ""
}

// takeValidation reads what validate -json tells, which is one document.
func (t *told) takeValidation(b []byte) {
	var answer struct {
		Valid       *bool       `json:"valid"`
		Diagnostics []diagnosed `json:"diagnostics"`
	}
	if err := json.Unmarshal(b, &answer); err != nil || answer.Valid == nil {
		t.strange = string(b)
		return
	}
	for _, d := range answer.Diagnostics {
		t.diagnostics = append(t.diagnostics, d.diagnostic())
	}
}

// without are the diagnostics that are not renditions of others: those that the provider gave are
// told by the program again, with more in their details.
func without(said, known diagnostic.Diagnostics) diagnostic.Diagnostics {
	var out diagnostic.Diagnostics
	for _, d := range said {
		if !isRendition(d, known) {
			out = append(out, d)
		}
	}
	return out
}

func isRendition(d diagnostic.Diagnostic, known diagnostic.Diagnostics) bool {
	for _, k := range known {
		if d.Severity == k.Severity && d.Summary == k.Summary && strings.HasPrefix(d.Detail, strings.TrimSpace(k.Detail)) {
			return true
		}
	}
	return false
}
