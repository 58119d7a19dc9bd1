package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInvokeTakesOneAction(t *testing.T) {
	t.Parallel()
	const one = "apiVersion: action.cloud.landbridge.io/v1alpha1\nkind: Backup\nmetadata: {name: x}\n"
	for name, test := range map[string]struct{ manifest, want string }{
		"two":      {one + "---\n" + one, "the manifest has 2 objects"},
		"no YAML":  {"{", "manifest.yaml"},
		"no field": {"metadata: {}\n", "manifest.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "manifest.yaml")
			if err := os.WriteFile(path, []byte(test.manifest), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := run(t, "invoke", "-f", path); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error: %v, want %q", err, test.want)
			}
		})
	}
}
