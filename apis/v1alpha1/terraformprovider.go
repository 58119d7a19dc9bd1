package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/config"
)

// TerraformProvider serves the resource types of one Terraform provider as kinds.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories={landbridge},shortName=tfp
// +kubebuilder:printcolumn:name="INSTALLED",type="string",JSONPath=".status.conditions[?(@.type=='Installed')].status"
// +kubebuilder:printcolumn:name="HEALTHY",type="string",JSONPath=".status.conditions[?(@.type=='Healthy')].status"
// +kubebuilder:printcolumn:name="SOURCE",type="string",JSONPath=".spec.source"
// +kubebuilder:printcolumn:name="VERSION",type="string",JSONPath=".status.installed.version"
// +kubebuilder:printcolumn:name="ACTIVATED",type="integer",JSONPath=".status.activated"
// +kubebuilder:printcolumn:name="PROGRESS",type="string",JSONPath=".status.conditions[?(@.reason=='Installing')].message"
// +kubebuilder:printcolumn:name="RESOURCES",type="integer",JSONPath=".status.resources",priority=1
// +kubebuilder:printcolumn:name="DATA-SOURCES",type="integer",JSONPath=".status.activatedDataSources",priority=1
// +kubebuilder:printcolumn:name="NEWEST",type="string",JSONPath=".status.available[0]",priority=1
// +kubebuilder:printcolumn:name="BEHIND",type="integer",JSONPath=".status.versionsBehind",priority=1
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type TerraformProvider struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TerraformProviderSpec `json:"spec"`
	// +kubebuilder:default={"observedGeneration":-1}
	Status TerraformProviderStatus `json:"status,omitempty"`
}

