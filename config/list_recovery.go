package config

// ListRecovery configures how the object of an interrupted create is found by listing, where
// nothing else tells which one it is. What exists is listed before each create and stored. After an
// interruption, the object is the create's if it is the only new one that no resource manages, and
// has the planned arguments.
type ListRecovery struct {
	// Arguments are the arguments of the type's list resource: arguments of the resource, or
	// constants. They narrow down what is listed.
	// +optional
	Arguments map[string]IdentityValue `json:"arguments,omitempty"`
}
