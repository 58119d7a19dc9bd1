package e2e_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// double is an installation of the provider in testprovider with its own remote
// objects.
type double struct {
	name string
	dir  string // with the remote objects
	path string // of the binary
	env  []any
}

// remote is a remote object of a double.
type remote struct {
	Attributes map[string]string `json:"attributes"`
	Rules      []string          `json:"rules,omitempty"`
}

func testProvider(t *testing.T) string {
	t.Helper()
	binary, err := testbin.Build(t.Context(), testbin.TestProvider)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// newDouble returns a provider of that name. The environment is NAME=value.
func newDouble(t *testing.T, name string, env ...string) *double {
	t.Helper()
	d := &double{name: name, dir: directory(t)}
	d.path = filepath.Join(d.dir, "terraform-provider-"+name)
	if err := os.Symlink(testProvider(t), d.path); err != nil {
		t.Fatal(err)
	}
	for _, e := range append(env, "TESTPROVIDER_DIRECTORY="+d.dir) {
		key, value, _ := strings.Cut(e, "=")
		d.env = append(d.env, m{"name": key, "value": value})
	}
	return d
}

// provider returns the TerraformProvider that installs it.
func (d *double) provider(activate ...any) *unstructured.Unstructured {
	p := terraformProvider(d.name, d.path, activate...)
	p.Object["spec"].(m)["env"] = d.env
	p.Object["spec"].(m)["sandbox"] = m{"writePaths": []any{d.dir}}
	return p
}

func (d *double) apiVersion() string { return d.name + ".landbridge.io/v1alpha1" }

// thing and place return resources; the remote object has the same name.
func (d *double) thing(namespace, name string, forProvider m) *unstructured.Unstructured {
	return d.resource("Thing", namespace, name, forProvider)
}

func (d *double) place(namespace, name string, forProvider m) *unstructured.Unstructured {
	return d.resource("Place", namespace, name, forProvider)
}

func (d *double) resource(kind, namespace, name string, forProvider m) *unstructured.Unstructured {
	all := m{"name": name}
	for k, v := range forProvider {
		all[k] = v
	}
	return resource(d.apiVersion(), kind, namespace, name, m{"forProvider": all})
}

func (d *double) write(t *testing.T, content string, path ...string) {
	t.Helper()
	file := filepath.Join(append([]string{d.dir}, path...)...)
	temporary := filepath.Join(d.dir, rand.Text()) // renamed, so that the provider reads a whole file
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

// order sets what the next apply of the object does; see testprovider.
func (d *double) order(t *testing.T, name, what string) {
	t.Helper()
	d.write(t, what, "orders", name)
}

// carriedOut reports whether the order was carried out.
func (d *double) carriedOut(name string) bool {
	_, err := os.Stat(filepath.Join(d.dir, "orders", name))
	return errors.Is(err, fs.ErrNotExist)
}

func (d *double) countermand(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(d.dir, "orders", name)); err != nil {
		t.Fatal(err)
	}
}

// calls counts the calls with a prefix: "create thing a", "read", or "" for all.
func (d *double) calls(begin string) int {
	content, _ := os.ReadFile(filepath.Join(d.dir, "calls"))
	n := 0
	for line := range strings.Lines(string(content)) {
		if strings.HasPrefix(line, begin) {
			n++
		}
	}
	return n
}

// changes counts the calls that change remote objects.
func (d *double) changes() int { return d.calls("create") + d.calls("update") + d.calls("delete") }

// object returns a remote object.
func (d *double) object(kind, name string) (remote, bool) {
	var o remote
	content, err := os.ReadFile(filepath.Join(d.dir, "objects", kind+"."+name))
	return o, err == nil && json.Unmarshal(content, &o) == nil
}

// put creates or changes a remote object without Landbridge.
func (d *double) put(t *testing.T, kind string, o remote) {
	t.Helper()
	content, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	d.write(t, string(content), "objects", kind+"."+o.Attributes["name"])
}

// has waits until the remote object has the value of an attribute.
func (c *cluster) has(t *testing.T, d *double, kind, name, attribute, value string) {
	t.Helper()
	eventually(t, kind+" "+name+" has "+attribute+" "+value, func(context.Context) bool {
		o, ok := d.object(kind, name)
		return ok && o.Attributes[attribute] == value
	})
}
