package doubletest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// Double is an installation of the provider with its own remote objects.
type Double struct {
	Name string
	// Dir has the remote objects.
	Dir string
	// Path is that of the binary.
	Path string
	// Env is spec.env of the TerraformProvider.
	Env []any
}

// Remote is a remote object.
type Remote struct {
	Attributes map[string]string `json:"attributes"`
	Rules      []string          `json:"rules,omitempty"`
}

// Binary returns the path of the provider's binary.
func Binary(t testing.TB) string {
	t.Helper()
	binary, err := testbin.Build(t.Context(), testbin.TestProvider)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// New returns a provider of a name with its remote objects in a directory. The environment is
// NAME=value.
func New(t testing.TB, name, dir string, env ...string) *Double {
	t.Helper()
	d := &Double{Name: name, Dir: dir, Path: filepath.Join(dir, "terraform-provider-"+name)}
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Symlink(Binary(t), d.Path)); err != nil {
		t.Fatal(err)
	}
	for _, e := range append(env, "TESTPROVIDER_DIRECTORY="+dir) {
		key, value, _ := strings.Cut(e, "=")
		d.Env = append(d.Env, map[string]any{"name": key, "value": value})
	}
	return d
}

// Provider returns the TerraformProvider that installs it.
func (d *Double) Provider() *unstructured.Unstructured {
	return objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", d.Name, map[string]any{
		"source": d.Path, "env": d.Env, "sandbox": map[string]any{"writePaths": []any{d.Dir}},
	})
}

// APIVersion returns that of its kinds.
func (d *Double) APIVersion() string { return d.Name + ".landbridge.io/v1alpha1" }

// Write writes a file in the directory.
func (d *Double) Write(t testing.TB, content string, path ...string) {
	t.Helper()
	file := filepath.Join(append([]string{d.Dir}, path...)...)
	temporary := filepath.Join(d.Dir, rand.Text()) // renamed, so that the provider reads a whole file
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(temporary, []byte(content), 0o644)
	}
	if err == nil {
		err = os.Rename(temporary, file)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Order sets what the next apply of the object does; see testprovider.
func (d *Double) Order(t testing.TB, name, what string) {
	t.Helper()
	d.Write(t, what, "orders", name)
}

// CarriedOut reports whether the order was carried out.
func (d *Double) CarriedOut(name string) bool {
	_, err := os.Stat(filepath.Join(d.Dir, "orders", name))
	return errors.Is(err, fs.ErrNotExist)
}

// Countermand removes an order.
func (d *Double) Countermand(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(d.Dir, "orders", name)); err != nil {
		t.Fatal(err)
	}
}

// Calls counts the calls with a prefix: "create thing a", "read", or "" for all.
func (d *Double) Calls(begin string) int {
	content, _ := os.ReadFile(filepath.Join(d.Dir, "calls"))
	n := 0
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, begin) {
			n++
		}
	}
	return n
}

// Changes counts the calls that change remote objects.
func (d *Double) Changes() int { return d.Calls("create") + d.Calls("update") + d.Calls("delete") }

// Object returns a remote object. The kind of one in an account is ACCOUNT/KIND, here and in Put.
func (d *Double) Object(kind, name string) (Remote, bool) {
	var o Remote
	content, err := os.ReadFile(filepath.Join(d.Dir, "objects", kind+"."+name))
	return o, err == nil && json.Unmarshal(content, &o) == nil
}

// Put creates or changes a remote object without Landbridge.
func (d *Double) Put(t testing.TB, kind string, o Remote) {
	t.Helper()
	content, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	d.Write(t, string(content), "objects", kind+"."+o.Attributes["name"])
}
