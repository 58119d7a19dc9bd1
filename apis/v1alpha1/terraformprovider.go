package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/config"
)

// TerraformProvider brings the resource types of one Terraform provider into the cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories={landbridge},shortName=tfp
// +kubebuilder:printcolumn:name="INSTALLED",type="string",JSONPath=".status.conditions[?(@.type=='Installed')].status"
// +kubebuilder:printcolumn:name="HEALTHY",type="string",JSONPath=".status.conditions[?(@.type=='Healthy')].status"
// +kubebuilder:printcolumn:name="SOURCE",type="string",JSONPath=".spec.source"
// +kubebuilder:printcolumn:name="VERSION",type="string",JSONPath=".status.installed.version"
// +kubebuilder:printcolumn:name="ACTIVATED",type="integer",JSONPath=".status.activated"
// +kubebuilder:printcolumn:name="RESOURCES",type="integer",JSONPath=".status.resources",priority=1
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type TerraformProvider struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   TerraformProviderSpec   `json:"spec"`
	Status TerraformProviderStatus `json:"status,omitempty"`
}

// TerraformProviderSpec says which provider, and which of its resource types.
type TerraformProviderSpec struct {
	// Source is the provider's address, such as hashicorp/random, which is looked up in the
	// controller's provider mirror; or the absolute path of a provider binary.
	// +kubebuilder:validation:MinLength=1
	Source string `json:"source"`

	// Version is a version constraint in Terraform's syntax, such as "~> 3.7". The newest
	// version of the mirror that meets it is installed. Empty: the newest version.
	// +optional
	Version string `json:"version,omitempty"`

	// Activate names the resource types to serve, by Terraform's names; "*" stands for any
	// characters. A CRD and a controller exist only for these. Taking a type away again stops
	// its controller; its CRD goes when no resource of the kind is left.
	// +kubebuilder:default={"*"}
	// +listType=set
	// +optional
	Activate []string `json:"activate,omitempty"`

	// Group is the API group of the kinds; by default the provider's name and .landbridge.io. As long
	// as there is any object of the provider's kinds, it stays what it was.
	// +optional
	Group string `json:"group,omitempty"`

	// Overrides change how many resource types are presented. Those that match a type are applied
	// in their order, and what resources says of it last.
	// +listType=atomic
	// +optional
	Overrides []config.Override `json:"overrides,omitempty"`

	// Resources changes how single resource types are presented, by Terraform's names. As long as there
	// is any object of a kind, its name stays what it was.
	// +optional
	Resources map[string]config.Resource `json:"resources,omitempty"`

	// Execution is how Terraform's work is done for the provider's resources. Plugin: by Landbridge, with the
	// provider's program. InProcess: by Landbridge, with the provider linked into the controller. CLI: by the
	// command line of OpenTofu or Terraform, which the controller must have (--cli). Unless set: InProcess
	// where the provider is linked, else Plugin. It may be changed at any time, and changes no remote object.
	// +kubebuilder:validation:Enum=Plugin;InProcess;CLI
	// +optional
	Execution Execution `json:"execution,omitempty"`

	// LogLevel turns the provider's own logs on. They go to the controller's log; from Info on, what
	// is said of an operation that runs is also in status.operation.progress of its resource.
	// They are off by default since they multiply the cost of every call.
	// +kubebuilder:validation:Enum=Off;Error;Warn;Info;Debug;Trace
	// +kubebuilder:default=Off
	// +optional
	LogLevel string `json:"logLevel,omitempty"`

	// Env is added to the environment of the provider's process, which is otherwise empty but
	// for the locations of the home and temporary folders and of proxies.
	// +listType=map
	// +listMapKey=name
	// +optional
	Env []EnvVar `json:"env,omitempty"`

	// Limits bound what the provider may use for one provider configuration. What is not set
	// here is as the controller's flags say.
	// +optional
	Limits *ProviderLimits `json:"limits,omitempty"`
}

// Config returns how the provider is presented.
func (s *TerraformProviderSpec) Config() config.Provider {
	return config.Provider{Group: s.Group, Overrides: s.Overrides, Resources: s.Resources}
}

// Execution is a way to have Terraform's work done.
type Execution string

// The ways of execution.
const (
	ExecutionPlugin    Execution = "Plugin"
	ExecutionInProcess Execution = "InProcess"
	ExecutionCLI       Execution = "CLI"
)

// ProviderLimits bound what a provider may use for one provider configuration.
type ProviderLimits struct {
	// CallsPerSecond bounds how often the provider is used: once for each look at a resource, and
	// once for each create, update and delete. Independently of it, a provider that reports
	// throttling is used less often for a while.
	// +kubebuilder:validation:Minimum=1
	// +optional
	CallsPerSecond int32 `json:"callsPerSecond,omitempty"`
	// Burst is how often it may be used at once; as often as in a second, unless set.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Burst int32 `json:"burst,omitempty"`
	// Memory is what the provider's process may hold. One that holds more gets no more work and is
	// ended when it has done what it has; one that goes on to hold half as much again is ended at
	// once. Providers written in Go are told of it as GOMEMLIMIT.
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}

// EnvVar is one environment variable.
type EnvVar struct {
	// +kubebuilder:validation:MinLength=1
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// TerraformProviderStatus is what was found.
type TerraformProviderStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// Installed is the program in use.
	// +optional
	Installed *InstalledProvider `json:"installed,omitempty"`
	// Execution is how Terraform's work is done for its resources.
	// +optional
	Execution Execution `json:"execution,omitempty"`
	// CommandLine is the program that does it, such as "OpenTofu 1.12.6"; empty unless it is done by one.
	// +optional
	CommandLine string `json:"commandLine,omitempty"`
	// Protocol is the plugin protocol version the provider speaks.
	// +optional
	Protocol int `json:"protocol,omitempty"`
	// Resources is how many resource types the provider has.
	// +optional
	Resources int `json:"resources,omitempty"`
	// Activated is how many of them are served.
	// +optional
	Activated int `json:"activated,omitempty"`
	// ObservedGeneration is the generation of the spec the status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// InstalledProvider is a provider as it runs. Should the spec ask for what cannot be had, it goes on like
// this, also when the controller starts anew.
type InstalledProvider struct {
	// Source it came from, as spec.source was.
	// +optional
	Source string `json:"source,omitempty"`
	// Version of the provider; empty when it was installed by path.
	// +optional
	Version string `json:"version,omitempty"`
	// SHA256 of the binary, in hex; empty when the provider is linked into the controller.
	// +optional
	SHA256 string `json:"sha256,omitempty"`
	// Configuration is what its kinds are made by: group, overrides and resources, as the spec had them.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Configuration *runtime.RawExtension `json:"configuration,omitempty"`
}

// TerraformProviderList is a list of TerraformProviders.
//
// +kubebuilder:object:root=true
type TerraformProviderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TerraformProvider `json:"items"`
}
