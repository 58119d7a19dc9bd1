package conversion

import (
	"context"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// Renew exports renew.
var Renew = renew

// BoundedHandler exports boundedHandler, for one small and one large request at once.
func BoundedHandler(convert Convert, log logr.Logger, smallBody, largeBody int64, timeout time.Duration) http.Handler {
	return boundedHandler(convert, log, limits{1, 1, smallBody, largeBody, timeout, timeout / 4})
}

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
