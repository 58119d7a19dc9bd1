// Package client carries out the commands of git with which OpenTofu and Terraform (their library
// go-getter) fetch modules, on github.com/go-git/go-git.
//
// In: arguments, environment and directory of a process. Out: a repository in the directory, with
// files as git checks them out; text on the standard output, messages on the standard error, and a
// status, as git has them. It has no command that writes to a remote repository, runs no program,
// follows no hook, filter or alias, and never prompts. Credentials are those of the environment
// and of the address; they go to the host that they are for, and into no message.
package client
