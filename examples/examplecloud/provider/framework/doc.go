// Package framework is the example provider written with the plugin framework, for
// protocol 5 and, with nested attributes, for protocol 6.
//
// In: a protocol and a release. Out: a provider, or its server for linking it into a
// program. It uses the cloud only through package client.
//
// The files are examples of how a provider author writes
//
//   - identity, and import by id and by identity: thing.go
//   - identity that is known before creation, and creation by tasks: datastore.go
//   - idempotent creation by a token: ticket.go
//   - mutable identity, with and without its declaration: alias.go
//   - identity and state upgrades, and their failures: volume.go
//   - import by only one of id and identity, or by neither: note.go
//   - secrets and write-only arguments: credential.go
//   - list resources: list.go
//   - actions, with progress: snapshot.go
//   - ephemeral resources that are renewed and closed: token.go
package framework
