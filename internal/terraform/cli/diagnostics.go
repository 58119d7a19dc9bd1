package cli

import (
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// conclude returns the diagnostics of a run: those of the provider's answers if they have errors,
// else the program's.
func (e *Executor) conclude(out outcome, r *replay, judged diagnostic.Diagnostics) diagnostic.Diagnostics {
	switch {
	case judged.HasErrors() && !r.missing:
		return judged
	case out.ok() && r.missing:
		return diagnostic.Errorf("Unexpected answer of the command line",
			"%s succeeded without asking the provider for required information.", e.runner.Program())
	case !out.ok():
		return e.failed(out)
	}
	return append(judged, e.warnings(out, judged)...)
}

// failed returns the diagnostics of a run that failed.
func (e *Executor) failed(out outcome) diagnostic.Diagnostics {
	if out.diagnostics.HasErrors() && out.Killed == nil {
		return unique(out.diagnostics)
	}
	return append(out.diagnostics.Warnings(), diagnostic.Errorf("The command line failed", "%s", out.Failure(e.runner.Program(), nil))...)
}

// warnings returns the program's own warnings.
func (e *Executor) warnings(out outcome, known diagnostic.Diagnostics) diagnostic.Diagnostics {
	return unique(without(out.diagnostics.Warnings(), known))
}

func unique(in diagnostic.Diagnostics) diagnostic.Diagnostics {
	var out diagnostic.Diagnostics
	seen := map[string]bool{}
	for _, d := range in {
		key := string(d.Severity) + "\x00" + d.Summary + "\x00" + d.Detail
		if !seen[key] {
			seen[key] = true
			out = append(out, d)
		}
	}
	return out
}

// without returns the program's diagnostics that do not repeat known ones. The program repeats the
// diagnostics of the provider with more details.
func without(all, known diagnostic.Diagnostics) diagnostic.Diagnostics {
	var out diagnostic.Diagnostics
	for _, d := range all {
		if !repeats(d, known) {
			out = append(out, d)
		}
	}
	return out
}

func repeats(d diagnostic.Diagnostic, known diagnostic.Diagnostics) bool {
	for _, k := range known {
		if d.Severity == k.Severity && d.Summary == k.Summary && strings.HasPrefix(d.Detail, strings.TrimSpace(k.Detail)) {
			return true
		}
	}
	return false
}
