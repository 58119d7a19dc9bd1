package store

// Tokens are those of what a person asked for by annotation: a token that differs from the one
// that was acted upon last asks anew, the same one never does. Empty where nothing is asked.
type Tokens struct {
	// Taint asks for the object to be replaced, Untaint for a tainted one to be kept.
	Taint   string `json:"taint,omitempty"`
	Untaint string `json:"untaint,omitempty"`
	// Retry asks for a failed operation to be tried again now.
	Retry string `json:"retry,omitempty"`
	// Imported says that spec.import, which can be neither changed nor removed, was done: there was
	// an object where it was asked for.
	Imported bool `json:"imported,omitempty"`
}
