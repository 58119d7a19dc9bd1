package archive

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sums and signature are the names of the files that Checksums writes.
const (
	sums      = "SHA256SUMS"
	signature = "SHA256SUMS.sig"
)

// Checksums writes the checksums of all files in a directory, not of those in its folders, and
// returns how many there are. With a key, they are signed: cosign verify-blob --key PUBLIC
// --signature SHA256SUMS.sig --insecure-ignore-tlog SHA256SUMS.
func Checksums(dir, key string) (int, error) {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return 0, err
	}
	var out strings.Builder
	n := 0
	for _, e := range entries {
		if e.IsDir() || e.Name() == sums || e.Name() == signature {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(content), e.Name())
		n++
	}
	if err := os.WriteFile(filepath.Join(dir, sums), []byte(out.String()), 0o644); err != nil {
		return 0, err
	}
	if err := os.Remove(filepath.Join(dir, signature)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	if key == "" {
		return n, nil
	}
	signed, err := sign([]byte(out.String()), key)
	if err != nil {
		return 0, err
	}
	return n, os.WriteFile(filepath.Join(dir, signature), signed, 0o644)
}

// sign returns the signature of content, in base64. It is the same each time.
func sign(content []byte, file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s has no key as PEM", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		if key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
			return nil, fmt.Errorf("%s has neither a PKCS #8 nor an EC private key", file)
		}
	}
	var signed []byte
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		digest := sha256.Sum256(content)
		signed, err = k.Sign(nil, digest[:], crypto.SHA256) // without a source of random numbers as in RFC 6979
	case ed25519.PrivateKey:
		signed = ed25519.Sign(k, content)
	default:
		err = fmt.Errorf("%s has a key of an unsupported kind: an ECDSA or Ed25519 key is needed", file)
	}
	if err != nil {
		return nil, err
	}
	return []byte(base64.StdEncoding.EncodeToString(signed) + "\n"), nil
}
