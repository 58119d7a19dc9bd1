package demo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/playground/internal/demo"
)

// The demo depends on what is in the example manifests: this fails before the
// demo does.
func TestExamples(t *testing.T) {
	examples := filepath.Join("..", "..", "..", "examples", "demo")
	for file, want := range map[string]int{"providers.yaml": 3, "resources.yaml": 8} {
		objects, err := demo.Manifests(filepath.Join(examples, file), "/elsewhere")
		if err != nil {
			t.Fatal(err)
		}
		if len(objects) != want {
			t.Errorf("%s holds %d objects, want %d", file, len(objects), want)
		}
		for _, u := range objects {
			if u.GetKind() == "" || u.GetAPIVersion() == "" || u.GetName() == "" {
				t.Errorf("%s: an object without kind, version or name: %v", file, u.Object)
			}
			if u.GetKind() == "File" {
				if name, _, _ := unstructured.NestedString(u.Object, "spec", "forProvider", "filename"); name != "/elsewhere/greeting.txt" {
					t.Errorf("the file is %s", name)
				}
			}
		}
	}
}

func TestManifestsThatAreNone(t *testing.T) {
	tests := map[string]struct{ content, want string }{
		"nothing":  {content: "# only a comment\n", want: "holds no objects"},
		"not YAML": {content: "a: [", want: "yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.yaml")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := demo.Manifests(path, "/"); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}
