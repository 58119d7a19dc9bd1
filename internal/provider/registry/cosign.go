package registry

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
)

// How cosign stores signatures: since version 3 as Sigstore bundles that refer to what they sign,
// before as layers of a manifest whose tag follows from the digest of what they sign.
const (
	typeBundle        = "application/vnd.dev.sigstore.bundle"
	typeSimpleSigning = "application/vnd.dev.cosign.simplesigning.v1+json"
	annotationSign    = "dev.cosignproject.cosign/signature"
	// maxCosignSignatures bounds the signatures of one version.
	maxCosignSignatures = 50
)

// CosignSigner is who signs with cosign: the holder of a key, or whom an OpenID Connect issuer has
// identified.
type CosignSigner struct {
	// PublicKey in PEM. Without it, Issuer and Subject are those of the certificate.
	PublicKey, Issuer, Subject string
}

// Fingerprint returns what the signer is recorded as.
func (s CosignSigner) Fingerprint() string {
	if s.PublicKey == "" {
		return "cosign:" + s.Issuer + "#" + s.Subject
	}
	key := []byte(s.PublicKey)
	if block, _ := pem.Decode(key); block != nil {
		key = block.Bytes
	}
	sum := sha256.Sum256(key)
	return "cosign:" + hex.EncodeToString(sum[:])
}

// CosignSignature is a signature of a manifest: a Sigstore bundle, or a payload that names the
// manifest, with its signature.
type CosignSignature struct {
	Bundle             []byte
	Payload, Signature []byte
}

// CosignVerifier returns an error unless a signature of the manifest with the digest is the
// signer's. trustedRoot is the path of a file with the authorities whose certificates are trusted;
// it may be empty for signers with a key.
type CosignVerifier func(manifest digest.Digest, s CosignSignature, by CosignSigner, trustedRoot string) error

var cosignVerifier CosignVerifier

// RegisterCosign is called by the package that verifies signatures of cosign. It has many
// dependencies, which only programs have that import it.
func RegisterCosign(v CosignVerifier) { cosignVerifier = v }

// cosign verifies the signatures of one manifest in an OCI mirror.
type cosign struct {
	mirror   *oci
	address  Address
	in       *remote.Repository
	manifest ocispec.Descriptor
}

// VerifyCosign sets Signer to the first of the signers that has signed the version with cosign.
// Only OCI mirrors have such signatures.
func (p *Package) VerifyCosign(ctx context.Context, signers []CosignSigner) error {
	if p.cosign == nil {
		return nil
	}
	m := p.cosign.mirror
	if cosignVerifier == nil {
		return problem(Misconfigured, "this program cannot verify signatures of cosign; use the released landbridge")
	}
	found, err := p.cosign.signatures(ctx)
	if err != nil {
		return err
	}
	var failed []string
	for _, by := range signers {
		for _, s := range found {
			err := cosignVerifier(p.cosign.manifest.Digest, s, by, m.trustedRoot)
			if err == nil {
				p.Signer = &Signer{Fingerprint: by.Fingerprint(), Name: by.Subject}
				return nil
			}
			if KindOf(err) == Misconfigured {
				return err
			}
			failed = append(failed, clip(err.Error()))
		}
	}
	if len(failed) == 0 {
		return problem(Untrusted, "version %s in %s has no signature of cosign; sign it, or choose another "+
			"version or source", p.Version, p.Origin)
	}
	return problem(Untrusted, "version %s in %s is not signed by anyone of spec.trust.cosign: %s", p.Version,
		p.Origin, strings.Join(failed[:min(3, len(failed))], "; "))
}

func (c *cosign) signatures(ctx context.Context) ([]CosignSignature, error) {
	bundles, err := c.bundles(ctx)
	if err != nil {
		return nil, c.mirror.problem(c.address, err)
	}
	tagged, err := c.tagged(ctx)
	if err != nil {
		return nil, c.mirror.problem(c.address, err)
	}
	return append(bundles, tagged...), nil
}

var errManySignatures = problem(Invalid, "a version has more than %d signatures of cosign", maxCosignSignatures)

// bundles returns the Sigstore bundles that refer to the manifest.
func (c *cosign) bundles(ctx context.Context) (out []CosignSignature, _ error) {
	var refer []ocispec.Descriptor
	err := c.in.Referrers(ctx, c.manifest, "", func(all []ocispec.Descriptor) error {
		for _, d := range all {
			if strings.HasPrefix(d.ArtifactType, typeBundle) {
				refer = append(refer, d)
			}
		}
		if len(refer) > maxCosignSignatures {
			return errManySignatures
		}
		return nil
	})
	if err != nil && !errors.Is(err, errdef.ErrNotFound) {
		return nil, err
	}
	for _, d := range refer {
		layers, err := c.layers(ctx, d)
		if err != nil {
			return nil, err
		}
		for _, l := range layers {
			if !strings.HasPrefix(l.MediaType, typeBundle) {
				continue
			}
			raw, err := c.blob(ctx, l)
			if err != nil {
				return nil, err
			}
			out = append(out, CosignSignature{Bundle: raw})
		}
	}
	return out, nil
}

// tagged returns the signatures of the manifest as cosign before version 3 stores them.
func (c *cosign) tagged(ctx context.Context) (out []CosignSignature, _ error) {
	d, err := c.in.Resolve(ctx, "sha256-"+c.manifest.Digest.Encoded()+".sig")
	if errors.Is(err, errdef.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	layers, err := c.layers(ctx, d)
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		signature := taggedSignature(l)
		if len(signature) == 0 {
			continue
		}
		payload, err := c.blob(ctx, l)
		if err != nil {
			return nil, err
		}
		if out = append(out, CosignSignature{Payload: payload, Signature: signature}); len(out) > maxCosignSignatures {
			return nil, errManySignatures
		}
	}
	return out, nil
}

// taggedSignature returns the signature in a layer; nil if it has none.
func taggedSignature(l ocispec.Descriptor) []byte {
	signature, err := base64.StdEncoding.DecodeString(l.Annotations[annotationSign])
	if l.MediaType != typeSimpleSigning || err != nil {
		return nil
	}
	return signature
}

// layers returns the layers of a manifest.
func (c *cosign) layers(ctx context.Context, d ocispec.Descriptor) ([]ocispec.Descriptor, error) {
	if err := checkDigest(d); err != nil {
		return nil, err // as a registry lists it
	}
	raw, err := c.mirror.manifest(ctx, c.address, c.in, d)
	if err != nil {
		return nil, err
	}
	return parseLayers(raw)
}

// parseLayers returns the layers in a manifest of signatures.
func parseLayers(raw []byte) ([]ocispec.Descriptor, error) {
	var m ocispec.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, problem(Invalid, "the manifest of a signature is not JSON: %s", err)
	}
	if len(m.Layers) > maxCosignSignatures {
		return nil, errManySignatures
	}
	return m.Layers, nil
}

// blob returns the content of a layer, whose checksum is that of its descriptor.
func (c *cosign) blob(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	if err := checkDigest(d); err != nil {
		return nil, err
	}
	return c.mirror.whole(ctx, c.address, c.in.Blobs(), d, "a signature")
}
