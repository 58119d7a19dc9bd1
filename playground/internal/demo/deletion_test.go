package demo_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The policy is the one that installations have.
func TestDeletionWarnings(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile("deletion.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", "rbac", "deletion.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, got, _ := bytes.Cut(got, []byte("\n")); !bytes.Equal(got, want) {
		t.Error("deletion.yaml differs from deploy/rbac/deletion.yaml; copy it, below the first line")
	}
}
