package conversion_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

const host = "provider-cloud.system.svc"

// trusted returns an error if a client with the authorities does not trust a server with the
// Secret's data.
func trusted(data map[string][]byte, authorities []byte, at time.Time) error {
	pair, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authorities)
	_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: at})
	return err
}

// A host may be an address, and is kept like a name.
func TestCertificateOfAnAddress(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, address := range []string{"127.0.0.1", "::1"} {
		data, _, err := conversion.Renew(nil, address, now)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
		if err != nil {
			t.Fatal(err)
		}
		if err := pair.Leaf.VerifyHostname(address); err != nil {
			t.Error(err)
		}
		if _, changed, err := conversion.Renew(data, address, now); err != nil || changed {
			t.Errorf("%s: renewed at once: %t, %v", address, changed, err)
		}
	}
}

// Clients that read the authorities up to ten days ago must trust all certificates, for decades.
func TestRenewedCertificatesAreTrusted(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	data, changed, err := conversion.Renew(nil, host, now)
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	certificates, authorities := 1, 1
	for range 30 * 36 {
		known, before := data["ca.crt"], data
		now = now.Add(10 * 24 * time.Hour)
		if data, changed, err = conversion.Renew(before, host, now); err != nil {
			t.Fatal(err)
		}
		// Other replicas serve what was served before for a while, too.
		serve, trust := []map[string][]byte{data}, [][]byte{data["ca.crt"]}
		if changed {
			serve, trust = append(serve, before), append(trust, known)
		}
		for _, served := range serve {
			for _, by := range trust {
				if err := trusted(served, by, now); err != nil {
					t.Fatalf("%s: %v", now, err)
				}
			}
		}
		if changed == cmp.Equal(before, data, cmp.Comparer(bytes.Equal)) {
			t.Fatalf("%s: changed: %t", now, changed)
		}
		if !bytes.Equal(before["tls.crt"], data["tls.crt"]) {
			certificates++
		}
		if !bytes.Equal(before["ca.key"], data["ca.key"]) {
			authorities++
		}
	}
	if certificates < 40 || certificates > 50 || authorities < 3 || authorities > 5 {
		t.Errorf("%d certificates of %d authorities in thirty years", certificates, authorities)
	}
}

func TestRenewReplacesInvalidData(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	whole, _, err := conversion.Renew(nil, host, now)
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := conversion.Renew(nil, "other.system.svc", now)
	if err != nil {
		t.Fatal(err)
	}
	with := func(key string, value []byte) map[string][]byte {
		out := map[string][]byte{}
		for k, v := range whole {
			out[k] = v
		}
		out[key] = value
		return out
	}
	for name, test := range map[string]struct {
		data map[string][]byte
		keep bool // the authority
	}{
		"garbage":                  {with("ca.crt", []byte("x")), false},
		"another authority's key":  {with("ca.key", other["ca.key"]), false},
		"another authority":        {with("ca.crt", other["ca.crt"]), false},
		"no key":                   {with("tls.key", nil), true},
		"a certificate of another": {with("tls.crt", other["tls.crt"]), true},
		"another name":             {other, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, changed, err := conversion.Renew(test.data, host, now)
			if err != nil || !changed {
				t.Fatal(changed, err)
			}
			if err := trusted(got, got["ca.crt"], now); err != nil {
				t.Error(err)
			}
			if kept := bytes.Equal(got["ca.crt"], test.data["ca.crt"]); kept != test.keep {
				t.Errorf("the authority was kept: %t", kept)
			}
		})
	}
}

// Replicas must serve the same certificate, whichever starts first, and recreate a deleted Secret
// unchanged.
func TestReplicasShareTheCertificate(t *testing.T) {
	t.Parallel()
	server := playgroundtest.Start(t)
	kube, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	secrets := kube.CoreV1().Secrets(server.Namespace(t))
	now := time.Now()
	clock := func() time.Time { return now }
	replicas := make([]conversion.Keeper, 5)
	failed := make(chan error, len(replicas))
	for i := range replicas {
		replicas[i] = conversion.NewKeeper(secrets, "c", host, clock)
		go func() { failed <- replicas[i].Sync(context.WithoutCancel(t.Context())) }()
	}
	for range replicas {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	same := func() {
		t.Helper()
		for _, k := range replicas {
			if err := k.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(k.Certificate(), replicas[0].Certificate()) ||
				!bytes.Equal(k.Authorities(), replicas[0].Authorities()) || len(k.Certificate()) == 0 {
				t.Error("replicas serve different certificates")
			}
		}
	}
	same()
	first := replicas[0].Certificate()
	if err := secrets.Delete(t.Context(), "c", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	same()
	if !bytes.Equal(first, replicas[0].Certificate()) {
		t.Error("the Secret did not come back as it was")
	}
	now = now.Add(300 * 24 * time.Hour)
	same()
	if bytes.Equal(first, replicas[0].Certificate()) {
		t.Error("the certificate is not renewed before it expires")
	}
}
