package diagnostic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Severity of a Diagnostic.
type Severity string

// The two severities of the plugin protocol.
const (
	Error   Severity = "Error"
	Warning Severity = "Warning"
)

// Diagnostic is one error or warning of an operation.
type Diagnostic struct {
	Severity Severity
	Summary  string
	Detail   string
	// Attribute is the path of the attribute, with Terraform's names; empty for
	// the whole object.
	Attribute cty.Path
	// OfIdentity is set if Attribute is one of the identity that is given for an import.
	OfIdentity bool
	// Object is the address of the object of a module that an inconsistent result is about; empty
	// otherwise.
	Object string
}

// Diagnostics are the errors and warnings of an operation, in their order.
type Diagnostics []Diagnostic

// Errorf returns a single error diagnostic about the whole object.
func Errorf(summary, detail string, args ...any) Diagnostics {
	return Diagnostics{{Severity: Error, Summary: summary, Detail: fmt.Sprintf(detail, args...)}}
}

// AttributeErrorf returns a single error diagnostic about one attribute.
func AttributeErrorf(path cty.Path, summary, detail string, args ...any) Diagnostics {
	return Diagnostics{{Severity: Error, Summary: summary, Detail: fmt.Sprintf(detail, args...), Attribute: path.Copy()}}
}

// Warningf returns a single warning diagnostic about the whole object.
func Warningf(summary, detail string, args ...any) Diagnostics {
	return Diagnostics{{Severity: Warning, Summary: summary, Detail: fmt.Sprintf(detail, args...)}}
}

// HasErrors reports whether any diagnostic is an error.
func (d Diagnostics) HasErrors() bool {
	for _, x := range d {
		if x.Severity == Error {
			return true
		}
	}
	return false
}

// Errors returns the error diagnostics only.
func (d Diagnostics) Errors() Diagnostics { return d.only(Error) }

// Warnings returns the warning diagnostics only.
func (d Diagnostics) Warnings() Diagnostics { return d.only(Warning) }

func (d Diagnostics) only(s Severity) Diagnostics {
	var out Diagnostics
	for _, x := range d {
		if x.Severity == s {
			out = append(out, x)
		}
	}
	return out
}

// HasSummary reports whether an error's summary starts with prefix. SDKv2 puts the
// whole sentence into the summary, the framework splits it (contract § 3.13).
func (d Diagnostics) HasSummary(prefix string) bool {
	for _, x := range d {
		if x.Severity == Error && strings.HasPrefix(x.Summary, prefix) {
			return true
		}
	}
	return false
}

// Err returns nil without errors, else an error from which As returns the
// diagnostics.
func (d Diagnostics) Err() error {
	if !d.HasErrors() {
		return nil
	}
	return &diagnosticsError{diagnostics: d}
}

// As recovers the Diagnostics from an error made by Err.
func As(err error) (Diagnostics, bool) {
	var e *diagnosticsError
	if errors.As(err, &e) {
		return e.diagnostics, true
	}
	return nil, false
}

type diagnosticsError struct{ diagnostics Diagnostics }

func (e *diagnosticsError) Error() string { return e.diagnostics.Errors().String() }

// String joins the diagnostics, one per line, with Terraform's attribute paths. It
// is for logs and test failures; package translate formats them for users, with
// the field names of their spec.
func (d Diagnostics) String() string {
	lines := make([]string, 0, len(d))
	for _, x := range d {
		lines = append(lines, x.Format(FormatPath))
	}
	return strings.Join(lines, "\n")
}

// Format returns the diagnostic as one line, with the attribute path formatted by path.
func (x Diagnostic) Format(path func(cty.Path) string) string {
	var b strings.Builder
	if len(x.Attribute) > 0 {
		b.WriteString(path(x.Attribute))
		b.WriteString(": ")
	}
	b.WriteString(x.Summary)
	if x.Detail != "" {
		b.WriteString(": ")
		b.WriteString(strings.Join(strings.Fields(x.Detail), " "))
	}
	return b.String()
}
