package history

import (
	"strconv"
	"strings"
)

// Author is who has changed a spec, as the API server has noted it at admission.
type Author struct {
	// ChangedBy is the user. FieldManager is what the user's program calls itself; empty if it has
	// given no name.
	ChangedBy    string `json:"changedBy,omitempty"`
	FieldManager string `json:"fieldManager,omitempty"`
}

// noManager stands for a program that has given no name.
const noManager = "-"

// AuthorOf returns who has made a generation of a resource, as the annotation
// v1alpha1.AnnotationChangedBy has it: generation, field manager and user. It returns nothing if
// the annotation is of another generation, whose author is not known then.
func AuthorOf(annotation string, generation int64) Author {
	of, rest, _ := strings.Cut(annotation, " ")
	manager, user, ok := strings.Cut(rest, " ")
	if !ok || of != strconv.FormatInt(generation, 10) {
		return Author{}
	}
	if manager == noManager {
		manager = ""
	}
	return Author{ChangedBy: user, FieldManager: manager}
}

// String returns the user and the program for people; empty for an author who is not known.
func (a Author) String() string {
	if a.FieldManager == "" {
		return a.ChangedBy
	}
	return a.ChangedBy + " with " + a.FieldManager
}
