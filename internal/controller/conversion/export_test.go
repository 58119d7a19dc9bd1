package conversion

import (
	"context"
	"time"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// Renew is renew.
var Renew = renew

// Keeper is a keeper.
type Keeper struct{ *keeper }

// NewKeeper makes one.
func NewKeeper(secrets typedcorev1.SecretInterface, name, host string, now func() time.Time) Keeper {
	return Keeper{&keeper{secrets: secrets, name: name, host: host, now: now}}
}

// Sync is sync.
func (k Keeper) Sync(ctx context.Context) error { return k.sync(ctx) }

// Authorities are authorities.
func (k Keeper) Authorities() []byte { return k.authorities() }

// Certificate is what is served, as PEM.
func (k Keeper) Certificate() []byte {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.data["tls.crt"]
}
