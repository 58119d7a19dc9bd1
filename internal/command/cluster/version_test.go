package cluster_test

import (
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

// A version is a program only if it is written as a path: a file in the working directory that is
// named as the version is not run.
func TestVersionIsNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	x := &cluster.Reader{Installer: &install.Installer{CacheDir: t.TempDir()}}
	p := &v1alpha1.TerraformProvider{
		ObjectMeta: metav1.ObjectMeta{Name: "cloud"},
		Spec:       v1alpha1.TerraformProviderSpec{Source: "example.org/no/where", Version: "1.0.0"},
	}
	for name, c := range map[string]struct {
		file, version string
		runs          bool
	}{
		"a version":        {"2.0.0", "2.0.0", false},
		"a name":           {"next", "next", false},
		"a path":           {"2.0.0", "./2.0.0", true},
		"an absolute path": {"2.0.0", filepath.Join(dir, "2.0.0"), true},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(c.file, []byte("#!/bin/sh\ntouch "+filepath.Join(dir, "ran")+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := x.OpenVersion(t.Context(), p, c.version); err == nil {
				t.Fatal("it is no provider, and was opened")
			}
			if err := os.Remove("ran"); (err == nil) != c.runs {
				t.Errorf("removing what the program writes: %v", err)
			}
		})
	}
}
