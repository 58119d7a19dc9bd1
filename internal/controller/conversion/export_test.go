package conversion

import (
	"context"
	"time"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// Renew exports renew, and BoundedHandler boundedHandler.
var (
	Renew          = renew
	BoundedHandler = boundedHandler
)

// Keeper exports keeper.
type Keeper struct{ *keeper }

// NewKeeper returns a keeper.
func NewKeeper(secrets typedcorev1.SecretInterface, name, host string, now func() time.Time) Keeper {
	return Keeper{&keeper{secrets: secrets, name: name, host: host, now: now}}
}

// Sync exports sync.
func (k Keeper) Sync(ctx context.Context) error { return k.sync(ctx) }

// Authorities exports authorities.
func (k Keeper) Authorities() []byte { return k.authorities() }

// Certificate returns the certificate that is served, as PEM.
func (k Keeper) Certificate() []byte {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.data["tls.crt"]
}
