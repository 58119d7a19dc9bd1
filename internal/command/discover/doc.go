// Package discover writes the remote objects that package discovery has found, with their owners.
//
// In: pages of objects. Out: a table, or a document in JSON or YAML that can be read again. It
// writes objects as they arrive, and lists none itself.
package discover
