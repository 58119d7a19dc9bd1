package registrytest

import (
	"bytes"
	"crypto"
	_ "crypto/sha256" // of signatures
	"encoding/hex"
	"io"
	"log"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

var discard = log.New(io.Discard, "", 0)

// Key is a signing key.
type Key struct {
	entity *openpgp.Entity
	// SignedAt is when signatures are made. Defaults to now.
	SignedAt time.Time
}

// NewKey makes a key, which expires after a lifetime unless that is 0.
func NewKey(tb testing.TB, made time.Time, lifetime time.Duration) *Key {
	tb.Helper()
	c := &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return made },
		KeyLifetimeSecs: uint32(lifetime / time.Second),
	}
	e, err := openpgp.NewEntity("Acme", "", "acme@example.com", c)
	if err != nil {
		tb.Fatal(err)
	}
	return &Key{entity: e}
}

// Revoke revokes the key.
func (k *Key) Revoke(tb testing.TB) {
	tb.Helper()
	if err := k.entity.RevokeKey(packet.KeyCompromised, "lost", nil); err != nil {
		tb.Fatal(err)
	}
}

// ID is the key's id, in hex.
func (k *Key) ID() string { return k.entity.PrimaryKey.KeyIdString() }

// Fingerprint is the key's fingerprint, in upper-case hex.
func (k *Key) Fingerprint() string {
	return strings.ToUpper(hex.EncodeToString(k.entity.PrimaryKey.Fingerprint))
}

// Armor is the public key.
func (k *Key) Armor() string {
	var b bytes.Buffer
	w, err := armor.Encode(&b, openpgp.PublicKeyType, nil)
	if err == nil {
		if err = k.entity.Serialize(w); err == nil {
			err = w.Close()
		}
	}
	if err != nil {
		panic(err)
	}
	return b.String()
}

// Sign returns a detached signature.
func (k *Key) Sign(document []byte) []byte {
	at := k.SignedAt
	if at.IsZero() {
		at = time.Now()
	}
	// The private key signs what the entity would not sign any more.
	s := &packet.Signature{
		Version: k.entity.PrimaryKey.Version, SigType: packet.SigTypeBinary, PubKeyAlgo: k.entity.PrimaryKey.PubKeyAlgo, Hash: hash,
		CreationTime: at, IssuerKeyId: &k.entity.PrimaryKey.KeyId, IssuerFingerprint: k.entity.PrimaryKey.Fingerprint,
	}
	h := hash.New()
	h.Write(document)
	var b bytes.Buffer
	err := s.Sign(h, k.entity.PrivateKey, &packet.Config{Time: func() time.Time { return at }})
	if err == nil {
		err = s.Serialize(&b)
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

const hash = crypto.SHA256
