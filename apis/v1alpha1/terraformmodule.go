package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TerraformModule serves a Terraform module as a kind: its variables are the spec of the kind's
// resources, its outputs their status.
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

	Spec TerraformModuleSpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1}
	Status TerraformModuleStatus `json:"status,omitempty"`
}

// TerraformModuleSpec is the desired state of a TerraformModule.
type TerraformModuleSpec struct {
	// Source is where the module comes from.
	Source ModuleSource `json:"source"`

	// Group is the API group of the kind. Group, kind and plural cannot change while objects of the
	// kind exist. Defaults to modules.landbridge.io.
	// +optional
	Group string `json:"group,omitempty"`
	// Kind is the name of the kind. Defaults to one that is derived from the object's name.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Plural is the plural of the kind. Defaults to one that is derived from the kind.
	// +optional
	Plural string `json:"plural,omitempty"`

	// Providers are the names of the TerraformProviders for the module's providers, by their
	// sources, such as hashicorp/random. Defaults to the only TerraformProvider with that source.
	// +optional
	Providers map[string]string `json:"providers,omitempty"`

	// Allow is what the module, and the modules that it calls, may do beyond declaring resources.
	// Provisioners: provisioner and connection blocks, which run programs in the controller's
	// container. External: data sources and actions that run programs. HTTP: the data source http,
	// which sends requests from the controller's network. RemoteState: the data source
	// terraform_remote_state. Files: functions and resource types that use files outside the
	// module's folder. ProviderSettings: provider blocks with settings that could send the
	// credentials of a provider configuration elsewhere. Users of the module's kind can read what
	// it reads. Defaults to nothing.
	// +listType=set
	// +optional
	Allow []ModulePermission `json:"allow,omitempty"`

	// ApprovalPolicy is which plans wait for approval, for all resources of the kind. Destructive:
	// those that destroy or replace an object. Always: all. A resource may require more with
	// spec.lifecycle.approvalPolicy. Defaults to Never.
	// +kubebuilder:validation:Enum=Never;Destructive;Always
	// +optional
	ApprovalPolicy string `json:"approvalPolicy,omitempty"`

	// PollInterval is the interval at which unchanged resources are compared with their remote
	// objects, such as 10m; at least 1s. The annotation crossplane.io/poll-interval of a resource
	// overrides it. Defaults to the controller's flag --poll.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	PollInterval *metav1.Duration `json:"pollInterval,omitempty"`
}

// ModulePermission is something that a module may do only if it is allowed to.
//
// +kubebuilder:validation:Enum=Provisioners;External;HTTP;RemoteState;Files;ProviderSettings
type ModulePermission string

// ModuleSource is where a module comes from.
//
// +kubebuilder:validation:XValidation:rule="(has(self.directory) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) + (has(self.address) ? 1 : 0) == 1",message="exactly one of directory, configMapRef and address must be given"
// +kubebuilder:validation:XValidation:rule="!has(self.version) || has(self.address)",message="a version needs an address"
// +kubebuilder:validation:XValidation:rule="!has(self.credentialsSecretRef) || has(self.address)",message="credentials need an address"
type ModuleSource struct {
	// Directory is the absolute path of a directory that the controller can read. The controller
	// regularly checks it for changes.
	// +kubebuilder:validation:Pattern=`^/`
	// +optional
	Directory string `json:"directory,omitempty"`
	// ConfigMapRef refers to a ConfigMap whose keys are the module's files. Two underscores in a
	// key stand for a slash, as in modules__label__main.tf, and a key that ends with .tar.gz, .tgz
	// or .zip is an archive of files. The ConfigMap must be in Landbridge's own namespace, unless
	// digest is set: otherwise, whoever can change the ConfigMap could change what the controller
	// does.
	// +optional
	ConfigMapRef *ConfigMapReference `json:"configMapRef,omitempty"`
	// Address is a source address in Terraform's syntax: of a Git repository, such as
	// git::https://example.com/network.git?ref=v1.2.0, of an OCI repository, such as
	// oci://ghcr.io/acme/network?tag=1.2.0, or of a registry, such as
	// terraform-aws-modules/vpc/aws. The module is fetched once. To update it, change the ref, the
	// tag or the version.
	// +optional
	Address string `json:"address,omitempty"`
	// Version is a version constraint, for addresses of registries.
	// +optional
	Version string `json:"version,omitempty"`
	// CredentialsSecretRef refers to a Secret in Landbridge's own namespace with credentials for
	// the host of the address: username and password for Git over HTTPS, ssh-privatekey and
	// known_hosts for Git over SSH, token for a registry. They are given to no other host.
	// +optional
	CredentialsSecretRef *ModuleCredentialsReference `json:"credentialsSecretRef,omitempty"`
	// Digest is the only content that is used, as status.digest shows it. Defaults to any content.
	// +kubebuilder:validation:Pattern=`^sha256:[0-9a-f]{64}$`
	// +optional
	Digest string `json:"digest,omitempty"`
}

// ModuleCredentialsReference refers to a Secret in Landbridge's own namespace.
type ModuleCredentialsReference struct {
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// ConfigMapReference refers to a ConfigMap.
type ConfigMapReference struct {
	// +kubebuilder:validation:MinLength=1
	Namespace string `json:"namespace"`
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// TerraformModuleStatus is the observed state of a TerraformModule.
type TerraformModuleStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// The whole messages of conditions that show only a part of them, by the type of the condition.
	// +optional
	Messages map[string]string `json:"messages,omitempty"`

	// Group, Kind and Plural of the kind that is served.
	// +optional
	Group string `json:"group,omitempty"`
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	Plural string `json:"plural,omitempty"`
	// Digest identifies the files of the module, and of the modules that it calls.
	// +optional
	Digest string `json:"digest,omitempty"`
	// Providers are the names of the TerraformProviders in use, by the sources of the module's
	// providers.
	// +optional
	Providers map[string]string `json:"providers,omitempty"`
	// ObservedGeneration is the generation of the spec that the status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// LastHandledReconcileAt is the last value of the annotation
	// landbridge.io/reconcile-requested-at that was handled.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
}

// TerraformModuleList is a list of TerraformModules.
//
// +kubebuilder:object:root=true
type TerraformModuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TerraformModule `json:"items"`
}
