package v1alpha1

// Names that Landbridge writes on objects, or reads from them.
const (
	// LabelProvider is on every CRD that belongs to a TerraformProvider, and names it.
	LabelProvider = "landbridge.io/provider"
	// AnnotationResourceType is on the CRD of a managed resource: Terraform's name of its type.
	AnnotationResourceType = "landbridge.io/resource-type"
	// AnnotationIdentity is on a managed resource whose remote object has an identity: the
	// identity as JSON, so that it can be found again if all else is lost.
	AnnotationIdentity = "landbridge.io/identity"
	// AnnotationUntaint, set to any value, makes a tainted resource an ordinary one again.
	AnnotationUntaint = "landbridge.io/untaint"
	// AnnotationConfirmCreate, set to the id of an operation whose outcome is unknown, says
	// that a new create is safe.
	AnnotationConfirmCreate = "landbridge.io/confirm-create"

	// SecretTypeInstance is the type of the Secret that holds what is remembered of one
	// remote object.
	SecretTypeInstance = "landbridge.io/instance"

	// FinalizerProvider keeps a TerraformProvider until its controllers have stopped.
	FinalizerProvider = "finalizer.landbridge.io"
	// FinalizerInUse keeps a provider configuration while resources use it.
	FinalizerInUse = "in-use.crossplane.io"
)
