package conversion

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Certificates are valid for servedFor and renewed when a third of that is left. Authorities are
// valid for vouchesFor and renewed when that is not enough for two more certificates. So the API
// server knows a new authority long before a certificate of it is served.
const (
	servedFor   = 365 * 24 * time.Hour
	vouchesFor  = 10 * servedFor
	renewServed = servedFor / 3
	renewVouch  = 2 * servedFor
)

// The keys of the Secret, beside those of its type.
const (
	keyCA     = "ca.crt" // the authorities, newest first
	keyCAName = "ca.key" // the key of the newest authority
)

// renew returns the data of the Secret for a server with a DNS name: the given data, renewed where
// necessary. It replaces invalid data.
func renew(data map[string][]byte, host string, now time.Time) (_ map[string][]byte, changed bool, err error) {
	out := map[string][]byte{}
	for key, v := range data {
		out[key] = v
	}
	authorities, key := authoritiesOf(data)
	authorities = slices.DeleteFunc(authorities, func(c *x509.Certificate) bool { return now.After(c.NotAfter) })
	if len(authorities) == 0 || key == nil {
		authorities = nil
	}
	add := func() error {
		made, madeKey, err := authority(host, now)
		if err != nil {
			return err
		}
		authorities, key = slices.Insert(authorities, 0, made), madeKey
		return nil
	}
	if len(authorities) == 0 {
		if err := add(); err != nil {
			return nil, false, err
		}
	}
	// The certificate first: the API server knows the current authority.
	if !served(data, authorities, host, now) {
		if out[corev1.TLSCertKey], out[corev1.TLSPrivateKeyKey], err = serve(authorities[0], key, host, now); err != nil {
			return nil, false, err
		}
	}
	if authorities[0].NotAfter.Sub(now) < renewVouch {
		if err := add(); err != nil {
			return nil, false, err
		}
	}
	if out[keyCA], err = certutil.EncodeCertificates(authorities...); err != nil {
		return nil, false, err
	}
	if out[keyCAName], err = keyutil.MarshalPrivateKeyToPEM(key); err != nil {
		return nil, false, err
	}
	for key, v := range out {
		changed = changed || !bytes.Equal(v, data[key])
	}
	return out, changed, nil
}

// authoritiesOf returns the authorities in a Secret, and the key of the first; none if they do not
// match.
func authoritiesOf(data map[string][]byte) ([]*x509.Certificate, crypto.Signer) {
	all, err := certutil.ParseCertsPEM(data[keyCA])
	if err != nil {
		return nil, nil
	}
	parsed, err := keyutil.ParsePrivateKeyPEM(data[keyCAName])
	if err != nil {
		return nil, nil
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || !key.PublicKey.Equal(all[0].PublicKey) {
		return nil, nil
	}
	return all, key
}

// served reports whether the certificate in a Secret is valid and need not be renewed yet.
func served(data map[string][]byte, authorities []*x509.Certificate, host string, now time.Time) bool {
	pair, err := tls.X509KeyPair(data[corev1.TLSCertKey], data[corev1.TLSPrivateKeyKey])
	if err != nil || pair.Leaf.NotAfter.Sub(now) < renewServed {
		return false
	}
	roots := x509.NewCertPool()
	for _, c := range authorities {
		roots.AddCert(c)
	}
	_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: now})
	return err == nil
}

func authority(host string, now time.Time) (*x509.Certificate, crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	c := &x509.Certificate{
		Subject: pkix.Name{CommonName: "conversions of " + short(host)}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(vouchesFor),
		KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: true,
	}
	made, err := sign(c, c, key.Public(), key)
	return made, key, err
}

func serve(by *x509.Certificate, byKey crypto.Signer, host string, now time.Time) (cert, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: short(host)}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(servedFor),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	made, err := sign(template, by, key.Public(), byKey)
	if err != nil {
		return nil, nil, err
	}
	if cert, err = certutil.EncodeCertificates(made); err != nil {
		return nil, nil, err
	}
	keyPEM, err = keyutil.MarshalPrivateKeyToPEM(key)
	return cert, keyPEM, err
}

func sign(c, by *x509.Certificate, public crypto.PublicKey, key crypto.Signer) (*x509.Certificate, error) {
	var err error
	if c.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return nil, err
	}
	raw, err := x509.CreateCertificate(rand.Reader, c, by, public, key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(raw)
}

// short truncates a host to fit into a common name. Common names are not verified.
func short(host string) string { return host[:min(len(host), 40)] }

var errNoCertificate = errors.New("the certificate is not available yet")
