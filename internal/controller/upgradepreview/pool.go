package upgradepreview

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// PoolOptions are those of the providers' processes of a preview. A process that has crashed is
// started again at once, since each resource is tried only twice.
func PoolOptions(maxServers int) pool.Options {
	return pool.Options{
		KeepTrying: true, IdleTimeout: time.Minute, Patience: 2 * time.Minute, MaxServers: maxServers, Growth: 64 << 20,
		MinBackoff: 10 * time.Millisecond, MaxBackoff: time.Second,
	}
}

// maxStarts is how often the start of a provider is awaited for one resource.
const maxStarts = 5

// patiently leases a server, and waits for one that is started again after a crash. try returns why
// there is none.
func patiently(ctx context.Context, try func() *pool.Failure) {
	for n := 1; ; n++ {
		failure := try()
		if failure == nil || n == maxStarts || failure.RetryAt.IsZero() || failure.OfResource {
			return
		}
		switch failure.Reason {
		case pool.Crashed, pool.Hung, pool.OutOfMemory, pool.Starting, pool.NoRoom, pool.Throttled:
		default:
			return
		}
		select {
		case <-time.After(time.Until(failure.RetryAt)):
		case <-ctx.Done():
			return
		}
	}
}

// userOf returns the user of a provider that a resource is.
func userOf(u *unstructured.Unstructured) provider.User {
	return provider.User{Namespace: u.GetNamespace(), Resource: u.GetKind() + "." + u.GroupVersionKind().Group + "/" + u.GetName()}
}
