package behaviour

import "github.com/landbridge-io/landbridge/examples/examplecloud/provider"

var (
	sdk        = []provider.Form{provider.SDKv2}
	frameworks = []provider.Form{provider.Framework5, provider.Framework6}
)

// programs: what commands do does not depend on how the controller runs a provider.
var programs = Exception{Ways: []Way{InProcess}, Reason: "The command always runs the provider's program, whatever the controller does."}

// Where behaviours are required: the sections of Terraform's documents "Resource identity" of the
// plugin framework and of SDKv2, which say the same in other words where both are named, and
// "Identity upgrade"; else Landbridge's own rules.
const (
	introduction = "Resource identity"
	schemas      = "Resource identity: Schema"
	defining     = "Resource identity: Defining identity"
	handling     = "Resource identity: Handling identity data"
	writing      = "Resource identity: Writing identity"
	reading      = "Resource identity: Reading identity"
	importing    = "Resource identity: Importing by identity"
	mutable      = "Resource identity: Mutable identities"
	upgrade      = "Identity upgrade"
	upgraders    = "Identity upgrade: Adding identity upgrade support"
	implementing = "Identity upgrade: Implementing IdentityUpgrader"
	caveats      = "Identity upgrade: Caveats"
	states       = overview
	own          = "Landbridge"
)

