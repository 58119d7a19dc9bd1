// Package commandline runs the command line of OpenTofu or Terraform.
//
// In: an installed program (Find), files, provider servers, and arguments. Out: the program's
// output and exit status.
//
//	Runner ──▶ Directory (files, attached providers) ──▶ process ──events──▶ caller
//	   └─ Turn: bounds the processes that run at the same time
//
// A Runner owns a directory for its process in which each Directory is made; the next process
// removes the files that a killed one left. A program gets a minimal environment, starts no
// provider (it is attached to servers of this process, TF_REATTACH_PROVIDERS), gets SIGINT when its
// operation is interrupted, and is killed if it hangs: if it writes nothing and does not wait for a
// provider.
//
// Packages cli and module build terraform.Executor from it. It never interprets a configuration,
// and never downloads a program or a provider.
package commandline
