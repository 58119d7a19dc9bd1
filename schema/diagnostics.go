package schema

import "github.com/landbridge-io/landbridge/internal/diagnostic"

type (
	// Diagnostics are the errors and warnings of a provider, and of Landbridge about it.
	Diagnostics = diagnostic.Diagnostics
	// Diagnostic is one error or warning.
	Diagnostic = diagnostic.Diagnostic
	// Severity of a Diagnostic: Error or Warning.
	Severity = diagnostic.Severity
)