// identity are the behaviours of resource identity.
var identity = []Section{
	{"Identity schemas", []Behaviour{
		{Name: "typed", Source: schemas,
			Says: "`spec.import.identity` and `status.identity` have the fields and types of the identity schema."},
		{Name: "every-type", Source: schemas,
			Says: "Strings, numbers, booleans and lists of each of them are stored and shown, and an object can be imported by them."},
		{Name: "required-for-import", Source: schemas,
			Says: "An attribute that is required for import cannot be left out of `spec.import.identity`, nor be null."},
		{Name: "optional-for-import", Source: schemas,
			Says: "An attribute that is optional for import can be left out or be null."},
		{Name: "set-by-provider", Source: schemas,
			Says: "Only the provider sets the identity: a `status.identity` that another client writes is ignored."},
		{Name: "no-identity", Source: defining,
			Says: "A type without an identity schema has no `spec.import.identity` and no `status.identity`; it is imported by id."},
		{Name: "invalid-schema", Source: schemas,
			Says: "A release whose identity schema is invalid (an attribute neither required nor optional for " +
				"import) is not installed, and the message names the attribute."},
		{Name: "invalid-type", Source: schemas,
			Says: "The same with an attribute that is neither a primitive nor a list.",
			Not:  []Exception{{Forms: frameworks, Reason: "The framework has no identity attributes of other types."}}},
	}},
	{"Identity of what was created", []Behaviour{
		{Name: "create-stores", Source: writing,
			Says: "The identity that Create answers is stored, and shown in `status.identity`, in an annotation and by `kubectl get -o wide`."},
		{Name: "create-plans", Source: states,
			Says: "An identity that is planned is in the journal before the object exists."},
		{Name: "read-stores", Source: reading,
			Says: "An object that is older than the type's identity schema gets its identity from Read."},
		{Name: "given-to-provider", Source: handling,
			Says: "Read, Update and Delete are given the stored identity."},
		{Name: "update-keeps", Source: handling,
			Says: "An update that sets no identity keeps the stored one."},
		{Name: "replace-renews", Source: introduction,
			Says: "The new object of a replacement has its own identity, and the old one is forgotten."},
		{Name: "gone-renews", Source: introduction,
			Says: "When an object no longer exists, its identity is forgotten; the object that replaces it has its own."},
		{Name: "external-name", Source: own,
			Says: "`crossplane.io/external-name` is the value of the only attribute that is required for import."},
		{Name: "external-name-several", Source: own,
			Says: "With several required attributes, `crossplane.io/external-name` is the identity in its canonical form."},
		{Name: "state-lost", Source: own,
			Says: "If the stored state is lost, the object is found by its identity and not created twice."},
	}},
	{"Import", []Behaviour{
		{Name: "import-id", Source: importing,
			Says: "By id: the object is adopted, and Read returns its identity."},
		{Name: "import-identity", Source: importing,
			Says: "By identity: the object is adopted."},
		{Name: "import-identity-partial", Source: reading,
			Says: "By a partial identity: the provider completes it, and the whole identity is stored."},
		{Name: "import-identity-replaced", Source: schemas,
			Says: "By an identity with a value that the provider writes otherwise: what it answers is stored and " +
				"shown, and `spec` stays as it was given."},
		{Name: "import-identity-several", Source: importing,
			Says: "By an identity of several required attributes."},
		{Name: "import-passthrough-id", Source: importing,
			Says: "By id, passed through to the one attribute."},
		{Name: "import-passthrough-identity", Source: importing,
			Says: "By identity, passed through to the one attribute."},
		{Name: "import-without-id", Source: importing,
			Says: "With an identity, the id that the provider is given is empty."},
		{Name: "import-without-state", Source: importing,
			Says: "By identity, if the answer has no state: Read returns it by the identity.",
			Not:  []Exception{{Forms: sdk, Reason: "SDKv2 has no state without an id, so its importers always answer with one."}}},
		{Name: "import-exactly-one", Source: importing,
			Says: "The API server refuses an import with both id and identity, and one with neither."},
		{Name: "import-unknown-attribute", Source: importing,
			Says: "`kubectl apply` refuses an attribute that the identity does not have."},
		{Name: "import-wrong-type", Source: schemas,
			Says: "The API server refuses an attribute of the wrong type."},
		{Name: "import-immutable", Source: own,
			Says: "`spec.import` can be neither changed nor removed."},
		{Name: "import-id-unsupported", Source: importing,
			Says: "By id, if the provider supports only identities: the condition quotes the provider, nothing is created, and retries back off."},
		{Name: "import-unsupported", Source: importing,
			Says: "Of a type that cannot be imported: the same, by id and by identity."},
		{Name: "import-not-found-id", Source: introduction,
			Says: "By the id of no object: an error, and nothing is created."},
		{Name: "import-not-found-identity", Source: introduction,
			Says: "By the identity of no object: an error, and nothing is created; when the object appears, it is adopted."},
		{Name: "import-no-object", Source: importing,
			Says: "The provider answers with no object: an error.",
			Not:  []Exception{{Forms: frameworks, Reason: "The framework's ImportState answers with exactly one object of the type."}}},
		{Name: "import-several-objects", Source: importing,
			Says: "The provider answers with several objects: an error.",
			Not:  []Exception{{Forms: frameworks, Reason: "The framework's ImportState answers with exactly one object of the type."}}},
		{Name: "import-other-type", Source: importing,
			Says: "The provider answers with an object of another type: an error.",
			Not:  []Exception{{Forms: frameworks, Reason: "The framework's ImportState answers with exactly one object of the type."}}},
		{Name: "import-observe-only", Source: own,
			Says: "With `managementPolicies: [\"Observe\"]` an import only observes, and deleting the resource leaves the object."},
		{Name: "import-plan-first", Source: own,
			Says: "With `Observe`, the plan that would follow the import is shown, and applied when the policy allows it."},
		{Name: "import-plan-shown", Source: own,
			Says: "Without it, the plan is also in the status before the change begins."},
		{Name: "import-no-op", Source: own,
			Says: "An import of an object that matches the spec changes nothing remotely."},
		{Name: "import-external-name", Source: own,
			Says: "A resource that is created with `crossplane.io/external-name` is imported by that id."},
		{Name: "import-secrets", Source: own,
			Says: "An import does not store write-only arguments, and does not show sensitive ones."},
	}},
	{"Identities that change", []Behaviour{
		{Name: "unexpected-read", Source: mutable,
			Says: "Read returns another identity: condition \"Unexpected Identity Change\", the stored identity is kept, and retries back off."},
		{Name: "unexpected-update", Source: mutable,
			Says: "Update returns another identity: the same."},
		{Name: "unexpected-plan", Source: mutable,
			Says: "The plan has another identity: the same, and nothing is changed remotely."},
		{Name: "unexpected-forget", Source: own,
			Says: "`landbridge state forget-identity` is the way out: the next read returns the identity that the object has now."},
		{Name: "mutable-update", Source: mutable,
			Says: "With a mutable identity, Update's new identity is stored, shown, and recorded as an event."},
		{Name: "mutable-plan", Source: mutable,
			Says: "The same with an identity that is planned."},
		{Name: "mutable-read", Source: mutable,
			Says: "The same if it was changed from outside and Read returns the new one."},
	}},
	{"Upgrade of identities", []Behaviour{
		{Name: "upgrade-type", Source: implementing,
			Says: "Version 0 → 1: a boolean attribute becomes a string."},
		{Name: "upgrade-rename", Source: implementing,
			Says: "Version 1 → 2: an attribute is renamed."},
		{Name: "upgrade-straight", Source: upgraders,
			Says: "Version 0 → 2, skipping the release with version 1."},
		{Name: "upgrade-configured", Source: upgrade,
			Says: "The provider is configured when it upgrades, and upgrades before it plans."},
		{Name: "upgrade-not-needed", Source: upgrade,
			Says: "An identity of the current version is not upgraded."},
		{Name: "upgrade-missing", Source: upgrade,
			Says: "Without upgraders: refused, and the stored identity is kept byte for byte."},
		{Name: "upgrade-gap", Source: upgrade,
			Says: "Without an upgrader from that version: the same; identities of other versions are upgraded."},
		{Name: "upgrade-fails", Source: caveats,
			Says: "The upgrader returns an error: the same."},
		{Name: "upgrade-invalid", Source: caveats,
			Says: "The upgrader returns an unknown value (plugin framework) or an attribute that the schema does not have (SDKv2): the same."},
		{Name: "upgrade-partial", Source: caveats,
			Says: "The upgrader leaves an attribute null that an import requires: accepted, and Read completes it.",
			Not: []Exception{{
				Ways: []Way{CLI},
				Reason: "OpenTofu sends the identity as the upgrader left it, so the provider's SDK refuses what " +
					"its read completes.",
			}}},
		{Name: "upgrade-mismatch", Source: upgrade,
			Says: "A stored identity that does not fit the schema of its version: the same."},
		{Name: "upgrade-newer", Source: own,
			Says: "An identity of a newer release is refused by an older one, and is kept byte for byte."},
		{Name: "upgrade-back", Source: caveats,
			Says: "After the return to the release that wrote it, the refused identity works again."},
		{Name: "upgrade-imported", Source: own,
			Says: "A resource that was imported by an identity of an older version keeps working."},
	}},
	{"List resources", []Behaviour{
		{Name: "discover", Source: own,
			Says: "`landbridge discover` lists objects with their identities and the resources that manage them.", Not: []Exception{programs}},
		{Name: "import-command", Source: own,
			Says: "`landbridge import` writes manifests that import unmanaged objects by identity and change nothing.", Not: []Exception{programs}},
	}},
	{"One owner", []Behaviour{
		{Name: "conflict", Source: introduction,
			Says: "Two resources with one identity: the younger reports a conflict and writes nothing."},
		{Name: "conflict-resolved", Source: own,
			Says: "When the older is deleted without its object, the younger adopts the object."},
		{Name: "conflict-namespaces", Source: own,
			Says: "The same across namespaces, and for another kind of import."},
		{Name: "conflict-racing", Source: own,
			Says: "Two resources that create the same object at the same time: one succeeds, the other reports a conflict."},
		{Name: "adoption-refused", Source: own,
			Says: "A create is refused if an object with its identity exists; the message has the `spec.import` that adopts the object."},
		{Name: "adoption-import", Source: own,
			Says: "With that `spec.import`, copied from the message, the object is adopted."},
	}},
	{"Interrupted creates", []Behaviour{
		{Name: "recover-found", Source: states,
			Says: "The identity was planned, and the object exists: it is adopted as tainted."},
		{Name: "recover-absent", Source: states,
			Says: "The identity was planned, and there is no object: it is created once."},
		{Name: "recover-unknown", Source: own,
			Says: "The identity is not known: nothing is created, and the message lists what to do; `spec.import` is one option."},
		{Name: "recover-token", Source: states,
			Says: "The other option is to confirm the create: with a create token there is still only one object."},
	}},
}
