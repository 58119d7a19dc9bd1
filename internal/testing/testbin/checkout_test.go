package testbin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

func TestCheckout(t *testing.T) {
	tree, err := testbin.Checkout(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(tree.Dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(content), "module github.com/landbridge-io/landbridge\n") {
		t.Errorf("go.mod: %v\n%s", err, content)
	}
	again, err := testbin.Checkout(t.Context(), "HEAD")
	if err != nil || again.Dir != tree.Dir {
		t.Errorf("again: %v, %v", again, err)
	}
	if err := os.RemoveAll(tree.Dir); err != nil {
		t.Error(err)
	}
}

func TestCheckoutOfAnIncompleteClone(t *testing.T) {
	_, err := testbin.Checkout(t.Context(), strings.Repeat("0", 40))
	if err == nil || !strings.Contains(err.Error(), "fetch the history") {
		t.Errorf("error %v does not say what to do", err)
	}
}
