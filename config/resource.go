package config

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Resource is the configuration of one resource type.
type Resource struct {
	// Group is the API group of this kind. Defaults to that of the provider.
	// +optional
	Group string `json:"group,omitempty"`
	// Kind is the name of the kind. It must not be taken. Defaults to the name of the type in
	// PascalCase.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Plural is the plural of the kind. Defaults to one that is derived from the kind.
	// +optional
	Plural string `json:"plural,omitempty"`
	// ShortNames are short names of the kind, for kubectl.
	// +optional
	ShortNames []string `json:"shortNames,omitempty"`
	// Version is the API version in which objects of this kind are stored. Versions that a
	// repository served before stay served, and objects are converted. It cannot be set in a
	// TerraformProvider, whose kinds have one version. Defaults to that of the provider.
	// +optional
	Version string `json:"version,omitempty"`
	// DroppedVersions are the API versions of this kind that are no longer served.
	// +optional
	DroppedVersions []string `json:"droppedVersions,omitempty"`
	// Description replaces the description of the schema.
	// +optional
	Description string `json:"description,omitempty"`

	// Omit are paths of attributes and blocks that are neither in spec nor in status. Required ones
	// cannot be omitted.
	// +optional
	Omit []string `json:"omit,omitempty"`
	// Fields configures how attributes and blocks are presented, by their paths.
	// +optional
	Fields map[string]Field `json:"fields,omitempty"`
	// InferImmutable makes the fields immutable of which the schema or the documentation says that
	// a change forces a new resource.
	// +optional
	InferImmutable bool `json:"inferImmutable,omitempty"`
	// Add adds fields to spec.forProvider that the provider does not have, by their names.
	// Templates and functions can use them.
	// +optional
	Add map[string]AddedField `json:"add,omitempty"`

	// References are the attributes that can take their values from other resources, by their paths
	// (network.network_id).
	// +optional
	References map[string]Reference `json:"references,omitempty"`

	// ExternalName configures the external names of objects. Defaults to the only required
	// attribute of the identity, else the whole identity, else id.
	// +optional
	ExternalName *ExternalName `json:"externalName,omitempty"`
	// Identity is where the attributes of the identity come from, by their names, where they are
	// not arguments of the same name. With it, the identity of an object is known before its
	// create.
	// +optional
	Identity map[string]IdentityValue `json:"identity,omitempty"`
	// CreateToken is the argument that makes creates idempotent at the remote side.
	// +optional
	CreateToken *CreateToken `json:"createToken,omitempty"`
	// ListRecovery permits to find the object of an interrupted create by listing the objects of
	// the type. Set it only if nothing else creates objects of the type with the same arguments in
	// the account meanwhile.
	// +optional
	ListRecovery *ListRecovery `json:"listRecovery,omitempty"`
	// ListRefresh looks at unchanged objects by listing the objects of the type, and reads only
	// those that differ. Set it where reading each object takes too many requests.
	// +optional
	ListRefresh *ListRefresh `json:"listRefresh,omitempty"`
	// DefaultTags are added to all objects.
	// +optional
	DefaultTags *DefaultTags `json:"defaultTags,omitempty"`
	// ConnectionDetails are keys of the connection Secret besides those of sensitive attributes.
	// They may use .attributes, .externalName and .metadata. A key without a value is left out.
	// +optional
	ConnectionDetails map[string]Template `json:"connectionDetails,omitempty"`
	// LateInitialize writes values that the provider chose into spec.forProvider.
	// +optional
	LateInitialize *LateInitialize `json:"lateInitialize,omitempty"`
	// Timeouts are the timeouts of operations, unless the custom resource or the provider's field
	// timeouts sets them.
	// +optional
	Timeouts *Timeouts `json:"timeouts,omitempty"`

	// PollInterval is the interval at which an unchanged object is compared with its configuration,
	// at least 1s. The annotation crossplane.io/poll-interval of a custom resource overrides it.
	// Defaults to that of the provider.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	PollInterval *metav1.Duration `json:"pollInterval,omitempty"`

	// CreationGracePeriod is how long an object may be missing after its create or import without
	// being taken for gone, such as 2m; 0s for not at all. spec.lifecycle.creationGracePeriod of a
	// custom resource overrides it. Defaults to that of the controller.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	CreationGracePeriod *metav1.Duration `json:"creationGracePeriod,omitempty"`

	// Functions change values in ways that data cannot express.
	Functions *Functions `json:"-"`
}

// LateInitialize configures which values that the provider chose are written into spec.forProvider.
type LateInitialize struct {
	// Enabled turns late initialization on.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Ignore are paths of attributes and blocks that are not written, including everything in them.
	// +optional
	Ignore []string `json:"ignore,omitempty"`
}

// Timeouts are the timeouts of operations.
type Timeouts struct {
	// Create is the timeout of creates, such as 30m or 1h30m.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	Create *metav1.Duration `json:"create,omitempty"`
	// Update is the timeout of updates.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	Update *metav1.Duration `json:"update,omitempty"`
	// Delete is the timeout of deletes.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	Delete *metav1.Duration `json:"delete,omitempty"`
}
