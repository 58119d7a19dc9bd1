package managed

import (
	"context"
	"errors"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

func (c *connector) claim(ctx context.Context, u *unstructured.Unstructured) error {
	if !held(u) {
		return nil
	}
	resource := &CustomResource{}
	resource.lend(u)
	// A request that cannot be carried out still identifies its object.
	spec, _ := c.kind.read(resource)
	request, _ := c.subject(ctx, resource, spec)
	request.New = false // load the record even if the resource looks new
	err := c.kind.Scheduler.Claim(ctx, request)
	if errors.Is(err, store.ErrUnreadable) {
		return nil // no operation can start either until it is repaired
	}
	return err
}

// ClaimsHere reports whether a resource is to be claimed when the controller starts. Others are
// claimed when their configuration becomes one of this shard.
func (k *Kind) ClaimsHere(u *unstructured.Unstructured) bool {
	return k.Options.Shards == nil || k.Options.Shards.Belong(k.use(u)) != Elsewhere
}

// isClaimed reports whether the remote objects of all resources of the kind are claimed.
func (k *Kind) isClaimed() bool { return IsClosed(k.claimed) }

// IsClosed reports whether a channel is closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// mayImport reports whether the remote objects of all resources of all kinds are claimed. A
// resource of the kind of a module can have objects of any type.
func (k *Kind) mayImport() bool {
	select {
	case <-k.Neighbours.Claimed():
		return k.isClaimed() && (k.Options.Shards == nil || k.Options.Shards.Settled())
	default:
		return false
	}
}

// awaited waits until a channel is closed, and reports whether it is. If ctx is done, it does not
// wait.
func awaited(ctx context.Context, closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true // even if ctx is done, too
	default:
	}
	select {
	case <-closed:
		return true
	case <-ctx.Done():
		return false
	}
}

// Exists reports whether there is a resource of the kind with the key and UID. The cache may still
// have a deleted resource, so only its absence there is conclusive; else the API server decides. It
// returns an error if the API server does not answer.
func (k *Kind) Exists(ctx context.Context, key store.Key, uid types.UID) (bool, error) {
	for _, reader := range []client.Reader{k.reader, k.live} {
		u, err := k.get(ctx, reader, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
		switch {
		case kerrors.IsNotFound(err), err == nil && u.GetUID() != uid:
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// Manages reports whether there is a resource of the kind that manages its object, and does not
// only observe it.
func (k *Kind) Manages(ctx context.Context, key store.Key) (bool, error) {
	u, err := k.get(ctx, k.live, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	spec, _ := k.read(&CustomResource{Unstructured: *u})
	return spec.Policies.Manage, nil
}
