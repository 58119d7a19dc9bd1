package managed

// ServiceAccountToken is a short-lived token of a ServiceAccount in the namespace of a ProviderConfig.
type ServiceAccountToken struct {
	ServiceAccountTokenOptions `json:",inline"`

	// The ServiceAccount, in the namespace of this configuration.
	ServiceAccountReference LocalServiceAccountReference `json:"serviceAccountRef"`
}

// ClusterServiceAccountToken is a short-lived token of a ServiceAccount in any namespace.
type ClusterServiceAccountToken struct {
	ServiceAccountTokenOptions `json:",inline"`

	// The ServiceAccount.
	ServiceAccountReference ServiceAccountReference `json:"serviceAccountRef"`
}

// LocalServiceAccountReference refers to a ServiceAccount in the same namespace.
type LocalServiceAccountReference struct {
	// Name of the ServiceAccount.
	Name string `json:"name"`
}

// ServiceAccountReference refers to a ServiceAccount.
type ServiceAccountReference struct {
	// Name of the ServiceAccount.
	Name string `json:"name"`
	// Namespace of the ServiceAccount.
	Namespace string `json:"namespace"`
}

// ServiceAccountTokenOptions are for whom a token is, and how a provider's process gets it.
type ServiceAccountTokenOptions struct {
	// Name of the token. In arguments, $(tokenFile.NAME) stands for the path of the file with the token.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
	// Whom the token is for, such as sts.amazonaws.com.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Audiences []string `json:"audiences"`
	// How long the token is valid, in seconds. It is renewed after four fifths of that time. Default: 3600.
	// +optional
	// +kubebuilder:validation:Minimum=600
	// +kubebuilder:validation:Maximum=86400
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
	// Environment variable of the provider's process with the path of the file.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	FileEnv string `json:"fileEnv,omitempty"`
	// Environment variable of the provider's process with the token itself, for providers that read no file. There is no file then, and the process is replaced before the token expires.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	Env string `json:"env,omitempty"`
}
