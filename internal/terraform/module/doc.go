// Package module is Terraform modules as resource types: a module's variables are what an object is to be,
// its outputs what it is.
//
// In: a source of a module, a program (internal/terraform/cli), and configured servers of the module's providers.
// Out: a schema.Resource of its variables and outputs, and a terraform.Executor over it. The state of all
// that the module consists of is the private bytes of one instance.Instance, so that whoever stores
// instances stores modules.
//
//	variables ──main.tf.json, terraform.tfvars.json, terraform.tfstate──▶ tofu plan | apply
//	   ▲                                                                     │ TF_REATTACH_PROVIDERS
//	   └── outputs, state ◀── journal ◀── session (one per provider) ◀───────┘
//
// The program runs a configuration with one module block in it, in a directory that is removed when the run
// has ended. It starts no provider and configures none: each is a session, which passes calls on to the
// server that all share. What the program is about to have changed is recorded before the provider is asked,
// and its answer as soon as it comes (terraform.Journaled), so that neither the end of the program nor that of
// this process loses an object: the state that the program did not write is made of the last one and the
// answers.
//
// It never installs providers, and keeps nothing between operations but the module's own files.
package module
