package conformance

// Way is how Terraform's work is done for a resource.
type Way string

// The ways.
const (
	OpenTofu  Way = "opentofu"  // by the command line of OpenTofu
	Terraform Way = "terraform" // by that of Terraform, as it was before it knew identities
	Plugin    Way = "plugin"    // by Landbridge, with the provider's program
	InProcess Way = "inprocess" // by Landbridge, with the provider linked in
)

// Ways are all ways, in the order of the table.
var Ways = []Way{OpenTofu, Terraform, Plugin, InProcess}

// CommandLines are those of them that are done by a program.
var CommandLines = []Way{OpenTofu, Terraform}
