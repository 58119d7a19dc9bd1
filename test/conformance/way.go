package conformance

// Way is how Terraform's work is done for a resource.
type Way string

// The ways.
const (
	CLI       Way = "cli"       // by the command line of OpenTofu
	Plugin    Way = "plugin"    // by Landbridge, with the provider's program
	InProcess Way = "inprocess" // by Landbridge, with the provider linked in
)

// Ways are all ways, in the order of the table.
var Ways = []Way{CLI, Plugin, InProcess}