// TerraformProviderSpec is the desired state of a TerraformProvider.
type TerraformProviderSpec struct {
	// Source is the provider's address, such as hashicorp/random, or the absolute path of a
	// provider binary. The controller's flags say where addresses are searched: in mirrors, and in
	// registries.
	// +kubebuilder:validation:MinLength=1
	Source string `json:"source"`

	// Version is a version constraint in Terraform's syntax, such as "~> 3.7". The newest matching
	// version is installed. One from a registry then stays until it does not match any more, or
	// updatePolicy permits a newer one. Defaults to the newest version.
	// +optional
	Version string `json:"version,omitempty"`

	// Checksums are those of the only packages that are installed, at least one of which must
	// match: h1: or zh:, as in Terraform's lock files and status.installed.checksums, or sha256:
	// and the checksum of the program in hex. A provider that is given by its path has only the
	// last. Defaults to any package.
	// +kubebuilder:validation:items:Pattern=`^(h1:[A-Za-z0-9+/]{43}=|(zh|sha256):[0-9a-f]{64})$`
	// +listType=set
	// +optional
	Checksums []string `json:"checksums,omitempty"`

	// Trust demands who has signed the provider. Defaults to whoever has signed the version that
	// was installed first, if there is one.
	// +optional
	Trust *ProviderTrust `json:"trust,omitempty"`

	// UpdatePolicy is which newer versions of a provider from a registry are installed, among those
	// that version permits. Manual: none. Patch: those with the same major and minor version.
	// Minor: those with the same major version. A version whose kinds would lose values of existing
	// objects is held back. Providers in the directory of --provider-mirror are always the newest
	// that are there. Defaults to Manual.
	// +kubebuilder:validation:Enum=Manual;Patch;Minor
	// +optional
	UpdatePolicy UpdatePolicy `json:"updatePolicy,omitempty"`

	// Upgrade is what happens before another version of the provider takes over.
	// +optional
	Upgrade *ProviderUpgradePolicy `json:"upgrade,omitempty"`

	// Activate are the resource types to serve, by Terraform's names; "*" matches any characters.
	// Only these have a CRD and a controller. If a type is removed from the list, its controller
	// stops, and its CRD is deleted once no resource of the kind is left.
	// +kubebuilder:default={"*"}
	// +listType=set
	// +optional
	Activate []string `json:"activate,omitempty"`

	// ActivateDataSources are the data sources to serve, by Terraform's names, as in activate. They
	// are kinds of the group data.GROUP, such as data.hcloud.landbridge.io. Defaults to none.
	// +listType=set
	// +optional
	ActivateDataSources []string `json:"activateDataSources,omitempty"`

	// ActivateEphemeralResources are the ephemeral resources to serve, by Terraform's names, as in
	// activate. They are kinds of the group ephemeral.GROUP, such as ephemeral.vault.landbridge.io.
	// Defaults to none.
	// +listType=set
	// +optional
	ActivateEphemeralResources []string `json:"activateEphemeralResources,omitempty"`

	// ActivateActions are the actions to serve, by Terraform's names, as in activate. They are
	// kinds of the group action.GROUP, such as action.aws.landbridge.io: each object invokes the
	// action once. Defaults to none.
	// +listType=set
	// +optional
	ActivateActions []string `json:"activateActions,omitempty"`

	// Group is the API group of the kinds. It cannot change while objects of the provider's kinds
	// exist. Defaults to the provider's name followed by .landbridge.io.
	// +optional
	Group string `json:"group,omitempty"`

	// ProviderConfig configures how the kinds ProviderConfig and ClusterProviderConfig are
	// presented.
	// +optional
	ProviderConfig config.ProviderConfig `json:"providerConfig,omitzero"`

	// Names are the names of kinds, by Terraform's names of the resource types, as status.names of
	// another cluster has them: with them, the provider's kinds have the same names here. Names of
	// data sources begin with data., as in data.hcloud_image, those of ephemeral resources with
	// ephemeral., and those of actions with action.; the field resources overrides the kind and the
	// plural of a type. Types that the provider does not have are ignored. A kind that has objects
	// is not renamed.
	// +optional
	Names map[string]config.Names `json:"names,omitempty"`

	// Overrides configure how all resource types that match are presented. They are applied in
	// order, before the entry of a type in resources.
	// +listType=atomic
	// +optional
	Overrides []config.Override `json:"overrides,omitempty"`

	// Resources configures how single resource types are presented, by Terraform's names. The name
	// of a kind cannot change while objects of it exist.
	// +optional
	Resources map[string]config.Resource `json:"resources,omitempty"`

	// Execution is how the provider's resources are planned and applied. Plugin: by Landbridge,
	// with the provider's binary. InProcess: by Landbridge, with the provider linked into the
	// controller. CLI: by the OpenTofu or Terraform program that is installed with the controller
	// (--cli). It may be changed at any time, and a change affects no remote object. Defaults to
	// InProcess if the provider is linked, else to Plugin.
	// +kubebuilder:validation:Enum=Plugin;InProcess;CLI
	// +optional
	Execution Execution `json:"execution,omitempty"`

	// LogLevel is the level of the provider's logs, which go to the controller's log. From Info on,
	// the last message about a running operation is also in status.operation.progress of its
	// resource. Logs are off by default because they multiply the cost of each call.
	// +kubebuilder:validation:Enum=Off;Error;Warn;Info;Debug;Trace
	// +kubebuilder:default=Off
	// +optional
	LogLevel string `json:"logLevel,omitempty"`

	// TerraformVersion is the version of Terraform that the provider is told, which few providers
	// look at. With the execution CLI, it is that of the program. Defaults to the newest version
	// whose protocol is spoken.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$`
	// +optional
	TerraformVersion string `json:"terraformVersion,omitempty"`

	// Env is added to the environment of the provider's process, which otherwise has only the home
	// and temporary directories and proxies.
	// +listType=map
	// +listMapKey=name
	// +optional
	Env []EnvVar `json:"env,omitempty"`

	// Sandbox is what the provider's process may do besides what all providers may: read what
	// programs in general need, and use a private folder. See the controller's flag --sandbox.
	// +optional
	Sandbox *ProviderSandbox `json:"sandbox,omitempty"`

	// Limits of the provider, for each provider configuration. Default to the limits in the
	// controller's flags.
	// +optional
	Limits *ProviderLimits `json:"limits,omitempty"`

	// ApprovalPolicy is which plans wait for approval, for all resources of the provider.
	// Destructive: those that destroy or replace an object. Always: all. A resource may require
	// more with spec.lifecycle.approvalPolicy. Defaults to Never.
	// +kubebuilder:validation:Enum=Never;Destructive;Always
	// +optional
	ApprovalPolicy string `json:"approvalPolicy,omitempty"`

	// ReplaceDependents is the default of spec.lifecycle.replaceDependents: what happens to
	// resources that refer to one whose object is replaced, and would be replaced, too. Ask: both
	// are once the plan is approved. Automatic: both are. Defaults to Ask.
	// +kubebuilder:validation:Enum=Ask;Automatic
	// +optional
	ReplaceDependents string `json:"replaceDependents,omitempty"`

	// DestroyBrake is how much may be destroyed within a minute. The rest waits until landbridge
	// release-brake.
	// +optional
	DestroyBrake *DestroyBrake `json:"destroyBrake,omitempty"`

	// Admission is whether the API server shows plans of the provider's resources as warnings.
	// DryRun: with kubectl apply --dry-run=server. Warn: with each change of a spec. The controller
	// needs --webhook-port. Defaults to Off.
	// +kubebuilder:validation:Enum=Off;DryRun;Warn
	// +optional
	Admission Admission `json:"admission,omitempty"`

	// PollInterval is the interval at which unchanged resources are compared with their remote
	// objects, such as 10m; at least 1s. The annotation crossplane.io/poll-interval of a resource
	// overrides it, and so does resources.TYPE.pollInterval. Defaults to the controller's flag
	// --poll.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	PollInterval *metav1.Duration `json:"pollInterval,omitempty"`
}

