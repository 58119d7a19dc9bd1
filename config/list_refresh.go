package config

// ListRefresh configures that unchanged objects are looked at by listing the objects of the type,
// and not by reading each: one list serves all resources of a provider configuration for one poll
// interval. What differs from its list, or is not in it, is read.
type ListRefresh struct {
	// Arguments are the arguments of the type's list resource: arguments of the resource, or
	// constants. They narrow down what is listed. Objects with other arguments are in another list.
	// +optional
	Arguments map[string]IdentityValue `json:"arguments,omitempty"`
	// ReadEvery is the number of looks at an object of which one reads it, to find changes of what
	// the list does not tell. Defaults to 100.
	// +kubebuilder:validation:Minimum=2
	// +optional
	ReadEvery int32 `json:"readEvery,omitempty"`
}
