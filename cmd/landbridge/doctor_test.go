package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// Without flags, doctor searches providers where the controller has found them.
func TestDoctorSearchesRecordedSources(t *testing.T) {
	const source = "registry.example.org/team/thing"
	full, empty := t.TempDir(), t.TempDir()
	program := filepath.Join(full, source, "1.0.0", runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-thing_v1.0.0")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ dir, want string }{
		"it is there":     {dir: full},
		"it is not there": {dir: empty, want: "there is no such provider in"},
	} {
		t.Run(name, func(t *testing.T) {
			f := doctorFlags{timeout: 10 * time.Second}
			f.from.Cache = t.TempDir()
			p := v1alpha1.TerraformProvider{
				ObjectMeta: metav1.ObjectMeta{Name: "thing"},
				Spec:       v1alpha1.TerraformProviderSpec{Source: source},
				Status:     v1alpha1.TerraformProviderStatus{Sources: []v1alpha1.ProviderSource{{Type: registry.FilesystemMirror, Path: test.dir}}},
			}
			err := f.search(t.Context(), &registry.Client{}, []v1alpha1.TerraformProvider{p})[source]
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
