package frontdoor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

// served are the hosts that the test's own registry answers for.
var served = []string{"registry.opentofu.org", "registry.terraform.io"}

// internet is what commands reach beyond this machine: everything by its real name, but the hosts
// of releases, which are the test's own registry.
type internet struct {
	environ []string // of a machine whose way out is a proxy
	host    string   // of the registry
	ca      string   // file
}

// newInternet publishes providers.
func newInternet(t *testing.T, providers ...string) *internet {
	t.Helper()
	r := registrytest.New(t)
	for _, name := range providers {
		p, err := providertest.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		program, err := os.ReadFile(providertest.Binary(t, name))
		if err != nil {
			t.Fatal(err)
		}
		r.Add("hashicorp/"+name, p.Version, runtime.GOOS+"_"+runtime.GOARCH,
			registrytest.Pack(t, map[string]string{"terraform-provider-" + name + "_v" + p.Version: string(program)}))
	}
	certificate, ca := certify(t, served...)
	named := httptest.NewUnstartedServer(r.Config.Handler)
	named.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	named.StartTLS()
	t.Cleanup(named.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		host, _, _ := net.SplitHostPort(req.Host)
		to := req.Host
		if slices.Contains(served, host) {
			to = named.Listener.Addr().String()
		}
		tunnel(w, req, to)
	}))
	t.Cleanup(proxy.Close)

	own, err := os.ReadFile(r.CA(t))
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	content := slices.Concat(systemCertificates(), ca, own)
	if err := os.WriteFile(bundle, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return &internet{host: r.Host(), ca: bundle, environ: []string{"HTTPS_PROXY=" + proxy.URL, "SSL_CERT_FILE=" + bundle}}
}

// systemCertificates returns the certificate authorities of this machine, where it has them in one
// of the usual files.
func systemCertificates() []byte {
	for _, name := range []string{
		os.Getenv("SSL_CERT_FILE"), "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/cert.pem",
	} {
		if content, err := os.ReadFile(name); err == nil {
			return append(content, '\n')
		}
	}
	return nil
}

// tunnel answers CONNECT.
func tunnel(w http.ResponseWriter, req *http.Request, to string) {
	if req.Method != http.MethodConnect {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	server, err := net.DialTimeout("tcp", to, 30*time.Second)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer server.Close()
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	done := make(chan struct{}, 2)
	copyTo := func(to io.Writer, from io.Reader) {
		_, _ = io.Copy(to, from)
		done <- struct{}{}
	}
	go copyTo(server, buffered)
	go copyTo(client, server)
	<-done
}

// certify returns a certificate for hosts, and that of its authority.
func certify(t *testing.T, hosts ...string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: strings.Join(hosts, ", ")}, DNSNames: hosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
