package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceQuery lists remote objects at an interval, by a list resource of a provider, and tells
// which of them resources manage.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories={landbridge},path=resourcequeries
// +kubebuilder:validation:XValidation:rule="!(has(self.spec.pages) && self.spec.pages) || size(self.metadata.name) <= 240",message="spec.pages needs a name of at most 240 characters"
// +kubebuilder:printcolumn:name="TYPE",type="string",JSONPath=".spec.resourceType"
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="MANAGED",type="integer",JSONPath=".status.managed"
// +kubebuilder:printcolumn:name="DECLARED",type="integer",JSONPath=".status.declared"
// +kubebuilder:printcolumn:name="UNMANAGED",type="integer",JSONPath=".status.unmanaged"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type ResourceQuery struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ResourceQuerySpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1}
	Status ResourceQueryStatus `json:"status,omitempty"`
}

// ResourceQuerySpec is the desired state of a ResourceQuery.
type ResourceQuerySpec struct {
	// ResourceType is the resource type whose objects are listed, such as aws_instance. The
	// provider needs a list resource for it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ResourceType string `json:"resourceType"`

	// TerraformProvider is the name of the TerraformProvider that has the resource type. Defaults
	// to the only one that has it.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	TerraformProvider string `json:"terraformProvider,omitempty"`

	// ProviderConfigRef refers to the provider configuration whose objects are listed: a
	// ProviderConfig of the namespace, or a ClusterProviderConfig that the namespace may use.
	// +kubebuilder:default={"kind": "ClusterProviderConfig", "name": "default"}
	// +optional
	ProviderConfigRef *QueryProviderConfigReference `json:"providerConfigRef,omitempty"`

	// Config has the arguments of the list resource, as its schema defines them.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Config *apiextensionsv1.JSON `json:"config,omitempty"`

	// Interval is the interval at which objects are listed, such as 10m; at least 10s. The time
	// differs by up to a tenth. Defaults to 10m.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s')",message="the interval must be at least 10s"
	// +optional
	Interval *metav1.Duration `json:"interval,omitempty"`

	// Limit is the maximum of objects that are listed. Defaults to 1000.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +kubebuilder:default=1000
	// +optional
	Limit int64 `json:"limit,omitempty"`

	// Suspend stops the query. The status stays as it is.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// Pages has all objects written into ConfigMaps of the namespace, which status.pages names.
	// They are removed with the query, and when Pages is not set any more.
	// +optional
	Pages bool `json:"pages,omitempty"`
}

// QueryProviderConfigReference refers to a provider configuration.
type QueryProviderConfigReference struct {
	// +kubebuilder:validation:Enum=ProviderConfig;ClusterProviderConfig
	Kind string `json:"kind"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// ResourceQueryStatus is the observed state of a ResourceQuery. Objects that resources of other
// namespaces manage or declare are counted, and nothing else of them is shown.
type ResourceQueryStatus struct {
	xpv2.ConditionedStatus `json:",inline"`
	// ObservedGeneration is the generation that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Total is the number of objects that were listed.
	// +optional
	Total int64 `json:"total"`
	// Managed is the number of objects that resources of the namespace manage.
	// +optional
	Managed int64 `json:"managed"`
	// Declared is the number of objects that resources of the namespace describe, and do not manage
	// yet.
	// +optional
	Declared int64 `json:"declared"`
	// Unmanaged is the number of objects that no resource manages or describes.
	// +optional
	Unmanaged int64 `json:"unmanaged"`
	// OtherNamespaces is the number of objects that resources of other namespaces manage or
	// describe.
	// +optional
	OtherNamespaces int64 `json:"otherNamespaces"`

	// Objects are the first hundred objects: those that violate EstatePolicies, unmanaged ones,
	// declared ones, and managed ones.
	// +listType=atomic
	// +optional
	Objects []QueriedObject `json:"objects,omitempty"`

	// Pages are the names of the ConfigMaps with all objects.
	// +listType=atomic
	// +optional
	Pages []string `json:"pages,omitempty"`

	// Violations are the EstatePolicies that objects violate.
	// +listType=atomic
	// +optional
	Violations []EstateViolation `json:"violations,omitempty"`
}

// QueriedObject is a remote object.
type QueriedObject struct {
	// DisplayName is the provider's name of the object for people; it need not be unique.
	// +optional
	DisplayName string `json:"displayName,omitempty"`
	// Identity has the format of spec.import.identity.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Identity apiextensionsv1.JSON `json:"identity"`
	// Ownership is Managed, Declared or Unmanaged.
	Ownership QueriedOwnership `json:"ownership"`
	// Owners are the resources of the namespace that manage or describe the object.
	// +listType=atomic
	// +optional
	Owners []QueriedOwner `json:"owners,omitempty"`
	// Violates are the names of the EstatePolicies that the object violates.
	// +listType=atomic
	// +optional
	Violates []string `json:"violates,omitempty"`
}

// QueriedOwner is a resource of the namespace of a query.
type QueriedOwner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// QueriedOwnership is whether resources manage an object.
type QueriedOwnership string

// The values of QueriedOwnership.
const (
	QueriedManaged   QueriedOwnership = "Managed"
	QueriedDeclared  QueriedOwnership = "Declared"
	QueriedUnmanaged QueriedOwnership = "Unmanaged"
)

// EstateViolation is a validation of an EstatePolicy that objects violate.
type EstateViolation struct {
	// Policy is the name of the EstatePolicy.
	Policy string `json:"policy"`
	// Message tells why.
	Message string `json:"message"`
	// Objects is the number of objects.
	Objects int64 `json:"objects"`
}

// ResourceQueryList is a list of ResourceQueries.
//
// +kubebuilder:object:root=true
type ResourceQueryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ResourceQuery `json:"items"`
}
