// Package framework is the example provider written with the plugin framework, for
// protocol 5 and, with nested attributes, for protocol 6.
//
// In goes a protocol and a release; out comes a provider, or its server for linking
// it into a program. It speaks to the cloud through package client only.
//
// The files are examples of how a provider author writes
//
//   - identity, and import by id and by identity: thing.go
//   - identity that is known beforehand, and creation by tasks: datastore.go
//   - idempotent creation by a token: ticket.go
//   - mutable identity, and one that lacks the declaration: alias.go
//   - identity and state upgrades, and what goes wrong with them: volume.go
//   - import by only one of id and identity, or by neither: note.go
//   - secrets and write-only arguments: credential.go
//   - list resources: list.go
package framework
