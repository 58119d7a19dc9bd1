// Package cli implements terraform.Executor by running tofu or terraform.
//
// In: a program (package commandline), a configured provider server, and the arguments of each
// operation. Out: the results of each operation. Each operation is one run of the program in a
// directory of its own, with a configuration and a state of one resource. The directory is removed
// after the run.
//
//	Executor ──main.tf.json, terraform.tfstate──▶ tofu plan | apply | validate
//	   ▲                                              │ TF_REATTACH_PROVIDERS
//	   │ requests and answers                         ▼
//	   └────────────────────────────────────────── session ──▶ provider.Server
//
// The program does not start a provider. It is attached to a session, which passes calls on to the
// shared provider server and records them. This makes the command line as safe as package engine:
//
//   - A provider that is creating something is not interrupted when the program is killed, and its
//     answer is recorded.
//   - The provider is asked to change only what was planned.
//   - The provider's diagnostics keep their attribute paths.
//   - The configuration of the provider is in no file.
//
// The answers are read by the rules of package engine, since the program's output contains less.
// The program decides: what it rejects is rejected, its plan must be the plan that the answers
// mean, and the state that it writes is stored. Only when it fails after the provider was asked for
// a change, the engine's reading of the answer is stored instead.
//
// It never downloads anything, never links the program, and keeps nothing between operations.
package cli
