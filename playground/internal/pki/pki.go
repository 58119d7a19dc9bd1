package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity of certificates. It is far longer than a data directory is used, so
// nothing renews them.
const validity = 10 * 365 * 24 * time.Hour

// Files contains the paths of the PEM files that a control plane needs.
type Files struct {
	CA                 string // certificate that signed the two below
	ServerCert         string // for 127.0.0.1, ::1 and localhost
	ServerKey          string
	AdminCert          string // client certificate of group system:masters
	AdminKey           string
	ServiceAccountsKey string // signs and verifies service account tokens
}

// In returns the files in dir. It makes them the first time.
func In(dir string) (Files, error) {
	in := func(name string) string { return filepath.Join(dir, name) }
	files := Files{
		CA:         in("ca.crt"),
		ServerCert: in("apiserver.crt"), ServerKey: in("apiserver.key"),
		AdminCert: in("admin.crt"), AdminKey: in("admin.key"),
		ServiceAccountsKey: in("sa.key"),
	}
	// The service account key is written last: if it exists, all files exist.
	if _, err := os.Stat(files.ServiceAccountsKey); err == nil {
		return files, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Files{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Files{}, err
	}
	if err := files.write(); err != nil {
		return Files{}, fmt.Errorf("making certificates in %s: %w", dir, err)
	}
	return files, nil
}

func (f Files) write() error {
	ca, err := newPair(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "playground-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil)
	if err != nil {
		return err
	}
	server, err := newPair(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca)
	if err != nil {
		return err
	}
	admin, err := newPair(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "playground-admin", Organization: []string{"system:masters"}},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, ca)
	if err != nil {
		return err
	}
	serviceAccounts, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return errors.Join(
		writeCertificate(f.CA, ca),
		writeCertificate(f.ServerCert, server), writeKey(f.ServerKey, server.key),
		writeCertificate(f.AdminCert, admin), writeKey(f.AdminKey, admin.key),
		writeKey(f.ServiceAccountsKey, serviceAccounts),
	)
}

type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newPair makes a key and a certificate for it, signed by signer or, without
// one, by itself.
func newPair(template *x509.Certificate, signer *pair) (*pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return nil, err
	}
	now := time.Now()
	template.NotBefore, template.NotAfter = now.Add(-time.Hour), now.Add(validity)
	if signer == nil {
		signer = &pair{certificate: template, key: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.certificate, key.Public(), signer.key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &pair{certificate: certificate, key: key}, err
}

func writeCertificate(path string, p *pair) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.certificate.Raw}), 0o644)
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}
