package config

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Resource is the configuration of one resource type.
type Resource struct {
	// Group is the API group of this kind; empty: the provider's.
	// +optional
	Group string `json:"group,omitempty"`
	// Kind is the name of the kind; empty: made from the name of the type. A name that is taken is
	// an error.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Plural is the plural of the kind; empty: made from the kind.
	// +optional
	Plural string `json:"plural,omitempty"`
	// ShortNames are for kubectl.
	// +optional
	ShortNames []string `json:"shortNames,omitempty"`
	// Version is the API version of this kind, in which its objects are stored; empty: the provider's.
	// Versions that a repository served before go on being served, and objects are converted. At run time
	// kinds have one version, so that this is an error there.
	// +optional
	Version string `json:"version,omitempty"`
	// DroppedVersions are API versions of this kind that are not served any more.
	// +optional
	DroppedVersions []string `json:"droppedVersions,omitempty"`
	// Description says what the kind is, instead of the schema.
	// +optional
	Description string `json:"description,omitempty"`

	// Omit names attributes and blocks that appear neither in spec nor in status. Required ones
	// cannot be omitted.
	// +optional
	Omit []string `json:"omit,omitempty"`
	// Fields changes how attributes and blocks are presented.
	// +optional
	Fields map[string]Field `json:"fields,omitempty"`
	// Add adds fields to spec.forProvider that the provider does not have, by their names there.
	// They are there for templates and functions.
	// +optional
	Add map[string]AddedField `json:"add,omitempty"`

	// References are attributes that get their values from other resources, by their paths
	// (network.network_id).
	// +optional
	References map[string]Reference `json:"references,omitempty"`

	// ExternalName says what objects are called at the provider. Empty: the one required attribute
	// of the identity, else the whole identity, else id.
	// +optional
	ExternalName *ExternalName `json:"externalName,omitempty"`
	// DefaultTags are put on all objects.
	// +optional
	DefaultTags *DefaultTags `json:"defaultTags,omitempty"`
	// ConnectionDetails are keys of the connection Secret besides those of sensitive attributes.
	// Templates have .attributes, .externalName and .metadata. One that has no value leaves its key out.
	// +optional
	ConnectionDetails map[string]Template `json:"connectionDetails,omitempty"`
	// LateInitialize lets values that the provider chose be written into spec.forProvider.
	// +optional
	LateInitialize *LateInitialize `json:"lateInitialize,omitempty"`
	// Timeouts bound operations of which neither the custom resource nor the provider's field
	// timeouts says how long they may take.
	// +optional
	Timeouts *Timeouts `json:"timeouts,omitempty"`

	// Functions are what cannot be said as data.
	Functions *Functions `json:"-"`
}

// LateInitialize says which values that the provider chose are written into spec.forProvider.
type LateInitialize struct {
	// Enabled says that there are any.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Ignore names attributes and blocks that are left out of it, with what is inside them.
	// +optional
	Ignore []string `json:"ignore,omitempty"`
}

// Timeouts are how long operations may take.
type Timeouts struct {
	// Create bounds creates, such as 30m or 1h30m.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	Create *metav1.Duration `json:"create,omitempty"`
	// Update bounds updates.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	Update *metav1.Duration `json:"update,omitempty"`
	// Delete bounds deletes.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	Delete *metav1.Duration `json:"delete,omitempty"`
}
