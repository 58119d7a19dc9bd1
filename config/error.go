package config

import (
	"strconv"
	"strings"
)

// Error is an error in a configuration.
//
// +kubebuilder:object:generate=false
type Error struct {
	// Path is the path of the error: keys of maps and objects, and indices of lists.
	Path []string
	Err  error
}

// Error returns the path and the error: resources.random_pet.omit[0]: there is no attribute x.
func (e *Error) Error() string {
	if len(e.Path) == 0 {
		return e.Err.Error()
	}
	return FormatPath(e.Path) + ": " + e.Err.Error()
}

// Unwrap returns the error without its path.
func (e *Error) Unwrap() error { return e.Err }

// FormatPath formats a path: resources.random_pet.omit[0].
func FormatPath(path []string) string {
	var b strings.Builder
	for _, step := range path {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}
