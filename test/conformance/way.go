package conformance

// Way is a way of executing Terraform's operations for a resource.
type Way string

// The ways.
const (
	OpenTofu  Way = "opentofu"  // by OpenTofu's command line
	Terraform Way = "terraform" // by Terraform's, in a version before resource identities
	Plugin    Way = "plugin"    // by Landbridge, with the provider's program
	InProcess Way = "inprocess" // by Landbridge, with the provider linked in
)

// Ways lists all ways, in the order of the table.
var Ways = []Way{OpenTofu, Terraform, Plugin, InProcess}

// CommandLines lists the ways that run a command line.
var CommandLines = []Way{OpenTofu, Terraform}
