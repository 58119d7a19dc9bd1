// Package module makes Terraform modules resource types: the variables of a module are the
// arguments of an object, its outputs the computed attributes.
//
// In: the source of a module, a program (package commandline), and configured servers of the
// module's providers. Out: a schema.Resource, and a terraform.Executor for it. The state of all
// resources of the module is the private bytes of one instance.Instance, so that it is stored like
// any other.
//
//	variables ──main.tf.json, terraform.tfvars.json, terraform.tfstate──▶ tofu plan | apply
//	   ▲                                                                     │ TF_REATTACH_PROVIDERS
//	   └── outputs, state ◀── journal ◀── session, attached ◀────────────────┘
//
// The program runs a configuration with one module block, in a directory that is removed after the
// operation. It starts and configures no provider: each is an attached server that passes calls on
// to the shared one. Every change is recorded before the provider is asked for it, and its answer
// when it comes (terraform.Journaled). So no object is lost when the program or this process dies:
// a state that the program did not write is rebuilt from the last one and the answers.
//
// It never installs providers, and keeps nothing between operations but the module's own files.
package module
