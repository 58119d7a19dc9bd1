// Package upgrade previews what another version of a provider would do to live resources.
//
// In: custom resources with what is stored of their objects, and executors of the installed version
// and of the new one. Out: findings about each resource, and a report that groups them by outcome,
// kind and cause. The grouping is pure.
//
// It never applies a plan, stores anything, or talks to Kubernetes. It reads remote objects only if
// it is asked to. No finding holds a secret.
package upgrade
