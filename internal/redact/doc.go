// Package redact removes secrets from texts that people read: logs, conditions, diagnostics.
//
// In: secrets, and texts that may quote them. Out: the texts with Concealed in the place of each
// secret. It never logs or stores anything, and never returns a secret.
package redact