// DestroyBrake is how much may be destroyed within a minute.
type DestroyBrake struct {
	// DestroysPerMinute is how many objects of an account may be destroyed or replaced within a
	// minute; 0 for no limit. The annotation landbridge.io/destroys-per-minute of a namespace
	// overrides it. Defaults to the controller's flag --destroys-per-minute.
	// +kubebuilder:validation:Minimum=0
	// +optional
	DestroysPerMinute *int32 `json:"destroysPerMinute,omitempty"`

	// Share is the percentage of the resources of a kind whose objects may be destroyed or replaced
	// within a minute, if there are more than ten of them; 0 for no limit. Defaults to 50.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	Share *int32 `json:"share,omitempty"`
}

// ProviderUpgradePolicy is what happens before another version of a provider takes over.
type ProviderUpgradePolicy struct {
	// Preview is whether the new version is tried on every live resource before it takes over, as
	// landbridge upgrade preview does. Required: it takes over only if what it would do is
	// accepted. Until then the installed version goes on, with its kinds. Advisory: it takes over
	// in any case, and the counts are told. Defaults to Off.
	// +kubebuilder:validation:Enum=Off;Advisory;Required
	// +optional
	Preview UpgradePreview `json:"preview,omitempty"`

	// Accept are outcomes of the preview with which the new version takes over. Update: objects
	// would be updated. Replace: they would be replaced. Refused: the new version refuses the
	// configuration of resources. NotUpgraded: it cannot upgrade their states or identities.
	// NotPreviewed: nothing is known about them. Other outcomes need no acceptance; values that the
	// new kinds have no field for hold a version anyway. Defaults to none.
	// +kubebuilder:validation:items:Enum=Update;Replace;Refused;NotUpgraded;NotPreviewed
	// +listType=set
	// +optional
	Accept []string `json:"accept,omitempty"`

	// ConfirmAfter is for how long an object is kept as it was stored before a new version has
	// upgraded it, so that the version can be set back: the former version cannot read the upgraded
	// object. It is kept no longer than until a change of the object begins. landbridge upgrade
	// confirm ends it early. With 0s, nothing is kept. Defaults to 168h.
	// +optional
	ConfirmAfter *metav1.Duration `json:"confirmAfter,omitempty"`
}

// UpgradePreview is whether a new version is previewed.
type UpgradePreview string

// The values of UpgradePreview.
const (
	UpgradePreviewOff      UpgradePreview = "Off"
	UpgradePreviewAdvisory UpgradePreview = "Advisory"
	UpgradePreviewRequired UpgradePreview = "Required"
)

// ProviderTrust is who must have signed a provider: the holder of one of the keys, or one of the
// signers with cosign.
// +kubebuilder:validation:XValidation:rule="has(self.keys) || has(self.cosign)",message="keys or cosign must be given"
type ProviderTrust struct {
	// Keys are the fingerprints of OpenPGP keys in hex, or their last 16 digits or more. One of
	// them must have signed the checksums that the registry has for the version. Mirrors do not
	// have such signatures.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:items:Pattern=`^[0-9A-Fa-f]{16,64}$`
	// +listType=set
	// +optional
	Keys []string `json:"keys,omitempty"`
	// Cosign are those who may have signed a version in an OCI mirror with cosign.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +listType=atomic
	// +optional
	Cosign []CosignSigner `json:"cosign,omitempty"`
}

