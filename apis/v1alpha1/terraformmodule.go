package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TerraformModule makes a kind of a Terraform module: its variables are what a resource of the kind shall be,
// its outputs what it is.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories={landbridge},shortName=tfm
// +kubebuilder:printcolumn:name="INSTALLED",type="string",JSONPath=".status.conditions[?(@.type=='Installed')].status"
// +kubebuilder:printcolumn:name="HEALTHY",type="string",JSONPath=".status.conditions[?(@.type=='Healthy')].status"
// +kubebuilder:printcolumn:name="KIND",type="string",JSONPath=".status.kind"
// +kubebuilder:printcolumn:name="GROUP",type="string",JSONPath=".status.group"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type TerraformModule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   TerraformModuleSpec   `json:"spec"`
	Status TerraformModuleStatus `json:"status,omitempty"`
}

// TerraformModuleSpec says which module, and how it is presented.
type TerraformModuleSpec struct {
	// Source is where the module comes from.
	Source ModuleSource `json:"source"`

	// Group is the API group of the kind; modules.landbridge.io by default. As long as there is any object
	// of the kind, group, kind and plural cannot be changed.
	// +optional
	Group string `json:"group,omitempty"`
	// Kind is the name of the kind; made from the object's name by default.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Plural is the plural of the kind; made from the kind by default.
	// +optional
	Plural string `json:"plural,omitempty"`

	// Providers are the names of the TerraformProviders for the module's providers, by their sources, such as
	// hashicorp/random. By default it is the one TerraformProvider that has that source.
	// +optional
	Providers map[string]string `json:"providers,omitempty"`
}

// ModuleSource is where a module comes from.
//
// +kubebuilder:validation:XValidation:rule="(has(self.directory) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.address) ? 1 : 0) == 1",message="exactly one of directory, configMapRef and address must be given"
// +kubebuilder:validation:XValidation:rule="!has(self.version) || has(self.address)",message="a version needs an address"
type ModuleSource struct {
	// Directory is the absolute path of a directory that the controller can read. It is looked at again and again.
	// +kubebuilder:validation:Pattern=`^/`
	// +optional
	Directory string `json:"directory,omitempty"`
	// ConfigMapRef names a ConfigMap whose keys are the module's files.
	// +optional
	ConfigMapRef *ConfigMapReference `json:"configMapRef,omitempty"`
	// Address is a source address in Terraform's syntax: of a Git repository, such as
	// git::https://example.com/network.git?ref=v1.2.0, or of a registry, such as terraform-aws-modules/vpc/aws. It
	// is fetched once: change the ref or the version for another one.
	// +optional
	Address string `json:"address,omitempty"`
	// Version is a version constraint for addresses of registries.
	// +optional
	Version string `json:"version,omitempty"`
}

// ConfigMapReference names a ConfigMap.
type ConfigMapReference struct {
	// +kubebuilder:validation:MinLength=1
	Namespace string `json:"namespace"`
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// TerraformModuleStatus is what was found.
type TerraformModuleStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// Group, Kind and Plural are those of the kind that is served.
	// +optional
	Group string `json:"group,omitempty"`
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	Plural string `json:"plural,omitempty"`
	// Digest identifies the module's files.
	// +optional
	Digest string `json:"digest,omitempty"`
	// Providers are the names of the TerraformProviders that are used, by the sources of the module's providers.
	// +optional
	Providers map[string]string `json:"providers,omitempty"`
	// ObservedGeneration is the generation of the spec the status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// TerraformModuleList is a list of TerraformModules.
//
// +kubebuilder:object:root=true
type TerraformModuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TerraformModule `json:"items"`
}
