package demo_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/landbridge-io/landbridge/playground"
	"github.com/landbridge-io/landbridge/playground/internal/demo"
)

// The first command of a page applies a TerraformProvider as soon as `up` has said how.
func TestWaitForKinds(t *testing.T) {
	c, err := playground.Start(t.Context(), playground.Options{Dir: t.TempDir(), NoFsync: true, LogFile: filepath.Join(t.TempDir(), "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	install, err := demo.NewInstallation(c.Config, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../deploy/chart/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions of kinds: %v", err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the controller ended"))
	for _, file := range files {
		if err := install.WaitForKinds(ended); err == nil || !strings.Contains(err.Error(), "is not served: the controller ended") {
			t.Errorf("without %s: error %v", filepath.Base(file), err)
		}
		objects, err := demo.Manifests(file, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range objects {
			definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
			if _, err := client.Resource(definitions).Create(t.Context(), u, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := install.WaitForKinds(t.Context()); err != nil {
		t.Error(err)
	}
}