// CosignSigner is who signs with cosign: the holder of a key, or whom an OpenID Connect issuer has
// identified.
// +kubebuilder:validation:XValidation:rule="has(self.publicKey) ? !has(self.issuer) && !has(self.subject) : has(self.issuer) && has(self.subject)",message="either publicKey, or issuer and subject must be given"
type CosignSigner struct {
	// PublicKey in PEM, as in cosign.pub.
	// +kubebuilder:validation:MaxLength=4096
	// +optional
	PublicKey string `json:"publicKey,omitempty"`
	// Issuer of the identity token that a certificate was made for, such as
	// https://token.actions.githubusercontent.com. The authorities of certificates are those of
	// --sigstore-trusted-root.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Issuer string `json:"issuer,omitempty"`
	// Subject of the certificate, such as the address of a workflow, or of mail.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Subject string `json:"subject,omitempty"`
}

// UpdatePolicy is which newer versions are installed.
type UpdatePolicy string

// The policies.
const (
	UpdateManual UpdatePolicy = "Manual"
	UpdatePatch  UpdatePolicy = "Patch"
	UpdateMinor  UpdatePolicy = "Minor"
)

// Config returns how the provider is presented.
func (s *TerraformProviderSpec) Config() config.Provider {
	return config.Provider{Group: s.Group, ProviderConfig: s.ProviderConfig, Names: s.Names, Overrides: s.Overrides, Resources: s.Resources}
}

// Execution is how resources are planned and applied.
type Execution string

// The ways of execution.
const (
	ExecutionPlugin    Execution = "Plugin"
	ExecutionInProcess Execution = "InProcess"
	ExecutionCLI       Execution = "CLI"
)

