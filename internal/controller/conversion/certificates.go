package conversion

import (
	"context"
	"crypto/tls"
	"time"

	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// Certificates are those of a webhook's server, which all replicas share in a Secret.
type Certificates struct{ keeper keeper }

// NewCertificates returns the certificates for a host, in a Secret.
func NewCertificates(secrets typedcorev1.SecretInterface, name, host string) *Certificates {
	return &Certificates{keeper{secrets: secrets, name: name, host: host, now: time.Now}}
}

// Sync makes or renews the certificates where necessary.
func (c *Certificates) Sync(ctx context.Context) error { return c.keeper.sync(ctx) }

// Authorities returns the certificate authorities; nil before the first Sync.
func (c *Certificates) Authorities() []byte { return c.keeper.authorities() }

// Certificate implements GetCertificate of tls.Config.
func (c *Certificates) Certificate(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.keeper.certificate(h)
}
