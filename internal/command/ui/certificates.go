package ui

import (
	"crypto/tls"
	"path/filepath"
)

// Certificates are those of a directory with tls.crt and tls.key.
type Certificates struct{ Directory string }

// config returns a configuration that reads them anew for each connection: they are replaced while
// the process runs.
func (c Certificates) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(filepath.Join(c.Directory, "tls.crt"), filepath.Join(c.Directory, "tls.key"))
		return &pair, err
	}}
}
