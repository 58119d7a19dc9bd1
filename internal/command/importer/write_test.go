package importer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/importer"
)

func aSecret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"k": []byte("v")},
	}
}

func aManifest(namespace, name string, secrets bool) importer.Manifest {
	u := &unstructured.Unstructured{Object: m{"apiVersion": "x.io/v1", "kind": "Thing", "spec": m{"forProvider": m{}}}}
	u.SetNamespace(namespace)
	u.SetName(name)
	out := importer.Manifest{Origin: "thing." + name, Resource: u, Notes: []string{"a note\nof two lines\x1b[2J"}}
	if secrets {
		out.State, out.Inputs = aSecret("system", "state-"+name), aSecret(namespace, name+"-inputs")
	}
	return out
}

func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			relative, _ := filepath.Rel(dir, path)
			out = append(out, relative)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWrite(t *testing.T) {
	t.Parallel()
	got := text(t, []importer.Manifest{aManifest("team", "a", true), aManifest("team", "b", false)})
	want := `---
apiVersion: v1
data:
  k: dg==
kind: Secret
metadata:
  name: state-a
  namespace: system
---
apiVersion: v1
data:
  k: dg==
kind: Secret
metadata:
  name: a-inputs
  namespace: team
---
# thing.a
# a note of two lines�[2J
apiVersion: x.io/v1
kind: Thing
metadata:
  name: a
  namespace: team
spec:
  forProvider: {}
---
# thing.b
# a note of two lines�[2J
apiVersion: x.io/v1
kind: Thing
metadata:
  name: b
  namespace: team
spec:
  forProvider: {}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestWriteDir(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	if err := importer.WriteDir(dir, []importer.Manifest{aManifest("team", "a", true), aManifest("team", "b", false)}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1-secrets/a-inputs.secrets.yaml", "1-secrets/state-a.secrets.yaml", "2-resources/a.thing.x.io.yaml", "2-resources/b.thing.x.io.yaml",
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "1-secrets")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the Secrets are for others, too: %v, %v", info.Mode(), err)
	}
	// One that is there already: nothing at all is written.
	err := importer.WriteDir(dir, []importer.Manifest{aManifest("team", "c", true), aManifest("team", "b", false)})
	if err == nil || !strings.Contains(err.Error(), "b.thing.x.io.yaml already exists; nothing was written") {
		t.Errorf("got error %v", err)
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("after a failure: -want, +got:\n%s", diff)
	}
	// Without Secrets there is no folder for them.
	dir = t.TempDir()
	if err := importer.WriteDir(dir, []importer.Manifest{aManifest("team", "b", false)}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "1-secrets")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is an empty folder: %v", err)
	}
}

// A file that cannot be put into its place takes those before it away again.
func TestWriteDirFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// Nothing can be renamed from one file system to another.
	elsewhere, err := os.MkdirTemp("/dev/shm", "landbridge-")
	if err != nil {
		t.Skip("there is no second file system: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(elsewhere) })
	if err := os.Symlink(elsewhere, filepath.Join(dir, "2-resources")); err != nil {
		t.Fatal(err)
	}
	if err := importer.WriteDir(dir, []importer.Manifest{aManifest("team", "a", true)}); err == nil {
		t.Error("no error")
	}
	if left := tree(t, dir); len(left) != 1 { // the link
		t.Errorf("left: %v", left)
	}
	if left := tree(t, elsewhere); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
