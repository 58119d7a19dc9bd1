package store

// Tokens are the values of annotations by which a person asks for something. A token that differs
// from the last one that was acted upon asks again; the same one does not. Empty ones ask nothing.
type Tokens struct {
	// Taint asks to replace the object, Untaint to keep a tainted one.
	Taint   string `json:"taint,omitempty"`
	Untaint string `json:"untaint,omitempty"`
	// Retry asks to try a failed operation again now.
	Retry string `json:"retry,omitempty"`
	// Imported is set when spec.import, which can be neither changed nor removed, was carried out:
	// there was an object.
	Imported bool `json:"imported,omitempty"`
}
