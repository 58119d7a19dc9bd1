package registry

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Signer is the key that has signed the checksums of a version.
type Signer struct {
	// Fingerprint of the primary key, in upper-case hex. It ends with the key's id.
	Fingerprint string
	// Name is what the registry calls the owner of the key. May be empty.
	Name string
}

// Key is a public key, as a registry returns it.
type Key struct {
	ASCIIArmor string `json:"ascii_armor"`
	Source     string `json:"source"`
}

const (
	maxKeys       = 100
	maxSignatures = 16
	// clockSkew is how far in the future a signature may have been made.
	clockSkew = 24 * time.Hour
)

// Verify checks the detached signature of a document, by one of the keys. A key that has expired is
// valid for what it signed before.
func Verify(document, signature []byte, keys []Key, now time.Time) (Signer, error) {
	if len(keys) > maxKeys {
		return Signer{}, problem(Invalid, "the registry returns %d signing keys, more than %d", len(keys), maxKeys)
	}
	made, err := signatures(signature)
	if err != nil {
		return Signer{}, err
	}
	last := error(pgperrors.ErrUnknownIssuer)
	for _, key := range keys {
		ring, err := openpgp.ReadArmoredKeyRing(strings.NewReader(key.ASCIIArmor))
		if err != nil {
			return Signer{}, problem(Invalid, "a signing key of the registry cannot be read: %s", err)
		}
		for _, at := range made {
			if at.After(now.Add(clockSkew)) {
				last = errors.New("it was made in the future; check the clock")
				continue
			}
			config := &packet.Config{Time: func() time.Time { return at }}
			_, entity, err := openpgp.VerifyDetachedSignature(ring, bytes.NewReader(document), bytes.NewReader(signature), config)
			if err == nil {
				return Signer{Fingerprint: strings.ToUpper(hex.EncodeToString(entity.PrimaryKey.Fingerprint)), Name: key.Source}, nil
			}
			if !errors.Is(err, pgperrors.ErrUnknownIssuer) {
				last = err
			}
		}
	}
	switch {
	case errors.Is(last, pgperrors.ErrUnknownIssuer):
		return Signer{}, problem(Untrusted, "the checksums are signed by none of the keys that the registry has for the provider")
	case errors.Is(last, pgperrors.ErrKeyExpired):
		return Signer{}, problem(Untrusted, "the checksums were signed after the key had expired")
	case errors.Is(last, pgperrors.ErrKeyRevoked):
		return Signer{}, problem(Untrusted, "the key that has signed the checksums is revoked")
	}
	return Signer{}, problem(Untrusted, "the signature of the checksums is wrong: %s", last)
}

// signatures returns when the signatures of a file were made.
func signatures(file []byte) (made []time.Time, _ error) {
	for packets := packet.NewReader(bytes.NewReader(file)); ; {
		p, err := packets.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		s, ok := p.(*packet.Signature)
		if err != nil || !ok {
			return nil, problem(Untrusted, "the signature of the checksums is not an OpenPGP signature")
		}
		if made = append(made, s.CreationTime); len(made) > maxSignatures {
			return nil, problem(Untrusted, "the checksums have more than %d signatures", maxSignatures)
		}
	}
	if len(made) == 0 {
		return nil, problem(Untrusted, "the signature of the checksums is empty")
	}
	return made, nil
}
