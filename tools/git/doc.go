// Command git fetches modules from Git repositories for OpenTofu and Terraform in Landbridge's
// container image, which has no distribution below it that could bring Git.
//
// In: the arguments and the environment that OpenTofu and Terraform run git with. Out: the same
// repository on disk, the same output and the same status. It runs no other program, never prompts,
// reads no configuration but that of the environment, and never writes to a remote repository.
package main
