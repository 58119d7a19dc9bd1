package v1alpha1

// Labels, annotations, finalizers and types that Landbridge uses.
const (
	// LabelProvider is on each CRD of a TerraformProvider. Its value is the name of the
	// TerraformProvider.
	LabelProvider = "landbridge.io/provider"
	// AnnotationResourceType is on the CRD of a managed resource. Its value is Terraform's name of
	// the type.
	AnnotationResourceType = "landbridge.io/resource-type"
	// AnnotationReferences is on the CRD of a managed resource with references beside fields. Its
	// value has, as JSON, the kinds that may be referred to, as KIND of the same group or
	// KIND.GROUP with the default one first, by the path of each reference and selector in
	// spec.forProvider.
	AnnotationReferences = "landbridge.io/references"
	// AnnotationNames is on the CRD of a managed resource of a TerraformProvider. Its value are the
	// names of the kind as JSON, and which of them the spec had when the CRD was written. The kind
	// keeps the others.
	AnnotationNames = "landbridge.io/names"
	// AnnotationFormerVersions is on a CRD with several API versions. Its value are the versions
	// that are not stored, separated by commas.
	AnnotationFormerVersions = "landbridge.io/former-versions"
	// AnnotationIdentity is on a managed resource whose remote object has an identity. Its value is
	// the identity as JSON. With it the object is found again if everything else is lost.
	AnnotationIdentity = "landbridge.io/identity"
	// AnnotationTaint, AnnotationUntaint, AnnotationRetry, AnnotationReapply and
	// AnnotationInterrupt request an action once. Their values are tokens: a value that differs
	// from the last handled one, which status.lastHandled shows, is a new request. Values that a
	// resource has when it is created request nothing.
	//
	// AnnotationTaint requests that the remote object is replaced, according to
	// spec.lifecycle.taintPolicy.
	AnnotationTaint = "landbridge.io/taint"
	// AnnotationUntaint requests that a tainted object is read and kept.
	AnnotationUntaint = "landbridge.io/untaint"
	// AnnotationRetry requests that a failed operation is retried now.
	AnnotationRetry = "landbridge.io/retry"
	// AnnotationReapply requests an update of the remote object that sets its arguments again,
	// though they are as desired as far as the provider can see.
	AnnotationReapply = "landbridge.io/reapply"
	// AnnotationInterrupt requests that the running operation ends early: its provider is told to
	// stop, and its answer is awaited. Another value during the same operation cancels the call of
	// the provider, whose answer is lost. Nothing begins afterwards until the spec changes or a
	// retry is requested.
	AnnotationInterrupt = "landbridge.io/interrupt"
	// AnnotationApprove approves one plan of a managed resource, once. Its value is the hash of the
	// plan in status.plan.
	AnnotationApprove = "landbridge.io/approve"
	// AnnotationApprovedBy is the user who has set AnnotationApprove. The API server sets it.
	AnnotationApprovedBy = "landbridge.io/approved-by"
	// AnnotationChangedBy tells who has made a generation of a resource's spec: the generation, the
	// field manager, or - for none, and the user, separated by spaces. The API server sets it.
	AnnotationChangedBy = "landbridge.io/changed-by"
	// AnnotationApprovalPolicy on a ProviderConfig or ClusterProviderConfig is the least approval
	// policy of the resources that use it.
	AnnotationApprovalPolicy = "landbridge.io/approval-policy"
	// AnnotationReconcile on a managed resource, a provider configuration, a TerraformProvider, a
	// TerraformModule or a ResourceQuery requests that it is reconciled now. Its value is any token
	// that differs from the last one, such as the time.
	AnnotationReconcile = "landbridge.io/reconcile-requested-at"
	// AnnotationConfirmCreate confirms that a new create is safe. Its value is the id of a create
	// with an unknown outcome.
	AnnotationConfirmCreate = "landbridge.io/confirm-create"
	// AnnotationDeleteWithoutRefresh on a managed resource lets its deletion destroy the remote
	// object without reading it first, if its value is true. It is for objects that cannot be read
	// any more.
	AnnotationDeleteWithoutRefresh = "landbridge.io/delete-without-refresh"
	// AnnotationAcceptChanges on a TerraformProvider accepts that changed kinds lose values of
	// existing objects. Its value is the token in the condition Healthy.
	AnnotationAcceptChanges = "landbridge.io/accept-changes"
	// AnnotationUpgradesConfirmed on a TerraformProvider is the time (RFC 3339) until which
	// upgrades of stored objects are confirmed: what was stored before them is not kept any more.
	AnnotationUpgradesConfirmed = "landbridge.io/upgrades-confirmed"
	// AnnotationReferableFrom allows resources of other namespaces to refer to a managed resource.
	// Its value are the names of the namespaces, separated by commas, or * for all.
	AnnotationReferableFrom = "landbridge.io/referable-from"
	// AnnotationDestroyBefore orders deletion. Its value are resources of the same namespace,
	// separated by commas, as KIND/NAME or GROUP/VERSION/KIND/NAME: they are destroyed after this
	// one, as with a reference to them.
	AnnotationDestroyBefore = "landbridge.io/destroy-before"
	// AnnotationMoveFrom names the resource of the same namespace whose object this one takes over,
	// as KIND/NAME, or GROUP/VERSION/KIND/NAME for a kind of another group. Of a resource that has
	// an object already, it has no effect.
	AnnotationMoveFrom = "landbridge.io/move-from"

	// AnnotationConfirmAccount confirms the account of a resource whose object is in another one.
	// On a provider configuration whose arguments have changed, it confirms that they are for the
	// same account. A message tells its value.
	AnnotationConfirmAccount = "landbridge.io/confirm-account"
	// AnnotationAccount on a ClusterProviderConfig declares which account it is for. Its value is
	// any name. A remote object has one owner among all resources whose configurations have the
	// same value.
	AnnotationAccount = "landbridge.io/account"
	// AnnotationDestroysPerMinute on a Namespace is how many objects of its resources may be
	// destroyed within a minute; 0 for no limit. They do not count for the limit of the account
	// then.
	AnnotationDestroysPerMinute = "landbridge.io/destroys-per-minute"
	// AnnotationShardBy on a provider configuration has its resources divided among shards kind by
	// kind, if its value is ShardByKind, and all configurations of the account have it. Without
	// shards it has no effect.
	AnnotationShardBy = "landbridge.io/shard-by"
	// ShardByKind is a value of AnnotationShardBy.
	ShardByKind = "Kind"

	// AnnotationOpenedAt, on the Secret with the result of an ephemeral resource, is when that was
	// opened, and AnnotationRenewAt when it ends unless it is renewed before (RFC 3339).
	AnnotationOpenedAt = "landbridge.io/opened-at"
	AnnotationRenewAt  = "landbridge.io/renew-at"

	// AnnotationInvoked, on an action, is the UID of the object for which it was invoked. An object
	// that was restored from a backup or copied has another UID, and is not invoked again.
	AnnotationInvoked = "landbridge.io/invoked"

	// AnnotationTriggeredBy, on an action, is the resource of the same namespace whose spec.actions
	// has it invoked, such as Record.cloud.landbridge.io/www.
	AnnotationTriggeredBy = "landbridge.io/triggered-by"

	// LabelQuery is on a ConfigMap with a page of a ResourceQuery. Its value is the UID of the
	// query.
	LabelQuery = "landbridge.io/resource-query"

	// SecretTypeLease is the type of the Secret with what is needed to renew and close an ephemeral
	// resource.
	SecretTypeLease = "landbridge.io/lease"
	// SecretTypeInstance is the type of the Secret with the stored state of one remote object.
	SecretTypeInstance = "landbridge.io/instance"
	// SecretTypeInstancePart is the type of a Secret with a part of a state that is too large for
	// one Secret.
	SecretTypeInstancePart = "landbridge.io/instance-part"

	// FinalizerProvider is on a TerraformProvider until its controllers have stopped.
	FinalizerProvider = "finalizer.landbridge.io"
	// FinalizerModule is on a TerraformModule until its controller has stopped.
	FinalizerModule = "finalizer.landbridge.io/module"
	// FinalizerCreated is on a managed resource from its creation on. The API server adds it where
	// it supports mutating admission policies, and the controller replaces it with Crossplane's
	// finalizer.
	FinalizerCreated = "landbridge.io/created"
	// FinalizerInUse is on a provider configuration while resources use it.
	FinalizerInUse = "in-use.crossplane.io"
)
