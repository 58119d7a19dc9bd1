package cosign_test

import (
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/landbridge-io/landbridge/internal/provider/cosign"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// publicKey is a key whose private key is unknown.
const publicKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfpyyyJ1lV2XtO0y1q/UQDx62Ja+6
iD6Zsm2r6wYpu9sSgK/EGCDs5qvzXMzDe7D0LMVyaORxk8G0bd9hMUbGyg==
-----END PUBLIC KEY-----
`

// FuzzVerify checks that whatever an OCI mirror has as a signature is refused, and ends nothing.
func FuzzVerify(f *testing.F) {
	manifest := digest.FromString("manifest")
	f.Add([]byte(`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":"x"}},"dsseEnvelope":{"payload":"e30=","payloadType":"application/vnd.in-toto+json","signatures":[{"sig":"AA=="}]}}`), []byte(nil), []byte(nil))
	f.Add([]byte(nil), payload(manifest), []byte{0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01})
	f.Fuzz(func(t *testing.T, bundle, payload, signature []byte) {
		err := cosign.Verify(manifest, registry.CosignSignature{
			Bundle: bundle, Payload: payload, Signature: signature,
		}, registry.CosignSigner{PublicKey: publicKey}, "")
		if err == nil {
			t.Error("a signature without its key is accepted")
		}
		if registry.KindOf(err) == registry.Misconfigured {
			t.Errorf("the key cannot be read: %s", err)
		}
	})
}
