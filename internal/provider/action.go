package provider

import "github.com/hashicorp/terraform-plugin-go/tfprotov6"

// BrokenInvocation is the last event of a stream of InvokeAction that broke: the provider has not
// said how the action ended. As an event of the protocol it is a completion with an error.
type BrokenInvocation struct {
	tfprotov6.CompletedInvokeActionEventType
	// Err is the error of the call.
	Err error
}
