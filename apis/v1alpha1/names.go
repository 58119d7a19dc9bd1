package v1alpha1

// Names that Landbridge writes on objects, or reads from them.
const (
	// LabelProvider is on every CRD that belongs to a TerraformProvider, and names it.
	LabelProvider = "landbridge.io/provider"
	// AnnotationResourceType is on the CRD of a managed resource: Terraform's name of its type.
	AnnotationResourceType = "landbridge.io/resource-type"
	// AnnotationFormerVersions is on a CRD with several API versions: those besides the one that is
	// stored, with commas between.
	AnnotationFormerVersions = "landbridge.io/former-versions"
	// AnnotationIdentity is on a managed resource whose remote object has an identity: the
	// identity as JSON, so that it can be found again if all else is lost.
	AnnotationIdentity = "landbridge.io/identity"
	// AnnotationTaint, AnnotationUntaint and AnnotationRetry ask for something to be done once.
	// Their values are tokens: a value that differs from the one that was acted upon last, which
	// status.lastHandled shows, asks anew. Values that are there when a resource is made ask
	// nothing.
	//
	// AnnotationTaint has the remote object replaced, as spec.lifecycle.taintPolicy says.
	AnnotationTaint = "landbridge.io/taint"
	// AnnotationUntaint has a tainted object read, and kept.
	AnnotationUntaint = "landbridge.io/untaint"
	// AnnotationRetry has a failed operation tried again now.
	AnnotationRetry = "landbridge.io/retry"
	// AnnotationConfirmCreate, set to the id of an operation whose outcome is unknown, says
	// that a new create is safe.
	AnnotationConfirmCreate = "landbridge.io/confirm-create"
	// AnnotationAcceptChanges, on a TerraformProvider, set to the token that the condition Healthy names,
	// lets kinds change although objects hold what is lost by it.
	AnnotationAcceptChanges = "landbridge.io/accept-changes"
	// AnnotationReferableFrom lets resources of other namespaces refer to a managed resource: the
	// names of the namespaces, with commas between, or * for all.
	AnnotationReferableFrom = "landbridge.io/referable-from"

	// SecretTypeInstance is the type of the Secret that holds what is remembered of one
	// remote object.
	SecretTypeInstance = "landbridge.io/instance"

	// FinalizerProvider keeps a TerraformProvider until its controllers have stopped.
	FinalizerProvider = "finalizer.landbridge.io"
	// FinalizerModule keeps a TerraformModule until its controller has stopped.
	FinalizerModule = "finalizer.landbridge.io/module"
	// FinalizerCreated keeps a managed resource from its creation on: the API server puts it
	// there, where it can be told to, and the controller puts Crossplane's in its place.
	FinalizerCreated = "landbridge.io/created"
	// FinalizerInUse keeps a provider configuration while resources use it.
	FinalizerInUse = "in-use.crossplane.io"
)
