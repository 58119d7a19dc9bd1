package kinds

import "github.com/landbridge-io/landbridge/internal/controller/managed"

// OwnNames returns the names of an owner's own objects: ClusterRoles and admission policies.
func OwnNames(owner string) []string {
	return []string{roleName(owner, roleController), finalizerPolicy(owner), approverPolicy(owner)}
}

// Serve adds a kind whose controller has started.
func Serve(r *Registry, k *managed.Kind) { r.started(k, nil) }

// Unserve removes a kind whose controller has stopped.
func Unserve(r *Registry, k *managed.Kind) { r.remove(k) }
