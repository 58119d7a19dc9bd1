package checksum_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// TestChangedFile changes a file and restores its size and modification time, as an attacker would.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	for _, content := range []string{"good", "evil", "good"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		want := sha256.Sum256([]byte(content))
		waittest.Eventually(t, "the checksum is remembered", func(context.Context) bool {
			got, err := checksum.Of(path)
			if err != nil || got != hex.EncodeToString(want[:]) {
				t.Fatalf("got %s, %v for %q", got, err, content)
			}
			return checksum.Remembers(path)
		})
	}
}
