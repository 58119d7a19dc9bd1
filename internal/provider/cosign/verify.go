package cosign

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/sigstore/sigstore/pkg/signature/payload"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

func init() { registry.RegisterCosign(Verify) }

// Verify implements registry.CosignVerifier.
func Verify(manifest digest.Digest, s registry.CosignSignature, by registry.CosignSigner, trustedRoot string) error {
	if by.PublicKey != "" {
		key, err := keyOf(by.PublicKey)
		if err != nil {
			return err
		}
		if len(s.Bundle) == 0 {
			return verifyPayload(manifest, s, key)
		}
		never := root.NewExpiringKey(key, time.Time{}, time.Time{})
		material := root.NewTrustedPublicKeyMaterial(func(string) (root.TimeConstrainedVerifier, error) { return never, nil })
		return verifyBundle(manifest, s.Bundle, material, verify.WithKey(), verify.WithNoObserverTimestamps())
	}
	if len(s.Bundle) == 0 {
		return errors.New("its signature is in the format of cosign 2, of which only those by keys can be verified; sign it with cosign 3")
	}
	if trustedRoot == "" {
		return &registry.Error{
			Kind: registry.Misconfigured,
			Detail: "spec.trust.cosign names an issuer, so the authorities of certificates are needed: give " +
				"--sigstore-trusted-root a file that cosign trusted-root create has written",
		}
	}
	authorities, err := root.NewTrustedRootFromPath(trustedRoot)
	if err != nil {
		return &registry.Error{Kind: registry.Misconfigured, Detail: fmt.Sprintf("--sigstore-trusted-root cannot be read: %s", err)}
	}
	identity, err := verify.NewShortCertificateIdentity(by.Issuer, "", by.Subject, "")
	if err != nil {
		return err
	}
	return verifyBundle(manifest, s.Bundle, authorities, verify.WithCertificateIdentity(identity), evidence(authorities)...)
}

// evidence returns what must prove that a certificate was valid when it was used: all that the
// authorities can give.
func evidence(authorities *root.TrustedRoot) (out []verify.VerifierOption) {
	if len(authorities.CTLogs()) > 0 {
		out = append(out, verify.WithSignedCertificateTimestamps(1))
	}
	if len(authorities.RekorLogs()) > 0 {
		out = append(out, verify.WithTransparencyLog(1))
	}
	return append(out, verify.WithObserverTimestamps(1))
}

func verifyBundle(
	manifest digest.Digest, raw []byte, material root.TrustedMaterial, who verify.PolicyOption,
	how ...verify.VerifierOption,
) error {
	var b bundle.Bundle
	if err := b.UnmarshalJSON(raw); err != nil {
		return fmt.Errorf("its signature is not a Sigstore bundle: %w", err)
	}
	verifier, err := verify.NewVerifier(material, how...)
	if err != nil {
		return err
	}
	sum, err := hex.DecodeString(manifest.Encoded())
	if err != nil {
		return err
	}
	_, err = verifier.Verify(&b, verify.NewPolicy(verify.WithArtifactDigest(manifest.Algorithm().String(), sum), who))
	return err
}

// verifyPayload verifies a signature in the format of cosign 2.
func verifyPayload(manifest digest.Digest, s registry.CosignSignature, key signature.Verifier) error {
	if err := key.VerifySignature(bytes.NewReader(s.Signature), bytes.NewReader(s.Payload)); err != nil {
		return fmt.Errorf("its signature is not by the key: %w", err)
	}
	var signed payload.SimpleContainerImage
	if err := json.Unmarshal(s.Payload, &signed); err != nil || signed.Critical.Type != payload.CosignSignatureType {
		return errors.New("what was signed is no payload of cosign")
	}
	if is := signed.Critical.Image.DockerManifestDigest; is != manifest.String() {
		return fmt.Errorf("its signature is for %s, not for %s", is, manifest)
	}
	return nil
}

func keyOf(publicKey string) (signature.Verifier, error) {
	key, err := cryptoutils.UnmarshalPEMToPublicKey([]byte(publicKey))
	if err == nil {
		var v signature.Verifier
		if v, err = signature.LoadVerifier(key, crypto.SHA256); err == nil {
			return v, nil
		}
	}
	return nil, &registry.Error{Kind: registry.Misconfigured, Detail: fmt.Sprintf("a publicKey of spec.trust.cosign cannot be read: %s", err)}
}
