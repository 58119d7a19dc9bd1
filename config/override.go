package config

import "github.com/landbridge-io/landbridge/schema"

// Override configures all resource types that match all of its conditions.
type Override struct {
	// Match are names of resource types. * matches any characters. Each name must match a resource
	// type.
	// +optional
	Match []string `json:"match,omitempty"`
	// Having are paths of attributes and blocks that a resource type must have to match.
	// +optional
	Having []string `json:"having,omitempty"`
	// Matches reports whether a resource type matches.
	Matches Predicate `json:"-"`

	Resource `json:",inline"`
}

// Predicate reports whether a resource type is selected.
//
// +kubebuilder:object:generate=false
type Predicate func(*schema.Resource) bool

// DeepCopy returns the same function.
func (p Predicate) DeepCopy() Predicate { return p }
