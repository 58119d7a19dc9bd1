package install_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/sign"
	"google.golang.org/protobuf/encoding/protojson"

	_ "github.com/landbridge-io/landbridge/internal/provider/cosign"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// cosignKey is a key that versions in an OCI mirror are signed with.
type cosignKey struct {
	*sign.EphemeralKeypair
	signer registry.CosignSigner
}

func newCosignKey(t *testing.T) cosignKey {
	k, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := k.GetPublicKeyPem()
	if err != nil {
		t.Fatal(err)
	}
	return cosignKey{k, registry.CosignSigner{PublicKey: pem}}
}

// bundle signs a version of acme/thing as cosign 3 does.
func (k cosignKey) bundle(w world, version string) {
	_, sum, _ := strings.Cut(w.Digest("acme/thing", version), ":")
	statement := `{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://sigstore.dev/cosign/sign/v1","predicate":{},"subject":[{"name":"","digest":{"sha256":"` + sum + `"}}]}`
	b, err := sign.Bundle(&sign.DSSEData{Data: []byte(statement), PayloadType: "application/vnd.in-toto+json"}, k, sign.BundleOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := protojson.Marshal(b)
	if err != nil {
		w.t.Fatal(err)
	}
	w.AttachBundle("acme/thing", version, raw)
}

// payload signs a version of acme/thing as cosign 2 does.
func (k cosignKey) payload(w world, version string) {
	payload := []byte(`{"critical":{"identity":{"docker-reference":""},"image":{"docker-manifest-digest":"` +
		w.Digest("acme/thing", version) + `"},"type":"cosign container image signature"}}`)
	signature, _, err := k.SignData(w.t.Context(), payload)
	if err != nil {
		w.t.Fatal(err)
	}
	w.AttachSignature("acme/thing", version, payload, signature)
}

// TestCosign checks that a provider in an OCI mirror is installed only if one of the wanted signers
// has signed it.
func TestCosign(t *testing.T) {
	key, foreign := newCosignKey(t), newCosignKey(t)
	of := func(keys ...cosignKey) (out install.Request) {
		for _, k := range keys {
			out.Cosign = append(out.Cosign, k.signer)
		}
		return out
	}
	for name, c := range map[string]struct {
		request install.Request
		set     func(w world)
		reason  install.Reason
		want    string // part of the error
	}{
		"signed by cosign 3": {request: of(key), set: func(w world) { key.bundle(w, "1.1.0") }},
		"signed by cosign 2": {request: of(key), set: func(w world) { key.payload(w, "1.1.0") }},
		"signed by several": {
			request: of(key), set: func(w world) {
				foreign.bundle(w, "1.1.0")
				key.bundle(w, "1.1.0")
				foreign.payload(w, "1.1.0")
			},
		},
		"one of several signers": {request: of(foreign, key), set: func(w world) { key.bundle(w, "1.1.0") }},
		"signed by another": {
			request: of(key), set: func(w world) { foreign.bundle(w, "1.1.0"); foreign.payload(w, "1.1.0") },
			reason: install.Untrusted, want: "not signed by anyone of spec.trust.cosign",
		},
		"not signed": {
			request: of(key), set: func(world) {}, reason: install.Untrusted, want: "has no signature of cosign",
		},
		"another version signed": {
			request: of(key), set: func(w world) { key.bundle(w, "1.0.0") }, reason: install.Untrusted,
			want: "has no signature of cosign",
		},
		"signature changed": {
			request: of(key), set: func(w world) {
				key.bundle(w, "1.1.0")
				w.Corrupt("application/vnd.dev.sigstore.bundle.v0.3+json")
			}, reason: install.Untrusted, want: "a signature does not have its checksum",
		},
		"an OpenPGP key is wanted": {
			request: install.Request{Trust: []string{"0123456789ABCDEF"}},
			set:     func(w world) { key.bundle(w, "1.1.0") }, reason: install.Untrusted,
			want: "not by anyone of spec.trust",
		},
		"installed before, by another": {
			request: install.Request{Locks: []install.Lock{{Version: "1.0.0", Key: foreign.signer.Fingerprint()}}},
			set:     func(w world) { key.bundle(w, "1.1.0") }, reason: install.Untrusted,
			want: "not signed, but version 1.0.0",
		},
		"a certificate, but no authorities": {
			request: install.Request{Cosign: []registry.CosignSigner{{Issuer: "https://i", Subject: "s"}}},
			set:     func(w world) { key.bundle(w, "1.1.0") }, reason: install.Misconfigured,
			want: "--sigstore-trusted-root",
		},
	} {
		t.Run(name, func(t *testing.T) {
			count(t, &tally.faults)
			w := newWorld(t, ociMirror, "")
			c.set(w)
			b, err := w.request(c.request)
			if c.reason == "" {
				if err != nil {
					t.Fatal(err)
				}
				if want := key.signer.Fingerprint(); b.Lock.Key != want {
					t.Errorf("the recorded signer is %q, want %q", b.Lock.Key, want)
				}
				return
			}
			refused(t, err, c.reason, c.want)
		})
	}

	t.Run("without a registry", func(t *testing.T) {
		w := newWorld(t, ociMirror, "")
		key.bundle(w, "1.1.0")
		b, err := w.request(of(key))
		if err != nil {
			t.Fatal(err)
		}
		breaking(w.Registry, "", status(http.StatusInternalServerError))
		again := of(key)
		again.Version, again.Locks, again.Offline = "1.1.0", []install.Lock{*b.Lock}, true
		if _, err := w.request(again); err != nil {
			t.Errorf("what was installed needs the registry: %s", err)
		}
		again.Cosign = of(foreign).Cosign
		_, err = w.request(again)
		refused(t, err, install.NotDownloaded, "")
	})

	t.Run("a registry", func(t *testing.T) {
		w := newWorld(t, "", "")
		_, err := w.request(of(key))
		refused(t, err, install.Untrusted, "not by anyone of spec.trust")
	})
}

func refused(t *testing.T, err error, reason install.Reason, want string) {
	t.Helper()
	switch e, ok := err.(*install.Error); { //nolint:errorlint // Find returns it unwrapped
	case err == nil:
		t.Error("installed")
	case !ok || e.Reason != reason:
		t.Errorf("got %v, want the reason %s", err, reason)
	case !strings.Contains(err.Error(), want):
		t.Errorf("the error does not tell %q: %s", want, err)
	}
}