// ProviderLimits are the limits of a provider for one provider configuration.
type ProviderLimits struct {
	// CallsPerSecond limits the rate of provider use. Each reconcile of a resource, and each
	// create, update and delete, counts once. A provider that reports throttling is used less often
	// for a while, also without this limit.
	// +kubebuilder:validation:Minimum=1
	// +optional
	CallsPerSecond int32 `json:"callsPerSecond,omitempty"`
	// Burst is how many uses may happen at once. Defaults to callsPerSecond.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Burst int32 `json:"burst,omitempty"`
	// Memory limits the memory of the provider's process. A process above the limit receives no new
	// calls and stops when its running calls have ended. A process above 1.5 times the limit is
	// stopped at once. Providers written in Go receive the limit as GOMEMLIMIT.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Pattern=`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}

// ProviderSandbox opens the sandbox of a provider's process.
type ProviderSandbox struct {
	// ReadPaths are files and folders of the controller's machine that the provider can read, by
	// their absolute paths. They must exist. Name the folder of a file that is replaced, such as a
	// mounted Secret's.
	// +kubebuilder:validation:items:Pattern=`^/`
	// +listType=set
	// +optional
	ReadPaths []string `json:"readPaths,omitempty"`
	// WritePaths are files and folders that the provider can also write. A folder is made for one
	// that does not exist.
	// +kubebuilder:validation:items:Pattern=`^/`
	// +listType=set
	// +optional
	WritePaths []string `json:"writePaths,omitempty"`
	// Connect are the only TCP ports that the provider can connect to. Needs Linux 6.7. Defaults to
	// all.
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=65535
	// +listType=set
	// +optional
	Connect []int32 `json:"connect,omitempty"`
	// Processes is the number of processes and threads from which on the provider can start no
	// more. All of the controller's user count, of the whole machine; root has no limit. Defaults
	// to 4096.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Processes int32 `json:"processes,omitempty"`
}

// SandboxState is whether a provider's process runs in a sandbox.
type SandboxState string

// The states of a sandbox.
const (
	// SandboxEnforced means that the process is restricted.
	SandboxEnforced SandboxState = "Enforced"
	// SandboxUnavailable means that it is not, because the kernel does not support it.
	SandboxUnavailable SandboxState = "Unavailable"
	// SandboxOff means that it is not, because of the controller's flag --sandbox.
	SandboxOff SandboxState = "Off"
)

// EnvVar is an environment variable.
type EnvVar struct {
	// +kubebuilder:validation:MinLength=1
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// TerraformProviderStatus is the observed state of a TerraformProvider.
type TerraformProviderStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// The whole messages of conditions that show only a part of them, by the type of the condition.
	// +optional
	Messages map[string]string `json:"messages,omitempty"`

	// Installed is the provider in use.
	// +optional
	Installed *InstalledProvider `json:"installed,omitempty"`
	// Execution is how the provider's resources are planned and applied.
	// +optional
	Execution Execution `json:"execution,omitempty"`
	// CommandLine is the program in use, such as "OpenTofu 1.12.6". Empty unless execution is CLI.
	// +optional
	CommandLine string `json:"commandLine,omitempty"`
	// Sandbox is whether the provider's process runs in a sandbox: Enforced, Unavailable or Off.
	// Empty if the provider is linked into the controller.
	// +optional
	Sandbox SandboxState `json:"sandbox,omitempty"`
	// Protocol is the plugin protocol version of the provider.
	// +optional
	Protocol int `json:"protocol,omitempty"`
	// Resources is the number of the provider's resource types.
	// +optional
	Resources int `json:"resources,omitempty"`
	// Activated is the number of resource types that are served.
	// +optional
	Activated int `json:"activated,omitempty"`
	// DataSources is the number of the provider's data sources.
	// +optional
	DataSources int `json:"dataSources,omitempty"`
	// ActivatedDataSources is the number of data sources that are served.
	// +optional
	ActivatedDataSources int `json:"activatedDataSources,omitempty"`
	// EphemeralResources is the number of the provider's ephemeral resources.
	// +optional
	EphemeralResources int `json:"ephemeralResources,omitempty"`
	// ActivatedEphemeralResources is the number of ephemeral resources that are served.
	// +optional
	ActivatedEphemeralResources int `json:"activatedEphemeralResources,omitempty"`
	// Actions is the number of the provider's actions.
	// +optional
	Actions int `json:"actions,omitempty"`
	// ActivatedActions is the number of actions that are served.
	// +optional
	ActivatedActions int `json:"activatedActions,omitempty"`
	// Names are the names of the kinds that a new installation would name otherwise, by Terraform's
	// names of the resource types: those that gave way to others, and those that were named by an
	// earlier rule. In another cluster, spec.names takes them over.
	// +optional
	Names map[string]config.Names `json:"names,omitempty"`
	// Available are versions that are newer than the installed one, where the provider comes from,
	// the newest first; ten at most.
	// +listType=atomic
	// +optional
	Available []string `json:"available,omitempty"`
	// VersionsBehind is the number of versions that are newer than the installed one. Not set if it
	// is not known, as for a provider that is given by its path.
	// +optional
	VersionsBehind *int32 `json:"versionsBehind,omitempty"`
	// Upgrade is the last preview of another version, and what came of it.
	// +optional
	Upgrade *ProviderUpgrade `json:"upgrade,omitempty"`
	// Sources are where the controller searches the provider, in this order, without credentials.
	// Commands such as landbridge diff search there, too. Empty if spec.source is a path, or if the
	// provider is linked into the controller.
	// +listType=atomic
	// +optional
	Sources []ProviderSource `json:"sources,omitempty"`
	// Locked is what was recorded of the versions from registries and mirrors that were installed,
	// the last one first; ten at most. A package that differs is refused.
	// +listType=atomic
	// +optional
	Locked []LockedVersion `json:"locked,omitempty"`
	// ObservedGeneration is the generation of the spec that the status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// LastHandledReconcileAt is the last value of the annotation
	// landbridge.io/reconcile-requested-at that was handled.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
}

// InstalledProvider is the provider in use. It stays in use while the provider of the spec cannot
// be installed, also after a restart of the controller.
type InstalledProvider struct {
	// Source is the value of spec.source that it was installed from.
	// +optional
	Source string `json:"source,omitempty"`
	// Version of the provider. Empty if it was installed by path.
	// +optional
	Version string `json:"version,omitempty"`
	// SHA256 of the binary, in hex. Empty if the provider is linked into the controller.
	// +optional
	SHA256 string `json:"sha256,omitempty"`
	// Checksums of the package, as in Terraform's lock files: h1:, and zh: if it is packed. Empty
	// if the provider was installed by path.
	// +listType=atomic
	// +optional
	Checksums []string `json:"checksums,omitempty"`
	// Configuration of the kinds in use: group, overrides and resources of the spec.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Configuration *runtime.RawExtension `json:"configuration,omitempty"`
}

// ProviderUpgrade is the preview of another version of a provider. It has counts alone: landbridge
// upgrade preview shows the resources to those who may read them.
type ProviderUpgrade struct {
	// State of the upgrade. Previewing: resources are being previewed. Held: the installed version
	// goes on. Proceeding: the new version takes over. Upgraded: it has taken over.
	State UpgradeState `json:"state"`
	// From is the installed version, and To the new one. They are paths for providers without
	// versions.
	From string `json:"from"`
	To   string `json:"to"`
	// Key identifies the new program with its configuration, and the installed one.
	Key string `json:"key"`
	// Types is the number of resource types to preview, and PreviewedTypes how many are done.
	// +optional
	Types int32 `json:"types,omitempty"`
	// +optional
	PreviewedTypes int32 `json:"previewedTypes,omitempty"`
	// LastType is the last resource type that is done. A preview that was interrupted goes on after
	// it.
	// +optional
	LastType string `json:"lastType,omitempty"`
	// Resources is the number of resources that were previewed.
	// +optional
	Resources int32 `json:"resources,omitempty"`
	// Outcomes is how many resources and provider configurations have each outcome, as in the
	// report of landbridge upgrade preview. One may have several.
	// +optional
	Outcomes map[string]int32 `json:"outcomes,omitempty"`
	// Started is when the preview was begun, and Completed when all resources were previewed.
	// +optional
	Started *metav1.Time `json:"started,omitempty"`
	// +optional
	Completed *metav1.Time `json:"completed,omitempty"`
}

// UpgradeState is the state of an upgrade.
type UpgradeState string

// The states of an upgrade.
const (
	UpgradePreviewing UpgradeState = "Previewing"
	UpgradeHeld       UpgradeState = "Held"
	UpgradeProceeding UpgradeState = "Proceeding"
	UpgradeUpgraded   UpgradeState = "Upgraded"
)

// ProviderSource is a registry or a mirror.
type ProviderSource struct {
	// Type of the source.
	// +kubebuilder:validation:Enum=FilesystemMirror;NetworkMirror;OCIMirror;Registry
	Type string `json:"type"`
	// Path of a filesystem mirror on the controller's machine.
	// +optional
	Path string `json:"path,omitempty"`
	// URL of a network mirror, or the address of a registry's service if --provider-installation
	// configures it.
	// +optional
	URL string `json:"url,omitempty"`
	// Repository of an OCI mirror, as HOST/NAME.
	// +optional
	Repository string `json:"repository,omitempty"`
	// Hosts are the host of a registry, or those under which a mirror has the provider, in this
	// order.
	// +listType=atomic
	// +optional
	Hosts []string `json:"hosts,omitempty"`
}

// LockedVersion is what was recorded of a version when it was installed first.
type LockedVersion struct {
	// Source is the value of spec.source that it was installed from.
	Source string `json:"source"`
	// Version of the provider.
	Version string `json:"version"`
	// Checksums of its packages for all platforms, as far as the registry or mirror tells: h1: and
	// zh:.
	// +listType=atomic
	Checksums []string `json:"checksums"`
	// Key is the fingerprint of the key that has signed the checksums. Empty if they are not
	// signed.
	// +optional
	Key string `json:"key,omitempty"`
	// Signer is the owner of the key, as the registry calls it.
	// +optional
	Signer string `json:"signer,omitempty"`
	// Origin is the registry or mirror.
	// +optional
	Origin string `json:"origin,omitempty"`
}

// TerraformProviderList is a list of TerraformProviders.
//
// +kubebuilder:object:root=true
type TerraformProviderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TerraformProvider `json:"items"`
}

// Admission is whether plans are shown at admission.
type Admission string

// The values of Admission.
const (
	AdmissionOff    Admission = "Off"
	AdmissionDryRun Admission = "DryRun"
	AdmissionWarn   Admission = "Warn"
)

// Enabled reports whether any plans are shown.
func (a Admission) Enabled() bool { return a == AdmissionDryRun || a == AdmissionWarn }
