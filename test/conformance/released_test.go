package conformance_test

import (
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Providers that were released in 2017 to 2019, on the first plugin SDK. They need no cloud, or are
// only installed.

// released installs a released provider under a name of its own, for a way of execution.
func (c *cluster) released(t *testing.T, source, way string, more m) (p *unstructured.Unstructured, group string) {
	t.Helper()
	_, name, _ := strings.Cut(source, "/")
	name += "-" + strings.ToLower(way)
	spec := m{"source": source, "execution": way, "group": name + ".landbridge.io", "activate": []any{"*"}}
	for k, v := range more {
		spec[k] = v
	}
	p = object("landbridge.io/v1alpha1", "TerraformProvider", "", name, spec)
	c.MustCreate(t, p)
	c.executed(t, p, way)
	return p, name + ".landbridge.io/v1alpha1"
}

func eachWay(t *testing.T, test func(t *testing.T, way string)) {
	t.Helper()
	for _, way := range []string{"Plugin", "CLI"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			test(t, way)
		})
	}
}

func TestReleasedNull(t *testing.T) {
	t.Parallel()
	c := shared(t)
	eachWay(t, func(t *testing.T, way string) {
		p, group := c.released(t, "hashicorp/null", way, nil)
		c.MustCreate(t, object(group, "ClusterProviderConfig", "", "default", m{}))
		ns := c.Namespace(t)
		u := object(group, "Resource", ns, "one", m{"forProvider": m{"triggers": m{"version": "1"}}})
		c.MustCreate(t, u)
		c.WaitReady(t, u)
		id := text(u, "status", "atProvider", "id")
		if id == "" || u.GetAnnotations()["crossplane.io/external-name"] != id {
			t.Errorf("the id is %q, the annotations are %v", id, u.GetAnnotations())
		}
		// A change of triggers replaces it.
		c.MustPatch(t, u, `{"spec":{"forProvider":{"triggers":{"version":"2"}}}}`)
		c.WaitFor(t, u, "replaced", func() bool {
			return isTrue(u, "Synced", "Ready") && current(u) && text(u, "status", "atProvider", "id") != id
		})
		c.Remove(t, u)
		c.Remove(t, p)
	})
}

// The provider does not mark private keys as sensitive, and keeps only a hash of those that it is
// given.
func TestReleasedTLS(t *testing.T) {
	t.Parallel()
	c := shared(t)
	eachWay(t, func(t *testing.T, way string) {
		secret := m{"fields": m{"private_key_pem": m{"sensitive": true}}}
		p, group := c.released(t, "hashicorp/tls", way, m{"resources": m{"tls_private_key": secret, "tls_self_signed_cert": secret}})
		c.MustCreate(t, object(group, "ClusterProviderConfig", "", "default", m{}))
		ns := c.Namespace(t)
		key := object(group, "PrivateKey", ns, "key", m{
			"forProvider":                m{"algorithm": "ECDSA", "ecdsaCurve": "P256"},
			"writeConnectionSecretToRef": m{"name": "key"},
		})
		certificate := object(group, "SelfSignedCert", ns, "certificate", m{"forProvider": m{
			"keyAlgorithm": "ECDSA", "privateKeyPemSecretRef": m{"name": "key", "key": "attribute.private_key_pem"},
			"subject":             []any{m{"commonName": "example.org", "organization": "Example"}},
			"validityPeriodHours": int64(12), "allowedUses": []any{"server_auth"}, "dnsNames": []any{"www.example.org"},
		}})
		c.MustCreate(t, key)
		c.MustCreate(t, certificate) // it waits for the Secret
		c.WaitReady(t, key)
		c.WaitReady(t, certificate)

		parsed := func() *x509.Certificate {
			t.Helper()
			block, _ := pem.Decode([]byte(text(certificate, "status", "atProvider", "certPem")))
			if block == nil {
				t.Fatalf("the status is %v", certificate.Object["status"])
			}
			out, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		first := parsed()
		if first.Subject.CommonName != "example.org" || len(first.DNSNames) != 1 {
			t.Errorf("the certificate is for %s, %v", first.Subject, first.DNSNames)
		}
		stored := &corev1.Secret{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "key"}, stored); err != nil {
			t.Fatal(err)
		}
		private := strings.Split(string(stored.Data["attribute.private_key_pem"]), "\n")
		if len(private) < 3 {
			t.Fatalf("the connection Secret has %d keys", len(stored.Data))
		}
		for _, u := range []*unstructured.Unstructured{key, certificate} {
			c.MustGet(t, u)
			if raw := text(u, "spec") + text(u, "status"); strings.Contains(raw, private[1]) {
				t.Errorf("%s shows the private key", u.GetKind())
			}
		}

		c.MustPatch(t, certificate, `{"spec":{"forProvider":{"dnsNames":["api.example.org"]}}}`)
		c.WaitFor(t, certificate, "made again", func() bool {
			return isTrue(certificate, "Synced", "Ready") && current(certificate) && parsed().SerialNumber.Cmp(first.SerialNumber) != 0
		})
		if got := parsed().DNSNames; len(got) != 1 || got[0] != "api.example.org" {
			t.Errorf("the certificate is for %v", got)
		}
		c.Remove(t, certificate)
		c.Remove(t, key)
		c.Remove(t, p)
	})
}

// A provider that has only data sources can be installed, and has no kinds.
func TestReleasedHTTP(t *testing.T) {
	t.Parallel()
	c := shared(t)
	p, _ := c.released(t, "hashicorp/http", "Plugin", nil)
	if got := text(p, "status", "resources"); got != "" {
		t.Errorf("the status is %v", p.Object["status"])
	}
	c.Remove(t, p)
}

// All kinds of a provider for a cloud that is not there.
func TestReleasedCloudflare(t *testing.T) {
	t.Parallel()
	c := shared(t)
	p, group := c.released(t, "cloudflare/cloudflare", "Plugin", m{"providerConfig": m{"fields": m{"token": m{"sensitive": true}}}})
	if all, activated := text(p, "status", "resources"), text(p, "status", "activated"); all != "23" || activated != all {
		t.Errorf("%s types, %s activated: %v", all, activated, p.Object["status"])
	}
	ns := c.Namespace(t)
	record := object(group, "Record", ns, "www", m{
		"forProvider": m{"domain": "example.org", "name": "www", "type": "A", "value": "192.0.2.1"},
	})
	c.MustCreate(t, record)
	c.WaitFalse(t, record, "Synced", "ProviderConfigError")
	c.Remove(t, record)
	c.Remove(t, p)
}
