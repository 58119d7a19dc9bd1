package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// The stored CRDs are those that the script makes.
func TestStored(t *testing.T) {
	t.Parallel()
	want, err := files()
	if err != nil {
		t.Fatal(err)
	}
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range want {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(string(content), string(got)); diff != "" {
			t.Errorf("%s: go run ./test/upjet writes it anew (-want +got):\n%s", path, diff)
		}
	}
}
