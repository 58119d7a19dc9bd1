// Package state lists, shows, exports and imports stored instances of a cluster, for the command
// line.
//
// In: a cluster, with permissions for the Secrets of Landbridge's own namespace, and a selection of
// resources. Out: a list, one instance for people, or a Terraform state of format 4 (contract § 4);
// and, from such a state, stored instances of custom resources that exist and are not reconciled.
//
//	Secrets ── verbatim ──▶ tfstate ── verbatim ──▶ Secrets
//
// Values are passed on as they are stored, byte for byte, so that no provider is needed. Only Show
// without sensitive values needs the schema. It never calls a provider, never creates a custom
// resource (package importer does), and overwrites a stored instance only on request.
package state
