package cosign_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protodsse "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/landbridge-io/landbridge/internal/provider/cosign"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

const (
	issuer  = "https://token.example.com"
	subject = "release@example.com"
)

// statement is what cosign 3 signs.
func statement(of digest.Digest) []byte {
	raw, err := json.Marshal(map[string]any{
		"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://sigstore.dev/cosign/sign/v1", "predicate": map[string]any{},
		"subject": []any{map[string]any{"name": "", "digest": map[string]string{"sha256": of.Encoded()}}},
	})
	if err != nil {
		panic(err)
	}
	return raw
}

// payload is what cosign 2 signs.
func payload(of digest.Digest) []byte {
	return []byte(
		`{"critical":{"identity":{"docker-reference":"mirror.example.com/acme/thing"},"image":{"docker-manifest-digest":"` +
			of.String() + `"},"type":"cosign container image signature"},"optional":null}`,
	)
}

type keypair struct {
	*sign.EphemeralKeypair
	pem string
}

func newKeypair(t *testing.T) keypair {
	k, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := k.GetPublicKeyPem()
	if err != nil {
		t.Fatal(err)
	}
	return keypair{k, pem}
}

func (k keypair) bundle(t *testing.T, of digest.Digest) registry.CosignSignature {
	b, err := sign.Bundle(&sign.DSSEData{Data: statement(of), PayloadType: "application/vnd.in-toto+json"}, k, sign.BundleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := protojson.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return registry.CosignSignature{Bundle: raw}
}

func (k keypair) payload(t *testing.T, signed []byte) registry.CosignSignature {
	signature, _, err := k.SignData(t.Context(), signed)
	if err != nil {
		t.Fatal(err)
	}
	return registry.CosignSignature{Payload: signed, Signature: signature}
}

// authorities are a certificate authority, a transparency log and a timestamping authority.
type authorities struct {
	*ca.VirtualSigstore
	file string
}

func newAuthorities(t *testing.T) authorities {
	v, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	logs := v.RekorLogs()
	for id, l := range logs {
		if l.ID, err = hex.DecodeString(id); err != nil {
			t.Fatal(err)
		}
	}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, v.FulcioCertificateAuthorities(), nil, v.TimestampingAuthorities(), logs)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(trusted)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "trusted_root.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return authorities{v, file}
}

func (a authorities) bundle(t *testing.T, subject string, of digest.Digest) registry.CosignSignature {
	e, err := a.AttestHashedRekordV2(subject, issuer, statement(of))
	if err != nil {
		t.Fatal(err)
	}
	content, err := e.SignatureContent()
	if err != nil {
		t.Fatal(err)
	}
	verification, err := e.VerificationContent()
	if err != nil {
		t.Fatal(err)
	}
	times, err := e.Timestamps()
	if err != nil {
		t.Fatal(err)
	}
	logged, err := e.TlogEntries()
	if err != nil {
		t.Fatal(err)
	}
	envelope := content.EnvelopeContent().RawEnvelope()
	body, err := envelope.DecodeB64Payload()
	if err != nil {
		t.Fatal(err)
	}
	b := &protobundle.Bundle{
		MediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
		VerificationMaterial: &protobundle.VerificationMaterial{
			Content: &protobundle.VerificationMaterial_Certificate{
				Certificate: &protocommon.X509Certificate{RawBytes: verification.Certificate().Raw},
			},
			TlogEntries: []*protorekor.TransparencyLogEntry{logged[0].TransparencyLogEntry()},
			TimestampVerificationData: &protobundle.TimestampVerificationData{
				Rfc3161Timestamps: []*protocommon.RFC3161SignedTimestamp{{SignedTimestamp: times[0]}},
			},
		},
		Content: &protobundle.Bundle_DsseEnvelope{DsseEnvelope: &protodsse.Envelope{
			Payload: body, PayloadType: envelope.PayloadType, Signatures: []*protodsse.Signature{{Sig: content.Signature()}},
		}},
	}
	raw, err := protojson.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return registry.CosignSignature{Bundle: raw}
}

func TestVerify(t *testing.T) {
	manifest, another := digest.FromString("manifest"), digest.FromString("another")
	key, foreign := newKeypair(t), newKeypair(t)
	here, elsewhere := newAuthorities(t), newAuthorities(t)
	holder, person := registry.CosignSigner{PublicKey: key.pem}, registry.CosignSigner{Issuer: issuer, Subject: subject}
	changed := key.bundle(t, manifest)
	changed.Bundle = []byte(strings.Replace(string(changed.Bundle), `"payloadType":`, `"x":1,"payloadType":`, 1))

	for name, c := range map[string]struct {
		signature registry.CosignSignature
		by        registry.CosignSigner
		root      string
		want      string // part of the error
		kind      registry.Kind
	}{
		"bundle by the key":            {signature: key.bundle(t, manifest), by: holder},
		"bundle by another key":        {signature: foreign.bundle(t, manifest), by: holder, want: "signature"},
		"bundle for another manifest":  {signature: key.bundle(t, another), by: holder, want: "digest"},
		"bundle that is not one":       {signature: changed, by: holder, want: "not a Sigstore bundle"},
		"payload by the key":           {signature: key.payload(t, payload(manifest)), by: holder},
		"payload by another key":       {signature: foreign.payload(t, payload(manifest)), by: holder, want: "not by the key"},
		"payload for another manifest": {signature: key.payload(t, payload(another)), by: holder, want: "is for " + another.String()},
		"payload of another kind":      {signature: key.payload(t, []byte(`{"critical":{}}`)), by: holder, want: "no payload of cosign"},
		"key that is not one": {
			signature: key.bundle(t, manifest), by: registry.CosignSigner{PublicKey: "key"}, want: "publicKey",
			kind: registry.Misconfigured,
		},
		"certificate of the subject": {signature: here.bundle(t, subject, manifest), by: person, root: here.file},
		"certificate of another subject": {
			signature: here.bundle(t, "other@example.com", manifest), by: person, root: here.file,
			want: "other@example.com",
		},
		"certificate of another authority": {
			signature: elsewhere.bundle(t, subject, manifest), by: person, root: here.file, want: "log inclusion",
		},
		"certificate for another manifest": {signature: here.bundle(t, subject, another), by: person, root: here.file, want: "digest"},
		"key instead of a certificate":     {signature: key.bundle(t, manifest), by: person, root: here.file, want: "log inclusion"},
		"certificate instead of a key":     {signature: here.bundle(t, subject, manifest), by: holder, want: "signature"},
		"certificate, but no authorities": {
			signature: here.bundle(t, subject, manifest), by: person, want: "--sigstore-trusted-root",
			kind: registry.Misconfigured,
		},
		"certificate, authorities not there": {
			signature: here.bundle(t, subject, manifest), by: person, root: "/nowhere",
			want: "--sigstore-trusted-root", kind: registry.Misconfigured,
		},
		"payload instead of a certificate": {signature: key.payload(t, payload(manifest)), by: person, root: here.file, want: "cosign 3"},
	} {
		t.Run(name, func(t *testing.T) {
			err := cosign.Verify(manifest, c.signature, c.by, c.root)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("refused: %s", err)
			case c.want != "" && err == nil:
				t.Error("accepted")
			case c.want != "" && !strings.Contains(err.Error(), c.want):
				t.Errorf("the error does not tell %q: %s", c.want, err)
			}
			if is := registry.KindOf(err); c.kind != "" && is != c.kind {
				t.Errorf("the error is %s, want %s", is, c.kind)
			}
		})
	}
}
