package behaviour

import "github.com/landbridge-io/landbridge/examples/examplecloud/provider"

var (
	sdk        = []provider.Form{provider.SDKv2}
	frameworks = []provider.Form{provider.Framework5, provider.Framework6}
)

// programs: what commands do does not depend on how the controller runs a provider.
var programs = Exception{Ways: []Way{InProcess}, Reason: "The command is not the controller: it runs the provider's program, however the controller does."}

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
			Says: "Strings, numbers, booleans and lists of them are stored and shown, and an object can be imported by them."},
		{Name: "required-for-import", Source: schemas,
			Says: "An attribute that is required for import cannot be left out of `spec.import.identity`, nor be null."},
		{Name: "optional-for-import", Source: schemas,
			Says: "An attribute that is optional for import can be left out or be null."},
		{Name: "set-by-provider", Source: schemas,
			Says: "All of the identity is set by the provider: a `status.identity` that somebody writes does not count."},
		{Name: "no-identity", Source: defining,
			Says: "A type without an identity schema has no `spec.import.identity` and no `status.identity`; it is imported by id."},
		{Name: "invalid-schema", Source: schemas,
			Says: "A release whose identity schema is invalid (an attribute neither required nor optional for import) is not installed, and the message names the attribute."},
		{Name: "invalid-type", Source: schemas,
			Says: "The same with an attribute that is neither a primitive nor a list.",
			Not:  []Exception{{Forms: frameworks, Reason: "The framework has no identity attributes of other types."}}},
	}},
	{"Identity of what was created", []Behaviour{
		{Name: "create-stores", Source: writing,
			Says: "The identity that Create answers is stored, and shown in `status.identity`, in an annotation and by `kubectl get -o wide`."},
		{Name: "create-plans", Source: states,
			Says: "An identity that is known beforehand is in the journal before the object exists."},
		{Name: "read-stores", Source: reading,
			Says: "An object from before the type had an identity gets it by being read."},
		{Name: "given-to-provider", Source: handling,
			Says: "Read, Update and Delete are given the stored identity."},
		{Name: "update-keeps", Source: handling,
			Says: "An update that sets no identity keeps the one there is."},
		{Name: "replace-renews", Source: introduction,
			Says: "A replacement has an identity of its own, and nothing is left of the old one."},
		{Name: "gone-renews", Source: introduction,
			Says: "When the object is gone, so is its identity; the one made instead has its own."},
		{Name: "external-name", Source: own,
			Says: "`crossplane.io/external-name` is the one attribute that is required for import."},
		{Name: "external-name-several", Source: own,
			Says: "With several required attributes, `crossplane.io/external-name` is the identity in its canonical form."},
		{Name: "state-lost", Source: own,
			Says: "If what is stored is lost, the object is found again by its identity, and not created twice."},
	}},
	{"Import", []Behaviour{
		{Name: "import-id", Source: importing,
			Says: "By id: the object is taken over, and Read tells its identity."},
		{Name: "import-identity", Source: importing,
			Says: "By identity: the object is taken over."},
		{Name: "import-identity-partial", Source: reading,
			Says: "By a partial identity: the provider completes it, and the whole identity is stored."},
		{Name: "import-identity-several", Source: importing,
			Says: "By an identity of several required attributes."},
		{Name: "import-passthrough-id", Source: importing,
			Says: "By id, passed through to the one attribute."},
		{Name: "import-passthrough-identity", Source: importing,
			Says: "By identity, passed through to the one attribute."},
		{Name: "import-without-id", Source: importing,
			Says: "With an identity, the id that the provider is given is empty."},
		{Name: "import-without-state", Source: importing,
			Says: "By identity, with an answer that has no state: Read makes it from the identity.",
			Not:  []Exception{{Forms: sdk, Reason: "SDKv2 keeps no state without an id, so its importers always answer with one."}}},
		{Name: "import-exactly-one", Source: importing,
			Says: "Both of id and identity, and neither, are refused by the API server."},
		{Name: "import-unknown-attribute", Source: importing,
			Says: "An attribute that the identity does not have is refused by `kubectl apply`."},
		{Name: "import-wrong-type", Source: schemas,
			Says: "An attribute of the wrong type is refused by the API server."},
		{Name: "import-immutable", Source: own,
			Says: "`spec.import` can be neither changed nor removed."},
		{Name: "import-id-unsupported", Source: importing,
			Says: "By id, where the provider supports only identities: its own message is the condition, nothing is created, and it is asked ever less often."},
		{Name: "import-unsupported", Source: importing,
			Says: "Of a type that cannot be imported: the same, by id and by identity."},
		{Name: "import-not-found-id", Source: introduction,
			Says: "By an id that is not there: an error, and nothing is created."},
		{Name: "import-not-found-identity", Source: introduction,
			Says: "By an identity that is not there: an error, and nothing is created; when the object appears it is taken over."},
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
			Says: "With `Observe`, the plan that the import would lead to is shown, and is carried out when the policy allows it."},
		{Name: "import-plan-shown", Source: own,
			Says: "Without it, too, the plan is in the status before the change is begun."},
		{Name: "import-no-op", Source: own,
			Says: "An import of what is already as wanted changes nothing remotely."},
		{Name: "import-external-name", Source: own,
			Says: "A resource that comes with `crossplane.io/external-name` is imported by that id."},
		{Name: "import-secrets", Source: own,
			Says: "An import stores nothing of write-only arguments, and shows nothing of sensitive ones."},
	}},
	{"Identities that change", []Behaviour{
		{Name: "unexpected-read", Source: mutable,
			Says: "Read tells another identity: condition \"Unexpected Identity Change\", the stored identity is kept, and it is asked ever less often."},
		{Name: "unexpected-update", Source: mutable,
			Says: "Update does: the same."},
		{Name: "unexpected-plan", Source: mutable,
			Says: "Planning does: the same, and nothing is changed remotely."},
		{Name: "mutable-update", Source: mutable,
			Says: "With a mutable identity, Update's new identity is stored, shown, and recorded as an event."},
		{Name: "mutable-plan", Source: mutable,
			Says: "The same with an identity that is planned."},
		{Name: "mutable-read", Source: mutable,
			Says: "The same when somebody else changed it and Read finds out."},
	}},
	{"Upgrade of identities", []Behaviour{
		{Name: "upgrade-type", Source: implementing,
			Says: "Version 0 → 1: an attribute that was a boolean becomes a string."},
		{Name: "upgrade-rename", Source: implementing,
			Says: "Version 1 → 2: an attribute has another name."},
		{Name: "upgrade-straight", Source: upgraders,
			Says: "Version 0 → 2, by a release that was never version 1."},
		{Name: "upgrade-configured", Source: upgrade,
			Says: "The upgrade is asked of a configured provider, before anything is planned."},
		{Name: "upgrade-not-needed", Source: upgrade,
			Says: "An identity of the current version is not upgraded."},
		{Name: "upgrade-missing", Source: upgrade,
			Says: "Without upgraders: refused, and the stored identity stays, byte for byte."},
		{Name: "upgrade-gap", Source: upgrade,
			Says: "Without an upgrader from that version: the same; identities of other versions are upgraded."},
		{Name: "upgrade-fails", Source: caveats,
			Says: "The upgrader answers with an error: the same."},
		{Name: "upgrade-invalid", Source: caveats,
			Says: "The upgrader answers with something unknown, or that the schema does not know: the same."},
		{Name: "upgrade-mismatch", Source: upgrade,
			Says: "A stored identity that does not fit the schema of its version: the same."},
		{Name: "upgrade-newer", Source: own,
			Says: "An identity of a newer release is refused by an older one, and stays, byte for byte."},
		{Name: "upgrade-back", Source: caveats,
			Says: "Back with the release that wrote it, what was refused works again."},
		{Name: "upgrade-imported", Source: own,
			Says: "A resource that was imported by an identity of an older version goes on."},
	}},
	{"List resources", []Behaviour{
		{Name: "discover", Source: own,
			Says: "`landbridge discover` lists objects with their identities, and who manages them.", Not: []Exception{programs}},
		{Name: "import-command", Source: own,
			Says: "`landbridge import` writes manifests that import by identity what nobody manages, and change nothing.", Not: []Exception{programs}},
	}},
	{"One owner", []Behaviour{
		{Name: "conflict", Source: introduction,
			Says: "Two resources with one identity: the younger says so and writes nothing."},
		{Name: "conflict-resolved", Source: own,
			Says: "When the older is gone and has left the object, the younger has it."},
		{Name: "conflict-namespaces", Source: own,
			Says: "The same in different namespaces, and by another way of importing."},
		{Name: "conflict-racing", Source: own,
			Says: "Two resources that create the same object at the same moment: one does, the other has a conflict."},
		{Name: "adoption-refused", Source: own,
			Says: "A create that meets an existing object with its identity is refused, with the `spec.import` that adopts it."},
		{Name: "adoption-import", Source: own,
			Says: "With that `spec.import`, copied as it is, the object is adopted."},
	}},
	{"Interrupted creates", []Behaviour{
		{Name: "recover-found", Source: states,
			Says: "The identity is known beforehand, and the object is there: it is taken over, as tainted."},
		{Name: "recover-absent", Source: states,
			Says: "The identity is known beforehand, and there is no object: it is created, once."},
		{Name: "recover-unknown", Source: own,
			Says: "The identity is not known: nothing is created, and the message has the ways out; `spec.import` is one."},
		{Name: "recover-token", Source: states,
			Says: "The other way out is to confirm the create: with a create token there is still only one object."},
	}},
}
