// Package commandline runs the command line of OpenTofu or Terraform.
//
// In: an installed program (Find), files, provider servers, and arguments. Out: what the program
// wrote and how it ended.
//
//	Runner ──▶ Directory (files, attached providers) ──▶ process ──events──▶ caller
//	   └─ Turn: bounds the processes that run at the same time
//
// A Runner owns a directory for its process in which each Directory is made; what a killed process
// leaves behind, the next one removes. A program gets a small environment of its own, starts no
// provider (it is attached to servers of this process, TF_REATTACH_PROVIDERS), and is killed when
// it hangs: when it writes nothing and does not wait for a provider.
//
// Packages cli and module build terraform.Executor from it. It never knows what a configuration
// means, and never downloads a program or a provider.
package commandline
