// Package cli is a terraform.Executor that has the command line of OpenTofu or Terraform do what
// Terraform does.
//
// In: a program that the user brings, a configured provider server, and what every Executor takes.
// Out: what every Executor gives. Each operation is one run of the program, in a directory of its
// own that holds a configuration and a state of one resource and is removed when the run has ended.
//
//	Executor ──main.tf.json, terraform.tfstate──▶ tofu plan | apply | validate
//	   ▲                                              │ TF_REATTACH_PROVIDERS
//	   │ what was asked and answered                  ▼
//	   └───────────────────────────────────────── attachment ──▶ provider.Server
//
// The program does not start a provider. It is attached to a server of this package (attachment.go)
// which passes its calls on to the provider server that all share, and knows therefore what was
// asked and answered, whatever becomes of the program. That is what makes this way as safe as the
// other: a provider that was asked to create something is not interrupted when the program is
// killed, and its answer is recorded; it is asked nothing but what was planned; its diagnostics
// keep their attribute paths; and how the provider is configured is in no file.
//
// What is answered is read by the rules of package engine, as the program's own output tells less
// of it. The program decides: what it refuses is refused, what it plans must be what the answers
// mean, and the state that it writes is what is stored. Only where it fails after the provider was
// asked to change something, what the engine makes of the answer is stored instead.
//
// It never downloads anything, never links the program, and keeps nothing between operations.
package cli
