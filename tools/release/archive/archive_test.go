package archive_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/tools/release/archive"
)

func TestSameFilesSameArchive(t *testing.T) {
	t.Parallel()
	var sums []string
	for range 2 {
		file := filepath.Join(t.TempDir(), "archive.tar.gz")
		sum, err := archive.Write(file, time.Unix(1e9, 0), []archive.File{
			{"program", 0o755, []byte("content")}, {"LICENSE", 0o644, []byte("text")},
		})
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); got != sum {
			t.Errorf("the checksum is %s, not %s", got, sum)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] {
		t.Error("two archives of the same files differ")
	}
}

func TestChecksums(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		key    any
		verify func(content, signature []byte) bool
	}{
		"ECDSA": {ec, func(content, signature []byte) bool {
			digest := sha256.Sum256(content)
			return ecdsa.VerifyASN1(&ec.PublicKey, digest[:], signature)
		}},
		"Ed25519": {private, func(content, signature []byte) bool { return ed25519.Verify(public, content, signature) }},
		"no key":  {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file := t.TempDir(), ""
			for _, name := range []string{"b", "a"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if test.key != nil {
				raw, err := x509.MarshalPKCS8PrivateKey(test.key)
				if err != nil {
					t.Fatal(err)
				}
				file = filepath.Join(t.TempDir(), "key.pem")
				if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var before []byte
			for range 2 { // the second time over the files of the first
				if n, err := archive.Checksums(dir, file); err != nil || n != 2 {
					t.Fatalf("Checksums returned %d, %v", n, err)
				}
				content, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprintf("%x  a\n%x  b\n", sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))); string(content) != want {
					t.Errorf("the checksums are\n%s, want\n%s", content, want)
				}
				signed, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS.sig"))
				if test.key == nil {
					if !os.IsNotExist(err) {
						t.Errorf("there is a signature: %v", err)
					}
					continue
				}
				raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(signed)))
				if err != nil {
					t.Fatal(err)
				}
				if !test.verify(content, raw) {
					t.Error("the signature is wrong")
				}
				if before != nil && !bytes.Equal(before, signed) {
					t.Error("two signatures differ")
				}
				before = signed
			}
		})
	}
}
