package config

import "github.com/landbridge-io/landbridge/schema"

// Override configures all resource types that match.
type Override struct {
	// Match are names of resource types, in which * stands for any characters. One that matches
	// nothing is an error.
	// +optional
	Match []string `json:"match,omitempty"`
	// Having names attributes and blocks that a resource type must have to match.
	// +optional
	Having []string `json:"having,omitempty"`
	// Matches reports whether a resource type matches. Where there are several conditions, all of
	// them must be met.
	Matches Predicate `json:"-"`

	Resource `json:",inline"`
}

// Predicate picks resource types.
//
// +kubebuilder:object:generate=false
type Predicate func(*schema.Resource) bool

// DeepCopy returns the same function.
func (p Predicate) DeepCopy() Predicate { return p }
